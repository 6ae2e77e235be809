-- When each fault was there, by place: a host, or the workload of pods that replace each other. `host` showed it last.
-- `open_since` begins the latest time in which every incident that could show it did; `age_hours` goes from there to
-- `last_seen`. `recovered_at` is the first incident after `last_seen` that could have shown it. A fault that came back twice or
-- more is `flapping`. What goes over from a pod to the one that replaces it is one time.
WITH numbered AS (
    SELECT *, sum(CASE WHEN shown = 1 AND coalesce(shown_before, 0) = 0 THEN 1 ELSE 0 END) OVER (
               PARTITION BY environment, service, host, rule, cause, consumer_group
               ORDER BY window_start, incident ROWS UNBOUNDED PRECEDING) AS span
    FROM fault_checks
), spans AS (
    SELECT environment, service, replica, host, rule, cause, consumer_group, span,
           min(CASE WHEN shown = 1 THEN window_start END) AS began, max(CASE WHEN shown = 1 THEN window_start END) AS last_shown,
           min(severity_rank) AS severity_rank,
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
           CASE WHEN count(ended) = count(*) THEN max(ended) END AS ended
    FROM joined GROUP BY environment, service, replica, rule, cause, consumer_group, episode
), numbered_episodes AS (
    SELECT *, max(episode) OVER (PARTITION BY environment, service, replica, rule, cause, consumer_group) AS latest
    FROM episodes
), bounds AS (
    SELECT environment, service, replica, rule, cause, consumer_group, max(CASE WHEN episode = latest THEN host END) AS host,
           min(began) AS first_seen, max(last_shown) AS last_seen, max(began) AS open_since,
           max(CASE WHEN episode = latest THEN ended END) AS recovered_at,
           CAST(sum(times_seen) AS bigint) AS times_seen, count(*) - 1 AS times_returned, min(severity_rank) AS severity_rank
    FROM numbered_episodes GROUP BY environment, service, replica, rule, cause, consumer_group
)
SELECT environment, service, replica, host, rule, cause, consumer_group, first_seen, last_seen, open_since, recovered_at,
       CAST(unix_micros(last_seen) - unix_micros(open_since) AS double) / 3600000000 AS age_hours,
       times_seen, times_returned, times_returned >= 2 AS flapping, severity_rank
FROM bounds
