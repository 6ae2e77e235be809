-- Every incident of every run that is still there, once: of one that was analysed again, or under other settings, the
-- analysis of the latest run. Rows of older versions of mqdiag have no `evidence`; the listing tells which it is.
WITH known AS (
    SELECT i.*, r.run_number, coalesce(i.evidence, max(i.evidence) OVER (
               PARTITION BY i.environment, i.service, i.host, i.listing), i.listing, i.incident) AS seen
    FROM incidents i JOIN runs r ON i.run = r.run
), placed AS (
    SELECT *, row_number() OVER (PARTITION BY environment, service, host, seen
                                 ORDER BY run_number DESC, incident) AS place
    FROM known
)
SELECT environment, service, host, incident, window_start, run, analysed_in, status, checked FROM placed WHERE place = 1
