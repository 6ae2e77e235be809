-- Classes that several loaders have loaded.
SELECT class, count(*) AS loaders, sum(instances) AS instances, sum(shallow) AS shallow
FROM classes
WHERE class NOT LIKE '%[]'
GROUP BY class
HAVING count(*) > 1
ORDER BY loaders DESC, class
LIMIT 50
