-- The capacity of consumer groups, the least headroom first; groups whose heaps or thresholds are unknown come last.
SELECT *, over_heap AS "over" FROM capacity
ORDER BY bound_share_most DESC NULLS LAST, held_bytes_most DESC NULLS LAST, environment, consumer_group
