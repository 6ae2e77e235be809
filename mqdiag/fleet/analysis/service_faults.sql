-- Each fault of a service with its gravest finding, the worst first. A fault is a rule, a cause and a consumer group ('' for
-- none): the thread or queue of tonight need not be that of last night. Of equal ones, what another finding explains comes last.
SELECT environment, service, rule, cause, coalesce(consumer_group, '') AS consumer_group, min(severity_rank) AS rank,
       count(DISTINCT host) AS hosts, min_by(host, row(severity_rank, -weight, incident)) AS host,
       min_by(fingerprint, row(severity_rank, -weight, incident)) AS fingerprint,
       min_by(finding, row(severity_rank, -weight, incident)) AS finding,
       min_by(size(coalesce(caused_by, [])) > 0, row(severity_rank, -weight, incident)) AS is_effect
FROM unrefuted_findings GROUP BY 1, 2, 3, 4, 5
ORDER BY rank, hosts DESC, environment, service, is_effect, rule, cause, consumer_group
