-- Which classes take most: objects, their own bytes, and what they retain.
SELECT class, sum(instances) AS instances, sum(shallow) AS shallow, sum(retained) AS retained
FROM classes
GROUP BY class
ORDER BY shallow DESC, class
LIMIT 50
