-- What is wrong now: findings that nothing has refuted, with the times of their fault. An order for people:
-- severity_rank, service, host, position.
SELECT f.*, t.first_seen, t.last_seen, t.open_since, t.age_hours, t.times_returned, t.flapping
FROM unrefuted_findings f
LEFT JOIN fault_times t
  ON t.environment = f.environment AND t.service = f.service AND t.host = f.host
  AND t.rule = f.rule AND t.cause = f.cause AND t.consumer_group = coalesce(f.consumer_group, '')
