-- What is wrong of each workload now, and of each host that is of none: its hosts (without pods that others have replaced) and
-- incidents, what could not be analysed, and its open findings.
WITH counted AS (
    SELECT environment, service, coalesce(workload, host) AS workload,
           CAST(sum(CASE WHEN severity = 'error' THEN 1 ELSE 0 END) AS bigint) AS errors,
           CAST(sum(CASE WHEN severity = 'warning' THEN 1 ELSE 0 END) AS bigint) AS warnings, array_sort(collect_set(rule)) AS rules
    FROM unrefuted_findings WHERE severity_rank < 2 GROUP BY environment, service, coalesce(workload, host)
), lost_files AS (
    SELECT environment, service, coalesce(workload, host) AS workload, count(*) AS lost
    FROM current_failures GROUP BY environment, service, coalesce(workload, host)
), incidents_of_workload AS (
    SELECT i.environment, i.service, coalesce(i.workload, i.host) AS workload,
           count(DISTINCT CASE WHEN g.host IS NULL THEN i.host END) AS hosts, count(*) AS incidents,
           CAST(sum(CASE WHEN i.status = 'failed' THEN 1 ELSE 0 END) AS bigint) AS failed, max(i.window_start) AS latest_evidence
    FROM current_incidents i
    LEFT JOIN gone_hosts g ON g.environment = i.environment AND g.service = i.service AND g.host = i.host
    GROUP BY i.environment, i.service, coalesce(i.workload, i.host)
)
SELECT i.environment, i.service, i.workload, i.hosts, i.incidents, i.failed, coalesce(l.lost, 0) AS lost,
       coalesce(c.errors, 0) AS errors, coalesce(c.warnings, 0) AS warnings, c.rules, i.latest_evidence
FROM incidents_of_workload i
LEFT JOIN counted c ON c.environment = i.environment AND c.service = i.service AND c.workload = i.workload
LEFT JOIN lost_files l ON l.environment = i.environment AND l.service = i.service AND l.workload = i.workload
