-- Open findings by severity, and the faults of hosts and workloads that later evidence has refuted: a fault is a rule, a cause and a
-- consumer group, as the thread or queue can be another one tomorrow. Then what changed since the earlier run, and the hosts
-- without pods that others have replaced.
WITH refuted AS (
    SELECT environment, service, coalesce(replica, host), rule, cause, consumer_group FROM current_findings
    WHERE severity_rank < 2
    EXCEPT
    SELECT environment, service, coalesce(replica, host), rule, cause, consumer_group FROM unrefuted_findings
)
SELECT count(*) AS findings, count(*) FILTER (severity = 'error') AS errors,
       count(*) FILTER (severity = 'warning') AS warnings, (SELECT count(*) FROM refuted) AS recovered,
       (SELECT count(*) FROM changes WHERE kind = 'regression') AS regressions,
       (SELECT count(*) FROM changes WHERE kind = 'recovery') AS recoveries,
       (SELECT count(DISTINCT row(environment, service, host)) FROM current_incidents
        ANTI JOIN gone_hosts USING (environment, service, host)) AS hosts
FROM unrefuted_findings
