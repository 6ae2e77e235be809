-- When each fault of a host was there. `open_since` begins the latest time in which every incident that could show it
-- did; `age_hours` goes from there to `last_seen`. `recovered_at` is the first incident after `last_seen` that could
-- have shown it. A fault that came back twice or more is `flapping`.
WITH bounds AS (
    SELECT environment, service, host, rule, cause, consumer_group,
           min(CASE WHEN shown = 1 THEN window_start END) AS first_seen,
           max(CASE WHEN shown = 1 THEN window_start END) AS last_seen,
           max(CASE WHEN shown = 1 AND coalesce(shown_before, 0) = 0 THEN window_start END) AS open_since,
           max(CASE WHEN shown = 0 AND shown_before = 1 THEN window_start END) AS last_gone,
           CAST(sum(shown) AS bigint) AS times_seen,
           CAST(sum(CASE WHEN shown = 1 AND shown_before = 0 THEN 1 ELSE 0 END) AS bigint) AS times_returned
    FROM fault_checks
    GROUP BY environment, service, host, rule, cause, consumer_group
)
SELECT environment, service, host, rule, cause, consumer_group, first_seen, last_seen, open_since,
       CASE WHEN last_gone > last_seen THEN last_gone END AS recovered_at,
       CAST(unix_micros(last_seen) - unix_micros(open_since) AS double) / 3600000000 AS age_hours,
       times_seen, times_returned, times_returned >= 2 AS flapping
FROM bounds
