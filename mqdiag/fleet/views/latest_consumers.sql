-- The consumers of the latest incident of each host that has any: ten dumps of a host count once.
WITH placed AS (
    SELECT incident, dense_rank() OVER (PARTITION BY environment, service, host
                                        ORDER BY window_start DESC NULLS LAST, incident DESC) AS place
    FROM current_consumers
)
SELECT c.* FROM current_consumers c
WHERE c.consumer_group IS NOT NULL AND c.incident IN (SELECT incident FROM placed WHERE place = 1)
