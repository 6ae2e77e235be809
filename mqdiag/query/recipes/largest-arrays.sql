-- The largest arrays, with the class that alone keeps each of them alive.
SELECT address(a.id) AS id, class, length, shallow, class_of(dominator_of(a.id)) AS dominator
FROM (FROM arrays SELECT id, class, length, shallow ORDER BY shallow DESC, id LIMIT 50) AS a
ORDER BY shallow DESC, a.id
