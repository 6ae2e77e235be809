-- Faults that only one of two runs has, and that the other run could have found: it had evidence of the same service with
-- which the rule ran to its end. A first heap dump after many thread dumps makes no regression.
SELECT 'regression' AS kind, * FROM service_faults
ANTI JOIN earlier_faults USING (environment, service, rule, cause, consumer_group)
SEMI JOIN earlier_checked_rules USING (environment, service, rule)
UNION ALL
SELECT 'recovery' AS kind, * FROM earlier_faults
ANTI JOIN service_faults USING (environment, service, rule, cause, consumer_group)
SEMI JOIN checked_rules USING (environment, service, rule)
ORDER BY kind DESC, rank, hosts DESC, environment, service, rule, cause, consumer_group
