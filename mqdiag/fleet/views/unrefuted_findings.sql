-- Current findings that no later incident of the same host has refuted. A later incident refutes a finding if it had
-- the evidence for its rule, ran the rule to the end and did not find the fault. An incident of unknown time refutes
-- nothing, and nothing refutes it.
WITH checks AS (
    SELECT environment, service, host, incident, window_start, explode(checked) AS rule FROM current_incidents
    UNION
    SELECT environment, service, host, incident, window_start, rule FROM current_findings
), placed AS (
    SELECT incident, rule, window_start,
           row_number() OVER (PARTITION BY environment, service, host, rule
                              ORDER BY window_start DESC NULLS LAST, incident DESC) AS place
    FROM checks
)
SELECT f.* FROM current_findings f
JOIN placed p ON f.incident = p.incident AND f.rule = p.rule
WHERE p.place = 1 OR p.window_start IS NULL
