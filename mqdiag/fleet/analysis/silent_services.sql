-- Services that had evidence regularly, and have none any more, by days. The fleet's latest evidence is now: that of a run over
-- old files is old.
SELECT environment, service, days_with_evidence, usual_days, silent_days, strftime(latest_day, '%Y-%m-%d') AS latest_day
FROM freshness
WHERE days_with_evidence >= getvariable('evidence-stopped.days')
  AND silent_days >= greatest(2, getvariable('evidence-stopped.times') * usual_days)
ORDER BY silent_days / usual_days DESC, environment, service
