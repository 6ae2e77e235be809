-- Which texts are there several times: copies, and the bytes of their String objects without the array.
SELECT text, count(*) AS copies, count(DISTINCT value) AS arrays, sum(shallow) AS shallow
FROM strings
WHERE count > 1
GROUP BY text
ORDER BY copies DESC, text
LIMIT 50
