-- The rules of each service of which a configuration lowered, ignored or hid an error or a warning in any incident of the run.
SELECT DISTINCT environment, service, explode(lowered) AS rule
FROM (SELECT DISTINCT environment, service, lowered FROM current_incidents)
