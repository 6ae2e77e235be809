-- Garbage: objects that no GC root reaches, by class.
SELECT class, count(*) AS objects, sum(shallow) AS shallow
FROM objects
WHERE NOT reachable
GROUP BY class
ORDER BY shallow DESC, class
LIMIT 50
