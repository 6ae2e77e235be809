-- When each fault was there, by place: a host, or the workload of pods that replace each other. `host` showed it last.
-- `open_since` begins the latest time in which every incident that could show it did; `age_hours` goes from there to
-- `last_seen`. `recovered_at` is the first incident after `last_seen` that could have shown it. A fault that came back twice or
-- more is `flapping`. What goes over from a pod to the one that replaces it is one time.
WITH numbered_episodes AS (
    SELECT *, max(episode) OVER (PARTITION BY environment, service, replica, rule, cause, consumer_group) AS latest
    FROM fault_episodes
), bounds AS (
    SELECT environment, service, replica, rule, cause, consumer_group, max(CASE WHEN episode = latest THEN host END) AS host,
           min(began) AS first_seen, max(last_shown) AS last_seen, max(began) AS open_since,
           max(CASE WHEN episode = latest THEN ended END) AS recovered_at,
           CAST(sum(times_seen) AS bigint) AS times_seen, count(*) - 1 AS times_returned, min(severity_rank) AS severity_rank,
           min_by(first_build, CASE WHEN first_build IS NOT NULL THEN began END) AS first_build
    FROM numbered_episodes GROUP BY environment, service, replica, rule, cause, consumer_group
)
SELECT environment, service, replica, host, rule, cause, consumer_group, first_seen, last_seen, open_since, recovered_at,
       CAST(unix_micros(last_seen) - unix_micros(open_since) AS double) / 3600000000 AS age_hours,
       times_seen, times_returned, times_returned >= 2 AS flapping, severity_rank, first_build
FROM bounds
