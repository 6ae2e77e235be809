-- How long faults (errors and warnings) last, by service and rule: of the times that are over, from the first incident that
-- showed the fault to the first that no longer did, and the age of the ones that are not.
SELECT environment, service, rule, count(ended) AS repaired, avg(hours) AS mean_hours, max(hours) AS longest_hours,
       CAST(sum(CASE WHEN ended IS NULL THEN 1 ELSE 0 END) AS bigint) AS still_there,
       min(CASE WHEN ended IS NULL THEN began END) AS oldest_since
FROM fault_episodes WHERE severity_rank < 2 GROUP BY environment, service, rule
