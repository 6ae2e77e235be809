-- Each rule and cause, what is new since the earlier run first, then by spread, with its gravest finding. `rank` is 0 for an
-- error, 1 for a warning.
WITH new_faults AS (
    SELECT rule, cause, count(DISTINCT row(environment, service)) AS new_services
    FROM changes WHERE kind = 'regression' GROUP BY rule, cause
), placed AS (
    SELECT *, concat_ws('/', nullif(environment, ''), service) AS of_service,
           concat_ws('/', nullif(environment, ''), service, host) AS of_host
    FROM unrefuted_findings
)
SELECT rule, cause, min(severity_rank) AS rank, count(DISTINCT of_service) AS services, count(DISTINCT of_host) AS hosts,
       count(DISTINCT consumer_group) AS groups, count(DISTINCT incident) AS incidents, count(*) AS findings,
       min(DISTINCT of_service, 5) AS example_services,
       min(DISTINCT of_host, 5) AS example_hosts,
       min_by(finding, row(severity_rank, -weight, incident)) AS finding,
       CASE WHEN getvariable('is_compared') THEN coalesce(any_value(new_services), 0) END AS new_services
FROM placed LEFT JOIN new_faults USING (rule, cause) GROUP BY rule, cause
ORDER BY new_services DESC NULLS LAST, services DESC, hosts DESC, rank, rule, cause
