-- When evidence of each service came last, and how often it comes: `usual_days` is the median of the days between one day with
-- evidence and the next, `silent_days` those from its last one to the fleet's.
WITH days AS (
    SELECT DISTINCT environment, service, CAST(window_start AS date) AS on_day,
           CAST(unix_micros(CAST(CAST(window_start AS date) AS timestamp)) / 86400000000 AS bigint) AS number
    FROM current_incidents WHERE window_start IS NOT NULL
), gaps AS (
    SELECT *, number - lag(number) OVER (PARTITION BY environment, service ORDER BY number) AS gap,
           max(number) OVER () AS latest
    FROM days
)
SELECT environment, service, count(*) AS days_with_evidence, CAST(median(gap) AS double) AS usual_days, max(on_day) AS latest_day,
       max(latest) - max(number) AS silent_days
FROM gaps GROUP BY environment, service
