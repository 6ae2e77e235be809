-- What a run counts over its incidents, and the runs that analysed them.
SELECT collect_set(analysed_in) AS runs, count(*) AS incidents, count(DISTINCT environment, service, host) AS hosts,
       count_if(analysed_in = run) AS analysed, count_if(status = 'failed') AS failed,
       coalesce(sum(files), 0) AS files, coalesce(sum(bytes), 0) AS bytes
FROM current_incidents
