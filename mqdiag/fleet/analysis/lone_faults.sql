-- The faults of services, of each severity those first that the earlier run looked for and did not find.
SELECT f.*
FROM service_faults f
LEFT JOIN changes c ON c.kind = 'regression' AND c.environment = f.environment AND c.service = f.service
  AND c.rule = f.rule AND c.cause = f.cause AND c.consumer_group = f.consumer_group
ORDER BY f.rank, c.kind IS NULL, f.hosts DESC, f.environment, f.service, f.is_effect, f.rule, f.cause, f.consumer_group
