-- What the local variables of the frames hold, largest first.
SELECT t.name AS thread, r.frame, f.frame AS method, address(r.id) AS id, class_of(r.id) AS class,
    retained_of(r.id) AS retained
FROM roots AS r
JOIN threads AS t ON t.id = r.thread
LEFT JOIN frames AS f ON f.thread = r.thread AND f.depth = r.frame
ORDER BY retained DESC, r.id, t.name, r.frame
LIMIT 50
