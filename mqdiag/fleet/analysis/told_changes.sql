-- The changes since the earlier run, what is new first: the gravest, then those that most services and hosts have. Of what a
-- new fault shares with other hosts the trait of most services is told; what many hosts share without any fault, last.
WITH of_fault AS (
    SELECT DISTINCT t.environment, t.service, t.rule, t.cause, coalesce(t.consumer_group, '') AS consumer_group, kind, value,
           c.services AS shared_services, c.hosts AS shared_hosts, specificity
    FROM shared_traits t JOIN common_traits c USING (rule, cause, kind, value)
), best AS (
    SELECT *, row_number() OVER (PARTITION BY environment, service, rule, cause, consumer_group
                                 ORDER BY kind = 'library', shared_services DESC, shared_hosts DESC, specificity, value) AS place
    FROM of_fault
)
SELECT c.*, b.kind AS shared, b.value AS shared_value, b.shared_services, b.shared_hosts
FROM changes c
LEFT JOIN best b ON place = 1 AND c.kind = 'regression' AND b.environment = c.environment AND b.service = c.service
  AND b.rule = c.rule AND b.cause = c.cause AND b.consumer_group = c.consumer_group
ORDER BY c.kind DESC, rank, coalesce(shared_services, 1) DESC, hosts DESC, c.environment, c.service, c.rule, c.cause, c.consumer_group
