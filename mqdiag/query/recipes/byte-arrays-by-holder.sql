-- Whose byte arrays are they: class and field that refer to them.
SELECT from_class AS holder, field, count(*) AS arrays, sum(to_shallow) AS bytes
FROM refs
WHERE to_class = 'byte[]'
GROUP BY from_class, field
ORDER BY bytes DESC, holder, field
LIMIT 50
