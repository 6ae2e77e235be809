-- What consumers of a group differ in: each setting, client version or subscription with its values, the commonest first.
SELECT kind, environment, consumer_group, key, CAST(sum(instances) AS bigint) AS instances,
       list_sort(list({'instances': instances, 'value': value, 'hosts': hosts}), 'DESC') AS "values"
FROM drift GROUP BY kind, environment, consumer_group, key, version
ORDER BY kind, instances DESC, environment, consumer_group, key
