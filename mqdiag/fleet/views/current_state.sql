-- Each service now, of its workloads.
SELECT environment, service, CAST(sum(hosts) AS bigint) AS hosts, CAST(sum(incidents) AS bigint) AS incidents,
       CAST(sum(failed) AS bigint) AS failed, CAST(sum(lost) AS bigint) AS lost, CAST(sum(errors) AS bigint) AS errors,
       CAST(sum(warnings) AS bigint) AS warnings, max(latest_evidence) AS latest_evidence
FROM workload_state GROUP BY environment, service
