-- What consumers of a group differ in: each setting, client version or subscription with its values, the commonest first.
SELECT kind, environment, consumer_group, key, sum(instances) AS instances,
       sort_array(collect_list(struct(instances, value, hosts)), false) AS `values`
FROM drift GROUP BY kind, environment, consumer_group, key, version
ORDER BY kind, instances DESC, environment, consumer_group, key
