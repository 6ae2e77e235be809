-- Each fault of a host at each of its incidents that could show it: `shown` is 1 where it did and 0 where it did not,
-- `shown_before` the same of the incident before. A fault is a rule, a cause and a consumer group ('' for none).
WITH history_findings AS (
    SELECT DISTINCT h.environment, h.service, h.host, h.incident, h.window_start, f.rule, f.cause,
           coalesce(f.consumer_group, '') AS consumer_group
    FROM findings f JOIN evidence_history h ON f.incident = h.incident AND f.run = h.analysed_in
    WHERE h.window_start IS NOT NULL
), checks AS (
    SELECT environment, service, host, incident, window_start, explode(checked) AS rule
    FROM evidence_history WHERE window_start IS NOT NULL
    UNION
    SELECT environment, service, host, incident, window_start, rule FROM history_findings
), faults AS (
    SELECT DISTINCT environment, service, host, rule, cause, consumer_group FROM history_findings
), shown AS (
    SELECT f.environment, f.service, f.host, f.rule, f.cause, f.consumer_group, c.incident, c.window_start,
           CASE WHEN h.incident IS NULL THEN 0 ELSE 1 END AS shown
    FROM faults f
    JOIN checks c ON c.environment = f.environment AND c.service = f.service AND c.host = f.host AND c.rule = f.rule
    LEFT JOIN history_findings h
      ON h.incident = c.incident AND h.environment = f.environment AND h.service = f.service AND h.host = f.host
      AND h.rule = f.rule AND h.cause = f.cause AND h.consumer_group = f.consumer_group
)
SELECT *, lag(shown) OVER (PARTITION BY environment, service, host, rule, cause, consumer_group
                           ORDER BY window_start, incident) AS shown_before
FROM shown
