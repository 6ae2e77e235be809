-- What is wrong now: findings that nothing has refuted, with the times of their fault, and the revision and labels of the
-- incident. An order for people: severity_rank, service, host, position.
SELECT f.*, i.revision, i.labels, t.first_seen, t.last_seen, t.open_since, t.age_hours, t.times_returned, t.flapping,
       t.first_build
FROM unrefuted_findings f
JOIN current_incidents i ON i.incident = f.incident
LEFT JOIN fault_times t
  ON t.environment = f.environment AND t.service = f.service AND t.replica = coalesce(f.replica, f.host)
  AND t.rule = f.rule AND t.cause = f.cause AND t.consumer_group = coalesce(f.consumer_group, '')
