-- Instances far from the median of their group, by statistics that the outliers themselves cannot move. What is far, and in
-- how many instances, is said by the limits of the rule.
WITH instances_of_group AS (
    -- A JVM can have several consumers of a group: they are one instance.
    SELECT environment, consumer_group, service, host, CAST(sum(messages) AS double) AS messages, CAST(max(lag) AS double) AS lag,
           CAST(sum(body_bytes) AS double) AS body_bytes, CAST(sum(retained_bytes) AS double) AS retained_bytes
    FROM latest_consumers GROUP BY environment, consumer_group, service, host
), metrics AS (
    -- What is compared, each with the deviation below which a difference does not matter (a limit of the rule).
    SELECT environment, consumer_group, service, host, metric, value, least
    FROM instances_of_group, LATERAL (VALUES
        ('messages', messages, getvariable('outlier-instance.messages')),
        ('body_bytes', body_bytes, getvariable('outlier-instance.body_bytes')),
        ('retained_bytes', retained_bytes, getvariable('outlier-instance.retained_bytes')),
        ('lag', lag, getvariable('outlier-instance.lag'))) AS compared(metric, value, least)
), centred AS (
    SELECT *, median(value) OVER of_metric AS median, count(*) OVER of_metric AS instances
    FROM metrics WHERE value IS NOT NULL
    WINDOW of_metric AS (PARTITION BY environment, consumer_group, metric)
), spread AS (
    SELECT *, median(abs(value - median)) OVER (PARTITION BY environment, consumer_group, metric) AS deviation
    FROM centred WHERE instances >= getvariable('outlier-instance.instances')
), scored AS (
    -- 1.4826 makes a standard deviation of a median absolute deviation, for a normal distribution. A tenth of the median
    -- is the least: instances that all hold the same must not make one more an outlier.
    SELECT *, (value - median) / greatest(deviation * 1.4826, abs(median) * 0.1, least) AS score FROM spread
)
SELECT environment, consumer_group, service, host, metric, value, median, deviation, score, instances
FROM scored WHERE abs(score) >= getvariable('outlier-instance.score')
ORDER BY abs(score) DESC, consumer_group, host, metric
