-- Services that had evidence regularly, and have none any more, by days: the median of the days between one day with evidence and
-- the next tells how often it comes. The fleet's latest evidence is now: that of a run over old files is old.
WITH days AS (
    SELECT DISTINCT environment, service, CAST(window_start AS date) AS on_day FROM current_incidents
    WHERE window_start IS NOT NULL
), gaps AS (
    SELECT *, on_day - lag(on_day) OVER (PARTITION BY environment, service ORDER BY on_day) AS gap FROM days
), of_services AS (
    SELECT environment, service, count(*) AS days_with_evidence, median(gap) AS usual_days, max(on_day) AS latest,
           (SELECT max(on_day) FROM days) - max(on_day) AS silent_days
    FROM gaps GROUP BY environment, service
)
SELECT environment, service, days_with_evidence, CAST(usual_days AS double) AS usual_days, CAST(silent_days AS bigint) AS silent_days,
       strftime(latest, '%Y-%m-%d') AS latest_day
FROM of_services
WHERE days_with_evidence >= getvariable('evidence-stopped.days')
  AND silent_days >= greatest(2, getvariable('evidence-stopped.times') * usual_days)
ORDER BY silent_days / usual_days DESC, environment, service
