-- Current findings that no later incident of the same host has refuted, each fault where it was seen last. A later incident
-- refutes a finding if evidence of a kind that showed it was read whole and would show it again, and does not. A fault is
-- a rule, a cause and a consumer group. An incident of unknown time refutes nothing, and nothing refutes it.
WITH placed AS (
    SELECT environment, service, host, incident, window_start, rule, cause, coalesce(consumer_group, '') AS fault_group,
           coalesce(shown_by, split(rule, '/')) AS shown_by,
           dense_rank() OVER (PARTITION BY environment, service, host, rule, cause, consumer_group
                              ORDER BY window_start DESC NULLS LAST, incident DESC) AS place
    FROM current_findings
), latest AS (
    SELECT DISTINCT incident, rule, cause, fault_group FROM placed WHERE place = 1 OR window_start IS NULL
), refuted AS (
    SELECT DISTINCT f.incident, f.rule, f.cause, f.fault_group
    FROM placed f
    JOIN current_incidents i ON i.environment = f.environment AND i.service = f.service AND i.host = f.host
    WHERE f.place = 1 AND (i.window_start > f.window_start OR (i.window_start = f.window_start AND i.incident > f.incident))
      AND arrays_overlap(coalesce(i.refutes, i.checked), f.shown_by)
)
SELECT f.* FROM current_findings f
JOIN latest l ON l.incident = f.incident AND l.rule = f.rule AND l.cause = f.cause
  AND l.fault_group = coalesce(f.consumer_group, '')
LEFT JOIN refuted r ON r.incident = f.incident AND r.rule = f.rule AND r.cause = f.cause
  AND r.fault_group = coalesce(f.consumer_group, '')
WHERE r.incident IS NULL
