-- The rules of each service that ran to their end in any incident of the run.
SELECT DISTINCT environment, service, explode(checked) AS rule
FROM (SELECT DISTINCT environment, service, checked FROM current_incidents)
