-- What nothing else keeps alive, by class: the first level of the dominator tree.
SELECT class, count(*) AS objects, sum(retained) AS retained
FROM objects
WHERE reachable AND dominator IS NULL
GROUP BY class
ORDER BY retained DESC, class
LIMIT 50
