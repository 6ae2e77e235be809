-- What hosts with the same fault share (`shared_traits`), what is new since the earlier run first, then by services and hosts.
-- Of traits with the same hosts the most specific one is told.
WITH new_faults AS (
    SELECT environment, service, rule, cause, consumer_group AS fault_group, true AS is_new FROM changes WHERE kind = 'regression'
), shared AS (
    -- Lists of all hosts would have to be in memory: the sum of their hashes tells as well whether two sets are the same.
    SELECT rule, cause, kind, value, specificity, min(severity_rank) AS rank, count(DISTINCT of_service) AS services,
           count(DISTINCT of_service) FILTER (is_new) AS new_services,
           count(DISTINCT of_host) AS hosts, sum(DISTINCT hash(of_host)) AS host_set,
           count(DISTINCT incident) AS incidents, count(DISTINCT finding) AS findings,
           min(DISTINCT of_service, 5) AS example_services, min(DISTINCT of_host, 5) AS example_hosts,
           min_by(finding, row(severity_rank, -weight, incident)) AS finding
    FROM (SELECT *, coalesce(consumer_group, '') AS fault_group FROM shared_traits)
    LEFT JOIN new_faults USING (environment, service, rule, cause, fault_group)
    GROUP BY ALL
), ordered AS (
    SELECT *, row_number() OVER (PARTITION BY rule, cause, hosts, host_set ORDER BY specificity, value) AS place
    FROM shared WHERE hosts >= getvariable('common-cause.hosts')
), fault_spread AS (
    SELECT rule, cause, count(DISTINCT row(environment, service, host)) AS fault_hosts
    FROM unrefuted_findings GROUP BY rule, cause
)
SELECT o.rule, o.cause, kind, value, rank, services, CASE WHEN getvariable('is_compared') THEN new_services END AS new_services,
       hosts, incidents, findings, fault_hosts, example_services, example_hosts, finding,
       trait_hosts, other_hosts, other_fault_hosts, chance
FROM ordered o JOIN fault_spread s ON s.rule = o.rule AND s.cause = o.cause
LEFT JOIN telling_versions v ON v.rule = o.rule AND v.cause = o.cause AND kind = 'client-version' AND v.version = value
WHERE place = 1
ORDER BY new_services DESC NULLS LAST, services DESC, hosts DESC, rank, o.rule, o.cause, specificity, value
