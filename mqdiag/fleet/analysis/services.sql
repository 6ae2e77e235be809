-- Each service's state, those with new errors first, then the worst, with the number of its new, known and gone faults where there is an earlier run. A
-- fault that the earlier run could not look for is none of these.
WITH known_faults AS (
    SELECT environment, service, rank, 'known' AS kind FROM service_faults
    SEMI JOIN earlier_faults USING (environment, service, rule, cause, consumer_group) WHERE rank < 2
    UNION ALL
    SELECT environment, service, rank, kind FROM changes
), counted AS (
    SELECT environment, service, count(*) FILTER (kind = 'regression') AS new, count(*) FILTER (kind = 'known') AS known,
           count(*) FILTER (kind = 'recovery') AS gone, count(*) FILTER (kind = 'regression' AND rank = 0) AS new_errors
    FROM known_faults GROUP BY environment, service
)
SELECT s.*, CASE WHEN getvariable('is_compared') THEN coalesce(new, 0) END AS new,
       CASE WHEN getvariable('is_compared') THEN coalesce(known, 0) END AS known,
       CASE WHEN getvariable('is_compared') THEN coalesce(gone, 0) END AS gone
FROM current_state s LEFT JOIN counted USING (environment, service)
ORDER BY coalesce(new_errors, 0) DESC, errors DESC, warnings DESC, lost DESC, environment, service
