-- What each service's own report lists, ordered by environment and service: its hosts and its open faults, the worst first,
-- what could not be analysed (the first 1,000 of it and how much there is, faults of mqdiag first), and the rules that ran to their end in any of its incidents.
WITH host_errors AS (
    SELECT environment, service, host, count_if(severity = 'error') AS errors, count_if(severity = 'warning') AS warnings
    FROM unrefuted_findings GROUP BY environment, service, host
), host_incidents AS (
    SELECT environment, service, host, count(*) AS incidents, count_if(status = 'failed') AS failed,
           date_format(max(window_start), "yyyy-MM-dd'T'HH:mm:ssXXX") AS latest_evidence
    FROM current_incidents GROUP BY environment, service, host
), of_hosts AS (
    SELECT environment, service, array_sort(collect_list(struct(
               -coalesce(errors, 0) AS by_errors, -coalesce(warnings, 0) AS by_warnings, host, incidents, failed,
               coalesce(errors, 0) AS errors, coalesce(warnings, 0) AS warnings, latest_evidence))) AS hosts
    FROM host_incidents LEFT JOIN host_errors USING (environment, service, host) GROUP BY environment, service
), of_faults AS (
    SELECT environment, service, array_sort(collect_list(struct(
               rank, -hosts AS by_hosts, is_effect, rule, cause, consumer_group, environment, service, host, hosts, document))) AS faults
    FROM service_faults GROUP BY environment, service
), numbered_failures AS (
    SELECT *, count(*) OVER (PARTITION BY environment, service) AS failure_count,
           row_number() OVER (PARTITION BY environment, service ORDER BY kind != 'fault', host, path) AS place
    FROM current_failures
), of_failures AS (
    SELECT environment, service, max(failure_count) AS failure_count, array_sort(collect_list(struct(
               host, path, environment, service, kind, reason, bytes, document))) AS failures
    FROM numbered_failures WHERE place <= 1000 GROUP BY environment, service
), of_rules AS (
    SELECT environment, service, array_sort(collect_set(rule)) AS checked
    FROM (SELECT environment, service, explode(checked) AS rule FROM current_incidents) GROUP BY environment, service
)
SELECT * FROM of_hosts
LEFT JOIN of_faults USING (environment, service)
LEFT JOIN of_failures USING (environment, service)
LEFT JOIN of_rules USING (environment, service)
ORDER BY environment, service
