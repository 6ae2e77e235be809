-- The consumers of the latest incident of each host that has any: ten dumps of a host count once, and a pod that others have
-- replaced (`gone_hosts`) does not.
WITH placed AS (
    SELECT incident, dense_rank() OVER (PARTITION BY environment, service, host
                                        ORDER BY window_start DESC NULLS LAST, incident DESC) AS place
    FROM current_consumers
)
SELECT c.* FROM current_consumers c
LEFT JOIN gone_hosts g ON g.environment = c.environment AND g.service = c.service AND g.host = c.host
WHERE c.consumer_group IS NOT NULL AND g.host IS NULL AND c.incident IN (SELECT incident FROM placed WHERE place = 1)
