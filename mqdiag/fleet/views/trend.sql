-- Each service by the week of its evidence, which begins on Monday: what was there, and which faults (no notes) began or ended.
WITH weeks AS (
    SELECT environment, service, CAST(date_trunc('week', window_start) AS date) AS week,
           count(DISTINCT host) AS hosts, count(*) AS incidents,
           CAST(sum(CASE WHEN status = 'failed' THEN 1 ELSE 0 END) AS bigint) AS failed
    FROM evidence_history WHERE window_start IS NOT NULL GROUP BY 1, 2, 3
), found AS (
    SELECT h.environment, h.service, CAST(date_trunc('week', h.window_start) AS date) AS week,
           CAST(sum(CASE WHEN f.severity = 'error' THEN 1 ELSE 0 END) AS bigint) AS errors,
           CAST(sum(CASE WHEN f.severity = 'warning' THEN 1 ELSE 0 END) AS bigint) AS warnings
    FROM findings f JOIN evidence_history h ON f.incident = h.incident AND f.run = h.analysed_in
    WHERE h.window_start IS NOT NULL GROUP BY 1, 2, 3
), begun AS (
    SELECT environment, service, CAST(date_trunc('week', first_seen) AS date) AS week, count(*) AS new_faults
    FROM fault_times WHERE severity_rank < 2 GROUP BY 1, 2, 3
), ended AS (
    SELECT environment, service, CAST(date_trunc('week', recovered_at) AS date) AS week, count(*) AS recovered_faults
    FROM fault_times WHERE recovered_at IS NOT NULL AND severity_rank < 2 GROUP BY 1, 2, 3
)
SELECT w.environment, w.service, w.week, w.hosts, w.incidents, w.failed,
       coalesce(f.errors, 0) AS errors, coalesce(f.warnings, 0) AS warnings,
       coalesce(b.new_faults, 0) AS new_faults, coalesce(e.recovered_faults, 0) AS recovered_faults
FROM weeks w
LEFT JOIN found f ON f.environment = w.environment AND f.service = w.service AND f.week = w.week
LEFT JOIN begun b ON b.environment = w.environment AND b.service = w.service AND b.week = w.week
LEFT JOIN ended e ON e.environment = w.environment AND e.service = w.service AND e.week = w.week
