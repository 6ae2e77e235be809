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
), of_value AS (
    SELECT kind, environment, consumer_group, key, version, value, count(*) AS instances,
           slice(array_sort(collect_set(concat_ws('/', service, host))), 1, 5) AS hosts
    FROM compared GROUP BY kind, environment, consumer_group, key, version, value
), counted AS (
    SELECT *, count(*) OVER (PARTITION BY kind, environment, consumer_group, key, version) AS different_values
    FROM of_value
)
SELECT kind, environment, consumer_group, key, version, value, instances, hosts FROM counted WHERE different_values > 1
