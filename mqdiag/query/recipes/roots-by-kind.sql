-- GC roots by kind.
SELECT kind, count(*) AS roots, count(DISTINCT roots.id) AS objects
FROM roots
GROUP BY kind
ORDER BY roots DESC, kind
