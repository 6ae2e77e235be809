-- Faults of hosts, and of workloads whose pods replace each other, that later evidence no longer shows, over all runs that are
-- still there.
SELECT environment, service, replica, host, rule, cause, consumer_group, first_seen, last_seen, recovered_at, age_hours,
       times_returned, flapping
FROM fault_times WHERE recovered_at IS NOT NULL
