-- How many hosts of a service have an open finding of a rule, the worst first.
SELECT environment, service, rule, min(severity_rank) AS rank, count(DISTINCT host) AS hosts
FROM unrefuted_findings GROUP BY environment, service, rule
ORDER BY rank, hosts DESC, environment, service, rule
