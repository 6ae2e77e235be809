-- Current findings that no later incident of the same host has refuted. A later incident refutes a finding if it had
-- the evidence for its rule, ran the rule to the end and did not find the fault. An incident of unknown time refutes
-- nothing, and nothing refutes it.
WITH shown AS (
    SELECT DISTINCT environment, service, host, incident, window_start, rule FROM current_findings
), checks AS (
    SELECT * FROM shown
    UNION
    SELECT i.environment, i.service, i.host, i.incident, i.window_start, s.rule
    FROM current_incidents i
    JOIN shown s ON s.environment = i.environment AND s.service = i.service AND s.host = i.host
    WHERE array_contains(i.checked, s.rule)
), placed AS (
    SELECT incident, rule, window_start,
           row_number() OVER (PARTITION BY environment, service, host, rule
                              ORDER BY window_start DESC NULLS LAST, incident DESC) AS place
    FROM checks
)
SELECT f.* FROM current_findings f
JOIN placed p ON f.incident = p.incident AND f.rule = p.rule
WHERE p.place = 1 OR p.window_start IS NULL
