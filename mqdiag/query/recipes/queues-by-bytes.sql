-- RocketMQ queues by the bytes of the messages that they hold.
SELECT consumer_group, topic, broker, queue_id, messages, body_bytes, lag, oldest_consume_age_ms
FROM queues
ORDER BY body_bytes DESC, messages DESC, consumer_group, topic, broker, queue_id, queues.id
LIMIT 50
