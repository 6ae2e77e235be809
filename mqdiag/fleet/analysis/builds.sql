-- The build of each incident that has one: a label of that meaning, else what a roll-out changes in the name of a pod.
SELECT incident, environment, service,
       coalesce(labels['build'], labels['version'], labels['release'], labels['image'], revision) AS build
FROM current_incidents
WHERE coalesce(labels['build'], labels['version'], labels['release'], labels['image'], revision) IS NOT NULL
