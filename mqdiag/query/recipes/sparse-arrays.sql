-- Object arrays of 16 elements and more that are less than a quarter full.
SELECT class, count(*) AS arrays, sum(length) AS elements, sum(filled) AS filled, sum(shallow) AS shallow
FROM arrays
WHERE filled IS NOT NULL AND length >= 16 AND 4 * filled < length
GROUP BY class
ORDER BY shallow DESC, class
LIMIT 50
