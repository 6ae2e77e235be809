-- RocketMQ messages that a listener began with first.
SELECT address(messages.id) AS id, topic, queue_id, queue_offset, keys, epoch_ms(captured_at) - epoch_ms(started_at) AS age_ms
FROM messages, dump
WHERE started_at IS NOT NULL
ORDER BY age_ms DESC, messages.id
LIMIT 50
