-- Current findings that no later incident has refuted, each fault where it was seen last. A later incident of the same host
-- refutes a finding if evidence of a kind that showed it was read whole and would show it again, and does not. A fault is
-- a rule, a cause and a consumer group. An incident of unknown time refutes nothing, and
-- nothing refutes it; one of the same time, as in a manifest with dates alone, is no later one. Of a pod that is
-- gone (`gone_hosts`) the next evidence of its workload decides: it refutes the finding, or shows the fault and takes it over.
WITH placed AS (
    SELECT environment, service, host, incident, window_start, rule, cause, coalesce(consumer_group, '') AS fault_group,
           coalesce(shown_by, split(rule, '/')) AS shown_by, coalesce(replica, host) AS replica,
           dense_rank() OVER (PARTITION BY environment, service, host, rule, cause, consumer_group
                              ORDER BY window_start DESC NULLS LAST, incident DESC) AS place
    FROM current_findings
), latest AS (
    SELECT DISTINCT incident, rule, cause, fault_group FROM placed WHERE place = 1 OR window_start IS NULL
), of_place AS (
    SELECT f.*, g.gone_at
    FROM placed f
    LEFT JOIN gone_hosts g ON g.environment = f.environment AND g.service = f.service AND g.host = f.host
    WHERE f.place = 1
), refuted AS (
    SELECT DISTINCT f.incident, f.rule, f.cause, f.fault_group
    FROM of_place f
    JOIN current_incidents i ON i.environment = f.environment AND i.service = f.service
      AND coalesce(i.replica, i.host) = f.replica
    LEFT JOIN placed n ON n.incident = i.incident AND n.rule = f.rule AND n.cause = f.cause AND n.fault_group = f.fault_group
    WHERE (i.host = f.host
           AND i.window_start > f.window_start
           AND arrays_overlap(coalesce(i.refutes, i.checked), f.shown_by))
       OR (i.host <> f.host AND i.window_start >= f.gone_at
           AND (n.incident IS NOT NULL OR arrays_overlap(coalesce(i.refutes, i.checked), f.shown_by)))
)
SELECT f.* FROM current_findings f
JOIN latest l ON l.incident = f.incident AND l.rule = f.rule AND l.cause = f.cause
  AND l.fault_group = coalesce(f.consumer_group, '')
LEFT JOIN refuted r ON r.incident = f.incident AND r.rule = f.rule AND r.cause = f.cause
  AND r.fault_group = coalesce(f.consumer_group, '')
WHERE r.incident IS NULL
