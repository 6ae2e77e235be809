-- Which single objects retain most.
SELECT address(id) AS id, class, shallow, retained, left(text(id), 80) AS text
FROM (FROM objects SELECT id, class, shallow, retained ORDER BY retained DESC, id LIMIT 50)
ORDER BY retained DESC, id
