-- What keeps one object alive: its dominator, the dominator of that, and so on.
-- $id: of the object, such as 0xfe0051b8
WITH RECURSIVE above AS (
    SELECT 0 AS step, $id::UBIGINT AS id
    UNION ALL
    SELECT step + 1, dominator_of(id)
    FROM above
    WHERE dominator_of(id) IS NOT NULL AND step < 100
)
SELECT step, address(above.id) AS id, class_of(above.id) AS class, retained_of(above.id) AS retained
FROM above
ORDER BY step
