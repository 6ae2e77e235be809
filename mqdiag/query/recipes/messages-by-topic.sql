-- RocketMQ messages by topic: how many, and how large.
SELECT topic, count(*) AS messages, sum(body_bytes) AS body_bytes, max(body_bytes) AS largest,
    count(*) FILTER (reconsume_times > 0) AS redelivered
FROM messages
GROUP BY topic
ORDER BY body_bytes DESC, topic
