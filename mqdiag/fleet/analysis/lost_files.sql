-- What could not be analysed, faults of mqdiag first: one that a long list cuts off would not end the run as a fault.
SELECT * FROM current_failures ORDER BY kind != 'fault', environment, service, host, path NULLS FIRST
