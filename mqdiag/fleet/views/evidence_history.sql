-- Every incident of every run that is still there, once, by `history` and the runs that have none: of one that was analysed
-- again, or under other settings, the analysis of the latest run. One whose files have grown, or that files were added to
-- within six hours, is replaced by what a later run found in its place. Rows of older versions of mqdiag have no `evidence`,
-- the listing tells which it is.
WITH later_runs AS (
    -- An older version wrote no history.
    SELECT run FROM runs
    WHERE run_number > (SELECT coalesce(max(run_number), 0) FROM runs WHERE run IN (SELECT run FROM history))
), listed AS (
    SELECT environment, service, host, incident, window_start, listed_in AS run, analysed_in, status, refutes, checked, replica,
           workload, revision, labels, heads, listing, evidence
    FROM history
    UNION ALL
    SELECT environment, service, host, incident, window_start, run, analysed_in, status, refutes, checked, replica,
           workload, revision, labels, heads, listing, evidence
    FROM incidents WHERE run IN (SELECT run FROM later_runs)
), known AS (
    SELECT i.*, r.run_number, coalesce(i.evidence, max(i.evidence) OVER (
               PARTITION BY i.environment, i.service, i.host, i.listing), i.listing, i.incident) AS seen
    FROM listed i JOIN runs r ON i.run = r.run
), placed AS (
    SELECT *, row_number() OVER (PARTITION BY environment, service, host, seen
                                 ORDER BY run_number DESC, incident) AS place
    FROM known
), once AS (
    SELECT * FROM placed WHERE place = 1
), replaced AS (
    SELECT DISTINCT o.environment, o.service, o.host, o.incident
    FROM once o
    JOIN once n ON n.environment = o.environment AND n.service = o.service AND n.host = o.host
    WHERE n.run_number > o.run_number AND n.incident <> o.incident AND arrays_overlap(o.heads, n.heads)
      AND abs(unix_micros(n.window_start) - unix_micros(o.window_start)) <= 6 * 3600000000
)
SELECT o.environment, o.service, o.host, o.incident, o.window_start, o.run, o.analysed_in, o.status,
       coalesce(o.refutes, o.checked) AS refutes, coalesce(o.replica, o.host) AS replica, o.workload, o.revision, o.labels
FROM once o
LEFT JOIN replaced r ON r.environment = o.environment AND r.service = o.service AND r.host = o.host
  AND r.incident = o.incident
WHERE r.incident IS NULL
