-- What static fields hold, largest first.
SELECT c.class, r.field, address(r.to_id) AS id, r.to_class AS type, retained_of(r.to_id) AS retained
FROM refs AS r JOIN classes AS c ON c.id = r.from_id
WHERE r.from_class = 'java.lang.Class' AND r.field NOT IN ('superclass', 'class loader', 'signers', 'protection domain')
ORDER BY retained DESC, r.to_id, c.class, r.field
LIMIT 50
