-- Each service now: its hosts and incidents, what could not be analysed, and its open findings.
WITH counted AS (
    SELECT environment, service, CAST(sum(CASE WHEN severity = 'error' THEN 1 ELSE 0 END) AS bigint) AS errors,
           CAST(sum(CASE WHEN severity = 'warning' THEN 1 ELSE 0 END) AS bigint) AS warnings
    FROM unrefuted_findings GROUP BY environment, service
), lost_files AS (
    SELECT environment, service, count(*) AS lost FROM current_failures GROUP BY environment, service
), incidents_of_service AS (
    SELECT environment, service, count(DISTINCT host) AS hosts, count(*) AS incidents,
           CAST(sum(CASE WHEN status = 'failed' THEN 1 ELSE 0 END) AS bigint) AS failed, max(window_start) AS latest_evidence
    FROM current_incidents GROUP BY environment, service
)
SELECT i.environment, i.service, i.hosts, i.incidents, i.failed, coalesce(l.lost, 0) AS lost,
       coalesce(c.errors, 0) AS errors, coalesce(c.warnings, 0) AS warnings, i.latest_evidence
FROM incidents_of_service i
LEFT JOIN counted c ON c.environment = i.environment AND c.service = i.service
LEFT JOIN lost_files l ON l.environment = i.environment AND l.service = i.service
