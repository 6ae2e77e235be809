-- Each fault of a host at each of its incidents that could show it: `shown` is 1 where it did and 0 where it did not,
-- `shown_before` the same of the incident before. A fault is a rule, a cause and a consumer group ('' for none).
WITH history_findings AS (
    SELECT DISTINCT h.environment, h.service, h.host, h.incident, f.rule, f.cause,
           coalesce(f.consumer_group, '') AS consumer_group, coalesce(f.shown_by, split(f.rule, '/')) AS shown_by
    FROM findings f JOIN evidence_history h ON f.incident = h.incident AND f.run = h.analysed_in
    WHERE h.window_start IS NOT NULL
), shown_at AS (
    SELECT DISTINCT environment, service, host, incident, rule, cause, consumer_group FROM history_findings
), faults AS (
    SELECT DISTINCT environment, service, host, rule, cause, consumer_group, shown_by FROM history_findings
), shown AS (
    SELECT DISTINCT f.environment, f.service, f.host, f.rule, f.cause, f.consumer_group, e.incident, e.window_start,
           CASE WHEN h.incident IS NULL THEN 0 ELSE 1 END AS shown
    FROM faults f
    JOIN evidence_history e ON e.environment = f.environment AND e.service = f.service AND e.host = f.host
    LEFT JOIN shown_at h
      ON h.incident = e.incident AND h.environment = f.environment AND h.service = f.service AND h.host = f.host
      AND h.rule = f.rule AND h.cause = f.cause AND h.consumer_group = f.consumer_group
    WHERE e.window_start IS NOT NULL AND (h.incident IS NOT NULL OR arrays_overlap(e.refutes, f.shown_by))
)
SELECT *, lag(shown) OVER (PARTITION BY environment, service, host, rule, cause, consumer_group
                           ORDER BY window_start, incident) AS shown_before
FROM shown
