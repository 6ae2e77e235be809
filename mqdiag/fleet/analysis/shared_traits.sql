-- Each finding with what its host may share with others that have the fault: a frame, the field that holds the memory, a
-- setting, an address, a group, a broker, a library or a client version. Two hosts can have the same fault for reasons that
-- have nothing to do with each other; what they share says whether there is one reason. A version is a trait only of faults
-- that are commoner with it than chance makes them (`telling_versions`).
WITH of_evidence AS (
    SELECT rule, cause, severity_rank, environment, service, host, incident, weight, finding, consumer_group, kind, value
    FROM unrefuted_findings, LATERAL (VALUES
        -- A line number changes with every release.
        ('frame', regexp_extract(told[1], '^[^(]+')),
        ('holder', told[2] || '.' || told[3]),
        ('setting', told[4]),
        ('address', told[5]),
        ('group', consumer_group),
        ('broker', CASE WHEN consumer_group IS NULL THEN broker END),
        ('library', told[6])) AS trait(kind, value)
), of_peers AS (
    -- Whom threads wait for: host and port of a URL, as services call one server by different paths. A placeholder of
    -- `--redact` is numbered for each incident, and no address.
    SELECT rule, cause, severity_rank, environment, service, host, incident, weight, finding, consumer_group,
           'address' AS kind, unnest(list_distinct(list_transform(peers,
               lambda url: regexp_extract(url, '^(?:[A-Za-z0-9+.:-]*//)?(?:[^/@]*@)?([^/?;, ]+)', 1)))) AS value
    FROM unrefuted_findings WHERE len(peers) > 0
), placed AS (
    SELECT * FROM (FROM of_evidence UNION FROM of_peers)
    WHERE value != '' AND NOT regexp_matches(value, '^(address|text)-[0-9]+$')
    UNION ALL
    SELECT rule, cause, severity_rank, environment, service, host, incident, weight, finding, consumer_group,
           'client-version', version
    FROM unrefuted_findings JOIN host_versions USING (environment, service, host)
    SEMI JOIN telling_versions USING (rule, cause, version)
)
SELECT *, concat_ws('/', nullif(environment, ''), service) AS of_service,
       concat_ws('/', nullif(environment, ''), service, host) AS of_host,
       list_position(['frame', 'holder', 'setting', 'address', 'group', 'broker', 'library', 'client-version'], kind)
       AS specificity
FROM placed
