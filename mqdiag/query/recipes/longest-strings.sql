-- The longest strings.
SELECT address(id) AS id, length, retained, left(text, 80) AS text
FROM strings
ORDER BY length DESC, strings.id
LIMIT 50
