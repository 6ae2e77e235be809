-- Each service's state with the number of its new, known and gone faults. A fault that the earlier run could not look for is
-- none of these.
WITH known_faults AS (
    SELECT environment, service, 'known' AS kind FROM service_faults
    LEFT SEMI JOIN earlier_faults USING (environment, service, rule, cause, consumer_group)
    UNION ALL
    SELECT environment, service, kind FROM changes
), counted AS (
    SELECT environment, service, count_if(kind = 'regression') AS new, count_if(kind = 'known') AS known,
           count_if(kind = 'recovery') AS gone
    FROM known_faults GROUP BY environment, service
)
SELECT s.*, coalesce(new, 0) AS new, coalesce(known, 0) AS known, coalesce(gone, 0) AS gone
FROM current_state s LEFT JOIN counted USING (environment, service)
