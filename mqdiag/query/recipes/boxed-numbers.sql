-- Boxed numbers and truths.
SELECT class, sum(instances) AS instances, sum(shallow) AS shallow
FROM classes
WHERE class IN ('java.lang.Boolean', 'java.lang.Byte', 'java.lang.Character', 'java.lang.Double', 'java.lang.Float',
    'java.lang.Integer', 'java.lang.Long', 'java.lang.Short')
GROUP BY class
ORDER BY shallow DESC, class
