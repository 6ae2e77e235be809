-- Class loaders: their classes, and the objects of these.
SELECT address(loader) AS id, class_of(loader) AS class, count(*) AS classes, sum(instances) AS instances,
    retained_of(loader) AS retained
FROM classes
WHERE loader IS NOT NULL
GROUP BY loader
ORDER BY classes DESC, loader
