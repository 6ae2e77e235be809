-- Faults of hosts, and of workloads whose pods replace each other, that later evidence no longer shows, over all runs that are
-- still there. Notes are no faults.
SELECT environment, service, replica, host, rule, cause, consumer_group, severity_rank, first_seen, last_seen, recovered_at,
       age_hours, times_returned, flapping
FROM fault_times WHERE recovered_at IS NOT NULL AND severity_rank < 2
