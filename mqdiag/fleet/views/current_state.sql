-- Each service now: its hosts (without pods that others have replaced) and incidents, what could not be analysed, and its open findings.
WITH counted AS (
    SELECT environment, service, CAST(sum(CASE WHEN severity = 'error' THEN 1 ELSE 0 END) AS bigint) AS errors,
           CAST(sum(CASE WHEN severity = 'warning' THEN 1 ELSE 0 END) AS bigint) AS warnings
    FROM unrefuted_findings GROUP BY environment, service
), lost_files AS (
    SELECT environment, service, count(*) AS lost FROM current_failures GROUP BY environment, service
), incidents_of_service AS (
    SELECT i.environment, i.service, count(DISTINCT CASE WHEN g.host IS NULL THEN i.host END) AS hosts, count(*) AS incidents,
           CAST(sum(CASE WHEN i.status = 'failed' THEN 1 ELSE 0 END) AS bigint) AS failed, max(i.window_start) AS latest_evidence
    FROM current_incidents i
    LEFT JOIN gone_hosts g ON g.environment = i.environment AND g.service = i.service AND g.host = i.host
    GROUP BY i.environment, i.service
)
SELECT i.environment, i.service, i.hosts, i.incidents, i.failed, coalesce(l.lost, 0) AS lost,
       coalesce(c.errors, 0) AS errors, coalesce(c.warnings, 0) AS warnings, i.latest_evidence
FROM incidents_of_service i
LEFT JOIN counted c ON c.environment = i.environment AND c.service = i.service
LEFT JOIN lost_files l ON l.environment = i.environment AND l.service = i.service
