-- Each host with its incidents and its open findings. `latest_evidence` is RFC 3339 in UTC.
WITH counted AS (
    SELECT environment, service, host, count_if(severity = 'error') AS errors, count_if(severity = 'warning') AS warnings
    FROM unrefuted_findings GROUP BY environment, service, host
), seen AS (
    SELECT environment, service, host, count(*) AS incidents, count_if(status = 'failed') AS failed,
           date_format(max(window_start), "yyyy-MM-dd'T'HH:mm:ssXXX") AS latest_evidence
    FROM current_incidents GROUP BY environment, service, host
)
SELECT environment, service, host, incidents, failed, latest_evidence, coalesce(errors, 0) AS errors,
       coalesce(warnings, 0) AS warnings
FROM seen LEFT JOIN counted USING (environment, service, host)
