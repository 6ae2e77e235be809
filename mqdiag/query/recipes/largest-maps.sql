-- The hash maps with most entries.
SELECT address(id) AS id, class, size, capacity, retained
FROM maps
ORDER BY size DESC, maps.id
LIMIT 50
