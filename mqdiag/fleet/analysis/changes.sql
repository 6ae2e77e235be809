-- Faults that only one of two runs has, and that the other run could have found: it had evidence of the same service with
-- which the rule ran to its end. A first heap dump after many thread dumps makes no regression.
WITH checked_now AS (
    SELECT DISTINCT environment, service, explode(checked) AS rule FROM current_incidents
), checked_before AS (
    SELECT DISTINCT environment, service, explode(checked) AS rule FROM earlier_incidents
)
SELECT 'regression' AS kind, f.* FROM service_faults f
LEFT ANTI JOIN earlier_faults USING (environment, service, rule, cause, consumer_group)
LEFT SEMI JOIN checked_before USING (environment, service, rule)
UNION ALL
SELECT 'recovery' AS kind, f.* FROM earlier_faults f
LEFT ANTI JOIN service_faults USING (environment, service, rule, cause, consumer_group)
LEFT SEMI JOIN checked_now USING (environment, service, rule)
ORDER BY kind DESC, rank, hosts DESC, environment, service, rule, cause, consumer_group
