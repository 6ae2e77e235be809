-- Sessions of Tomcat that nobody has used for an hour.
SELECT address(object_id) AS id, text(s.id) AS session, (epoch_ms(captured_at) - lastAccessedTime) // 60000 AS idle_minutes,
    retained
FROM "org.apache.catalina.session.StandardSession" AS s, dump
WHERE epoch_ms(captured_at) - lastAccessedTime > 3600000
ORDER BY idle_minutes DESC, object_id
