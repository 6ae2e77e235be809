-- Who refers to the objects of a class: by class and field.
-- $class: full name of the class
SELECT from_class AS holder, field, count(*) AS refs, count(DISTINCT to_id) AS objects
FROM refs
WHERE to_class = $class
GROUP BY from_class, field
ORDER BY refs DESC, holder, field
LIMIT 50
