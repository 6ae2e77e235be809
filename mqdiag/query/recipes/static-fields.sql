-- What static fields hold, largest first.
SELECT class, field, address(to_id) AS id, to_class AS type, retained
FROM statics
ORDER BY retained DESC, to_id, class, field
LIMIT 50
