-- Faults (errors and warnings) that only one of two runs has, and that the other run could have found. A regression: the
-- earlier run had evidence of the same service with which the rule ran to its end, so a first heap dump after many thread
-- dumps makes none. A recovery: each host that had it has evidence since then that would show it again, or is a pod that is
-- gone, and its workload has such evidence.
WITH unrefuted_earlier AS (
    SELECT e.environment, e.service, e.rule, e.cause, coalesce(e.consumer_group, '') AS consumer_group
    FROM earlier_findings e
    WHERE NOT EXISTS (
        SELECT 1 FROM current_incidents i
        WHERE i.environment = e.environment AND i.service = e.service AND i.host = e.host
          AND i.window_start >= e.window_start
          AND arrays_overlap(coalesce(i.refutes, i.checked), coalesce(e.shown_by, split(e.rule, '/'))))
      AND NOT EXISTS (
        SELECT 1 FROM gone_hosts g JOIN current_incidents i
          ON i.environment = g.environment AND i.service = g.service AND i.replica = g.replica AND i.window_start >= g.gone_at
        WHERE g.environment = e.environment AND g.service = e.service AND g.host = e.host
          AND arrays_overlap(coalesce(i.refutes, i.checked), coalesce(e.shown_by, split(e.rule, '/'))))
)
SELECT 'regression' AS kind, * FROM service_faults
ANTI JOIN earlier_faults USING (environment, service, rule, cause, consumer_group)
SEMI JOIN earlier_checked_rules USING (environment, service, rule)
WHERE rank < 2
UNION ALL
SELECT 'recovery' AS kind, * FROM earlier_faults
ANTI JOIN service_faults USING (environment, service, rule, cause, consumer_group)
ANTI JOIN unrefuted_earlier USING (environment, service, rule, cause, consumer_group)
WHERE rank < 2
ORDER BY kind DESC, rank, hosts DESC, environment, service, rule, cause, consumer_group
