-- What one object refers to, with texts and retained bytes.
-- $id: of the object, such as 0xfe0051b8
SELECT field, address(to_id) AS id, to_class AS class, retained_of(to_id) AS retained, text(to_id) AS text
FROM refs
WHERE from_id = $id::UBIGINT
ORDER BY retained DESC, to_id, field
