-- What hosts with the same fault share: a frame, the field that holds the memory, a setting, an address, a group, a broker,
-- a library or a client version. Two hosts can have the same fault for reasons that have nothing to do with each other; what
-- they share says whether there is one reason. Of traits with the same hosts the most specific one is told.
WITH of_evidence AS (
    SELECT rule, cause, severity_rank, environment, service, host, incident, weight, finding, kind, value
    FROM unrefuted_findings, LATERAL (VALUES
        -- A line number changes with every release.
        ('frame', regexp_extract(told[1], '^[^(]+')),
        ('holder', told[2] || '.' || told[3]),
        ('setting', told[4]),
        ('address', told[5]),
        ('group', consumer_group),
        ('broker', CASE WHEN consumer_group IS NULL THEN broker END),
        ('library', told[6])) AS trait(kind, value)
), versions AS (
    SELECT environment, service, host, max(client_version) AS version
    FROM latest_consumers WHERE client_version IS NOT NULL GROUP BY environment, service, host
), of_version AS (
    SELECT version, count(*) AS hosts, sum(count(*)) OVER () AS hosts_of_fleet FROM versions GROUP BY version
), with_fault AS (
    SELECT rule, cause, version, count(*) AS faulty, sum(count(*)) OVER (PARTITION BY rule, cause) AS faulty_of_fleet
    FROM (SELECT DISTINCT environment, service, host, rule, cause FROM unrefuted_findings)
    JOIN versions USING (environment, service, host) GROUP BY rule, cause, version
), telling AS (
    -- The fault is at least twice as common with the version as with all others.
    SELECT rule, cause, version FROM with_fault JOIN of_version USING (version)
    WHERE hosts_of_fleet > hosts AND faulty * (hosts_of_fleet - hosts) >= 2 * (faulty_of_fleet - faulty) * hosts
), traits AS (
    SELECT * FROM of_evidence WHERE value != ''
    UNION ALL
    SELECT rule, cause, severity_rank, environment, service, host, incident, weight, finding, 'client-version', version
    FROM unrefuted_findings JOIN versions USING (environment, service, host)
    SEMI JOIN telling USING (rule, cause, version)
), placed AS (
    SELECT *, concat_ws('/', nullif(environment, ''), service) AS of_service,
           concat_ws('/', nullif(environment, ''), service, host) AS of_host,
           list_position(['frame', 'holder', 'setting', 'address', 'group', 'broker', 'library', 'client-version'], kind)
           AS specificity
    FROM traits
), shared AS (
    -- Lists of all hosts would have to be in memory: the sum of their hashes tells as well whether two sets are the same.
    SELECT rule, cause, kind, value, specificity, min(severity_rank) AS rank, count(DISTINCT of_service) AS services,
           count(DISTINCT of_host) AS hosts, sum(DISTINCT hash(of_host)) AS host_set,
           count(DISTINCT incident) AS incidents, count(*) AS findings,
           min(DISTINCT of_service, 5) AS example_services, min(DISTINCT of_host, 5) AS example_hosts,
           min_by(finding, row(severity_rank, -weight, incident)) AS finding
    FROM placed GROUP BY rule, cause, kind, value, specificity
), ordered AS (
    SELECT *, row_number() OVER (PARTITION BY rule, cause, hosts, host_set ORDER BY specificity, value) AS place
    FROM shared WHERE hosts >= getvariable('common-cause.hosts')
), fault_spread AS (
    SELECT rule, cause, count(DISTINCT row(environment, service, host)) AS fault_hosts
    FROM unrefuted_findings GROUP BY rule, cause
)
SELECT rule, cause, kind, value, rank, services, hosts, incidents, findings, fault_hosts, example_services, example_hosts,
       finding
FROM ordered JOIN fault_spread USING (rule, cause) WHERE place = 1
ORDER BY services DESC, hosts DESC, rank, rule, cause, specificity, value
