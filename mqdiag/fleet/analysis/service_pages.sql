-- What the own reports of some services list, ordered by environment and service: the hosts and open faults, the worst first, what
-- could not be analysed (the first 1,000 of it and how much there is, faults of mqdiag first), the rules that ran to their
-- end in any incident, and those of which a configuration lowered a finding; then what is new or gone, with what it shares
-- with others, and what differs inside the service's consumer groups (the first 50 of each).
WITH host_errors AS (
    SELECT environment, service, host, count(*) FILTER (severity = 'error') AS errors,
           count(*) FILTER (severity = 'warning') AS warnings
    FROM unrefuted_findings SEMI JOIN asked USING (environment, service) GROUP BY environment, service, host
), host_incidents AS (
    SELECT environment, service, host, count(*) AS incidents, count(*) FILTER (status = 'failed') AS failed,
           strftime(max(window_start), '%Y-%m-%dT%H:%M:%SZ') AS latest_evidence
    FROM current_incidents SEMI JOIN asked USING (environment, service) ANTI JOIN gone_hosts USING (environment, service, host)
    GROUP BY environment, service, host
), of_hosts AS (
    SELECT environment, service, list({'host': host, 'incidents': incidents, 'failed': failed, 'errors': coalesce(errors, 0),
               'warnings': coalesce(warnings, 0), 'latest_evidence': latest_evidence}
               ORDER BY coalesce(errors, 0) DESC, coalesce(warnings, 0) DESC, host) AS hosts
    FROM host_incidents LEFT JOIN host_errors USING (environment, service, host) GROUP BY environment, service
), of_faults AS (
    SELECT environment, service, list(f ORDER BY rank, hosts DESC, is_effect, rule, cause, consumer_group) AS faults
    FROM service_faults f SEMI JOIN asked USING (environment, service) GROUP BY environment, service
), numbered_failures AS (
    SELECT *, count(*) OVER (PARTITION BY environment, service) AS failure_count,
           row_number() OVER (PARTITION BY environment, service ORDER BY kind != 'fault', host, path NULLS FIRST) AS place
    FROM current_failures SEMI JOIN asked USING (environment, service)
), of_failures AS (
    SELECT environment, service, max(failure_count) AS failure_count, list(n ORDER BY place) AS failures
    FROM numbered_failures n WHERE place <= 1000 GROUP BY environment, service
), of_rules AS (
    SELECT environment, service, list(rule ORDER BY rule) AS checked FROM checked_rules SEMI JOIN asked USING (environment, service) GROUP BY environment, service
), of_lowered AS (
    SELECT environment, service, list(rule ORDER BY rule) AS lowered FROM lowered_rules SEMI JOIN asked USING (environment, service) GROUP BY environment, service
), of_changes AS (
    SELECT environment, service, list(c)[:50] AS changes FROM (FROM told_changes SEMI JOIN asked USING (environment, service)) c
    GROUP BY environment, service
), of_drifts AS (
    SELECT environment, service, list(d ORDER BY d.kind, d.instances DESC, d.consumer_group, d.key)[:50] AS drifts
    FROM (SELECT DISTINCT environment, kind, consumer_group, key, unnest(services) AS service FROM drift) s
    JOIN drifts d USING (environment, kind, consumer_group, key) SEMI JOIN asked USING (environment, service)
    GROUP BY environment, service
), of_outliers AS (
    SELECT environment, service, list(o ORDER BY abs(score) DESC, host, metric)[:50] AS outliers
    FROM outliers o SEMI JOIN asked USING (environment, service) GROUP BY environment, service
)
SELECT * FROM of_hosts
LEFT JOIN of_faults USING (environment, service)
LEFT JOIN of_failures USING (environment, service)
LEFT JOIN of_rules USING (environment, service)
LEFT JOIN of_lowered USING (environment, service)
LEFT JOIN of_changes USING (environment, service)
LEFT JOIN of_drifts USING (environment, service)
LEFT JOIN of_outliers USING (environment, service)
ORDER BY environment, service
