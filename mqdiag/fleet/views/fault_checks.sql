-- Each fault of a host at each of its incidents that could show it: `shown` is 1 where it did and 0 where it did not,
-- `shown_before` the same of the incident before. A fault is a rule, a cause and a consumer group ('' for none). Of a pod that is
-- gone the later incidents of its workload count, that show the fault or could show it, as ones that did not show it on the pod.
-- Of incidents of one time the one that shows the fault counts as the last: nothing tells that it was over.
WITH history_findings AS (
    SELECT DISTINCT h.environment, h.service, h.host, h.replica, h.incident, f.rule, f.cause, f.severity_rank,
           coalesce(f.consumer_group, '') AS consumer_group, coalesce(f.shown_by, split(f.rule, '/')) AS shown_by
    FROM findings f JOIN evidence_history h ON f.incident = h.incident AND f.run = h.analysed_in
    WHERE h.window_start IS NOT NULL
), shown_at AS (
    SELECT environment, service, host, incident, rule, cause, consumer_group, min(severity_rank) AS severity_rank
    FROM history_findings GROUP BY environment, service, host, incident, rule, cause, consumer_group
), faults AS (
    SELECT DISTINCT f.environment, f.service, f.host, f.replica, f.rule, f.cause, f.consumer_group, f.shown_by, g.gone_at
    FROM history_findings f
    LEFT JOIN gone_history g ON g.environment = f.environment AND g.service = f.service AND g.host = f.host
), shown AS (
    SELECT DISTINCT f.environment, f.service, f.host, f.replica, f.rule, f.cause, f.consumer_group, e.incident, e.window_start,
           CASE WHEN e.host = f.host THEN h.severity_rank END AS severity_rank,
           CASE WHEN h.incident IS NOT NULL AND e.host = f.host THEN 1 ELSE 0 END AS shown,
           coalesce(e.labels['build'], e.labels['version'], e.labels['release'], e.labels['image'], e.revision) AS build
    FROM faults f
    JOIN evidence_history e ON e.environment = f.environment AND e.service = f.service AND e.replica = f.replica
    LEFT JOIN shown_at h
      ON h.incident = e.incident AND h.environment = e.environment AND h.service = e.service AND h.host = e.host
      AND h.rule = f.rule AND h.cause = f.cause AND h.consumer_group = f.consumer_group
    WHERE e.window_start IS NOT NULL AND (e.host = f.host OR e.window_start >= f.gone_at)
      AND (h.incident IS NOT NULL OR arrays_overlap(e.refutes, f.shown_by))
)
SELECT *, lag(shown) OVER (PARTITION BY environment, service, host, rule, cause, consumer_group
                           ORDER BY window_start, shown, incident) AS shown_before
FROM shown
