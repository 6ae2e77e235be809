-- The client version of each host that has one.
SELECT environment, service, host, max(client_version) AS version
FROM latest_consumers WHERE client_version IS NOT NULL GROUP BY environment, service, host
