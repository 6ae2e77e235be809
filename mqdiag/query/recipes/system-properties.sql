-- Values of the system properties.
SELECT text(key) AS name, text(value) AS value
FROM entries
WHERE map IN (
    SELECT to_id FROM refs WHERE field = 'props' AND from_id IN (SELECT id FROM classes WHERE class = 'java.lang.System')
)
ORDER BY name
