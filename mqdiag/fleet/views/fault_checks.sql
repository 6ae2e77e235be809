-- Each fault of a host at each of its incidents that could show it: `shown` is 1 where it did and 0 where it did not,
-- `shown_before` the same of the incident before. A fault is a rule, a cause and a consumer group ('' for none).
WITH history_findings AS (
    SELECT DISTINCT h.environment, h.service, h.host, h.incident, f.rule, f.cause,
           coalesce(f.consumer_group, '') AS consumer_group
    FROM findings f JOIN evidence_history h ON f.incident = h.incident AND f.run = h.analysed_in
    WHERE h.window_start IS NOT NULL
), faults AS (
    SELECT DISTINCT environment, service, host, rule, cause, consumer_group FROM history_findings
), of_rule AS (
    SELECT DISTINCT incident, rule FROM history_findings
), shown AS (
    SELECT f.environment, f.service, f.host, f.rule, f.cause, f.consumer_group, e.incident, e.window_start,
           CASE WHEN h.incident IS NULL THEN 0 ELSE 1 END AS shown
    FROM faults f
    JOIN evidence_history e ON e.environment = f.environment AND e.service = f.service AND e.host = f.host
    LEFT JOIN of_rule r ON r.incident = e.incident AND r.rule = f.rule
    LEFT JOIN history_findings h
      ON h.incident = e.incident AND h.environment = f.environment AND h.service = f.service AND h.host = f.host
      AND h.rule = f.rule AND h.cause = f.cause AND h.consumer_group = f.consumer_group
    WHERE e.window_start IS NOT NULL AND (r.incident IS NOT NULL OR array_contains(e.checked, f.rule))
)
SELECT *, lag(shown) OVER (PARTITION BY environment, service, host, rule, cause, consumer_group
                           ORDER BY window_start, incident) AS shown_before
FROM shown
