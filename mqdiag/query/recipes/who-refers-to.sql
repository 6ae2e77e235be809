-- Who refers to one object.
-- $id: of the object, such as 0xfe0051b8
SELECT address(from_id) AS id, from_class AS class, field, retained_of(from_id) AS retained
FROM refs
WHERE to_id = $id::UBIGINT
ORDER BY retained DESC, from_id, field
