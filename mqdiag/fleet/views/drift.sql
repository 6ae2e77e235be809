-- What instances of one consumer group have that should be the same, and differs: a row for each of the values.
-- `kind` is setting, version or subscription; `version` is the client version that a setting is compared within, and
-- empty for settings with the same default in every client since 3.2.6.
WITH entries AS (
    SELECT environment, consumer_group, service, host, client_version, settings,
           explode(map_entries(settings)) AS entry
    FROM latest_consumers
), each_setting AS (
    SELECT environment, consumer_group, service, host, entry.key AS key, entry.value AS value,
           CASE WHEN entry.key IN (
               'consumeConcurrentlyMaxSpan', 'consumeFromWhere', 'consumeMessageBatchMaxSize', 'consumeThreadMin',
               'consumeTimeout', 'maxReconsumeTimes', 'messageModel', 'pullBatchSize', 'pullInterval',
               'pullThresholdForQueue', 'pullThresholdForTopic', 'pullThresholdSizeForQueue',
               'pullThresholdSizeForTopic') THEN '' ELSE coalesce(client_version, '?') END AS version
    FROM entries
    -- These differ from instance to instance by their nature; name servers may be listed in any order.
    WHERE entry.key NOT IN ('clientIP', 'consumeTimestamp', 'consumerGroup', 'instanceName', 'namesrvAddr', 'unitName')
    -- RebalancePushImpl divides the threshold of a topic by the assigned queues: these differ where that is set.
      AND NOT (entry.key = 'pullThresholdForQueue'
               AND coalesce(try_cast(settings['pullThresholdForTopic'] AS bigint), -1) > 0)
      AND NOT (entry.key = 'pullThresholdSizeForQueue'
               AND coalesce(try_cast(settings['pullThresholdSizeForTopic'] AS bigint), -1) > 0)
), compared AS (
    SELECT 'setting' AS kind, environment, consumer_group, service, host, key, value, version FROM each_setting
    UNION ALL
    SELECT 'version', environment, consumer_group, service, host, 'client_version', client_version, ''
    FROM latest_consumers WHERE client_version IS NOT NULL
    UNION ALL
    SELECT 'subscription', environment, consumer_group, service, host, 'subscriptions',
           array_join(array_sort(subscriptions), ', '), ''
    FROM latest_consumers WHERE size(subscriptions) > 0
), differing AS (
    SELECT kind, environment, consumer_group, key, version
    FROM (SELECT DISTINCT kind, environment, consumer_group, key, version, value FROM compared)
    GROUP BY kind, environment, consumer_group, key, version HAVING count(*) > 1
)
SELECT c.kind, c.environment, c.consumer_group, c.key, c.version, c.value, count(*) AS instances,
       slice(array_sort(collect_set(concat_ws('/', c.service, c.host))), 1, 5) AS hosts,
       array_sort(collect_set(c.service)) AS services
FROM compared c
JOIN differing d
  ON d.kind = c.kind AND d.environment = c.environment AND d.consumer_group = c.consumer_group AND d.key = c.key
  AND d.version = c.version
GROUP BY c.kind, c.environment, c.consumer_group, c.key, c.version, c.value
