-- What a run counts over its incidents, and the runs that analysed them.
SELECT coalesce(collect_set(analysed_in), []) AS runs, count(*) AS incidents,
       count(DISTINCT row(environment, service, host)) AS hosts, count(*) FILTER (analysed_in = run) AS analysed,
       count(*) FILTER (status = 'failed') AS failed, CAST(coalesce(sum(files), 0) AS bigint) AS files,
       CAST(coalesce(sum(bytes), 0) AS bigint) AS bytes
FROM current_incidents
