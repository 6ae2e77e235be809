-- Each time that a fault was there, by place: a host, or the workload of pods that replace each other. It `began` with the first
-- incident that showed it and `ended` with the first one later that could have and did not; `hours` lie between. `first_build`
-- is that of the first incident whose labels or name of a pod tell it. What goes over from a pod to the one that
-- replaces it is one time.
WITH numbered AS (
    SELECT *, sum(CASE WHEN shown = 1 AND coalesce(shown_before, 0) = 0 THEN 1 ELSE 0 END) OVER (
               PARTITION BY environment, service, host, rule, cause, consumer_group
               ORDER BY window_start, shown, incident ROWS UNBOUNDED PRECEDING) AS span
    FROM fault_checks
), spans AS (
    SELECT environment, service, replica, host, rule, cause, consumer_group, span,
           min(CASE WHEN shown = 1 THEN window_start END) AS began, max(CASE WHEN shown = 1 THEN window_start END) AS last_shown,
           min(severity_rank) AS severity_rank,
           min_by(build, CASE WHEN shown = 1 AND build IS NOT NULL THEN window_start END) AS first_build,
           min(CASE WHEN shown = 0 THEN window_start END) AS ended, CAST(sum(shown) AS bigint) AS times_seen
    FROM numbered WHERE span > 0
    GROUP BY environment, service, replica, host, rule, cause, consumer_group, span
), ordered AS (
    SELECT *, max(coalesce(unix_micros(ended), 9223372036854775807)) OVER (
               PARTITION BY environment, service, replica, rule, cause, consumer_group
               ORDER BY began, host ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS ended_before
    FROM spans
), joined AS (
    -- Pods of one workload have their evidence one after the other.
    SELECT *, sum(CASE WHEN unix_micros(began) - CASE WHEN replica = host THEN 0 ELSE 21600000000 END < ended_before
                       THEN 0 ELSE 1 END) OVER (
               PARTITION BY environment, service, replica, rule, cause, consumer_group
               ORDER BY began, host ROWS UNBOUNDED PRECEDING) AS episode
    FROM ordered
), episodes AS (
    SELECT environment, service, replica, rule, cause, consumer_group, episode, min(began) AS began,
           max(last_shown) AS last_shown, max_by(host, last_shown) AS host, CAST(sum(times_seen) AS bigint) AS times_seen,
           min(severity_rank) AS severity_rank,
           min_by(first_build, CASE WHEN first_build IS NOT NULL THEN began END) AS first_build,
           CASE WHEN count(ended) = count(*) THEN max(ended) END AS ended
    FROM joined GROUP BY environment, service, replica, rule, cause, consumer_group, episode
)
SELECT environment, service, replica, host, rule, cause, consumer_group, CAST(episode AS bigint) AS episode, severity_rank, began, last_shown, ended,
       CAST(unix_micros(ended) - unix_micros(began) AS double) / 3600000000 AS hours, times_seen, first_build
FROM episodes
