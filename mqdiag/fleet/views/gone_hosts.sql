-- Pods that others have replaced, and since when: `gone_at` is evidence of their place six hours or more after their last. A
-- Deployment or CronJob has none of the pod's revision from then on; else as many of its pods as on the last day of this one have
-- evidence on a later day. A place that has one instance at a time (a label `replica`) is
-- that of the latest one. A host whose name lasts is never gone.
WITH pods AS (
    SELECT environment, service, replica, workload, revision, host, window_start, CAST(window_start AS date) AS on_day,
           unix_micros(window_start) AS moment
    FROM current_incidents WHERE window_start IS NOT NULL AND replica IS NOT NULL AND replica <> host
), followed AS (
    SELECT *, row_number() OVER (PARTITION BY environment, service, replica, on_day, host ORDER BY moment, window_start) AS nth,
           max(moment) OVER (PARTITION BY environment, service, replica, host) AS host_seen,
           max(moment) OVER (PARTITION BY environment, service, replica, revision) AS revision_seen,
           min(window_start) OVER (PARTITION BY environment, service, replica ORDER BY moment
                                   RANGE BETWEEN 21600000000 FOLLOWING AND UNBOUNDED FOLLOWING) AS next_at,
           min(window_start) OVER (PARTITION BY environment, service, replica ORDER BY moment
                                   RANGE BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS next_of_slot
    FROM pods
), counted AS (
    SELECT *, sum(CASE WHEN nth = 1 THEN 1 ELSE 0 END) OVER (PARTITION BY environment, service, replica, on_day) AS instances
    FROM followed
), compared AS (
    SELECT *, max(instances) OVER (PARTITION BY environment, service, replica ORDER BY moment
                                   RANGE BETWEEN 21600000000 FOLLOWING AND UNBOUNDED FOLLOWING) AS instances_later,
           max(CASE WHEN moment = revision_seen THEN next_at END)
               OVER (PARTITION BY environment, service, replica, revision) AS next_revision
    FROM counted
), told AS (
    SELECT environment, service, replica, host,
           least(CASE WHEN revision IS NOT NULL THEN next_revision END,
                 CASE WHEN instances_later >= instances THEN next_at END,
                 CASE WHEN coalesce(workload, '') <> replica THEN next_of_slot END) AS gone_at
    FROM compared WHERE moment = host_seen
)
SELECT environment, service, replica, host, min(gone_at) AS gone_at
FROM told WHERE gone_at IS NOT NULL GROUP BY environment, service, replica, host
