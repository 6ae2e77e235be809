-- What the thresholds of each consumer group allow against the heaps of its instances. Consumers of a group in one JVM
-- share its heap, so their bounds are added. `headroom_bytes_least` is negative where they allow more than the heap.
WITH of_jvm AS (
    SELECT environment, consumer_group, service, host, max(heap_bytes) AS heap, CAST(sum(bound_bytes) AS bigint) AS bound,
           CAST(sum(body_bytes) AS bigint) AS held, min(threshold) AS least, max(threshold) AS most, CAST(sum(queues) AS bigint) AS queues
    FROM latest_consumers GROUP BY environment, consumer_group, service, host
)
SELECT environment, consumer_group, array_sort(collect_set(service)) AS services, count(*) AS instances,
       min(heap) AS heap_bytes_least, max(bound) AS bound_bytes_most, max(bound / heap) AS bound_share_most,
       min(heap - bound) AS headroom_bytes_least, max(held) AS held_bytes_most, min(least) AS threshold_least,
       max(most) AS threshold_most, max(queues) AS queues_most, CAST(sum(CASE WHEN bound > heap THEN 1 ELSE 0 END) AS bigint) AS over_heap
FROM of_jvm GROUP BY environment, consumer_group
