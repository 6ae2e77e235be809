-- Hash maps by class: how many are empty, and how full their tables are.
SELECT class, count(*) AS maps, count(*) FILTER (size = 0) AS empty, sum(size) AS entries,
    sum(capacity) AS capacity, round(sum(size) / nullif(sum(capacity), 0), 3) AS load, sum(retained) AS retained
FROM maps
GROUP BY class
ORDER BY maps DESC, class
