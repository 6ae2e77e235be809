-- The changes since the earlier run, what is new first: the gravest, then those that most services and hosts have. Of what a
-- new fault shares with other hosts the trait of most services is told; what many hosts share without any fault, last. A new
-- fault names the builds that have it, and those that its service had in the earlier run.
WITH of_fault AS (
    SELECT DISTINCT t.environment, t.service, t.rule, t.cause, coalesce(t.consumer_group, '') AS consumer_group, kind, value,
           c.services AS shared_services, c.hosts AS shared_hosts, specificity
    FROM shared_traits t JOIN common_traits c USING (rule, cause, kind, value)
), best AS (
    SELECT *, row_number() OVER (PARTITION BY environment, service, rule, cause, consumer_group
                                 ORDER BY kind = 'library', shared_services DESC, shared_hosts DESC, specificity, value) AS place
    FROM of_fault
), fault_builds AS (
    SELECT f.environment, f.service, rule, cause, coalesce(consumer_group, '') AS consumer_group, min(DISTINCT build, 3) AS builds
    FROM unrefuted_findings f JOIN builds b ON b.incident = f.incident GROUP BY ALL
), service_builds AS (
    SELECT environment, service, min(DISTINCT build, 3) AS earlier_builds FROM earlier_builds GROUP BY environment, service
)
SELECT c.*, fb.builds, CASE WHEN fb.builds IS NOT NULL THEN sb.earlier_builds END AS earlier_builds, b.kind AS shared, b.value AS shared_value, b.shared_services, b.shared_hosts
FROM changes c
LEFT JOIN best b ON place = 1 AND c.kind = 'regression' AND b.environment = c.environment AND b.service = c.service
  AND b.rule = c.rule AND b.cause = c.cause AND b.consumer_group = c.consumer_group
LEFT JOIN fault_builds fb ON c.kind = 'regression' AND fb.environment = c.environment AND fb.service = c.service
  AND fb.rule = c.rule AND fb.cause = c.cause AND fb.consumer_group = c.consumer_group
LEFT JOIN service_builds sb ON sb.environment = c.environment AND sb.service = c.service
ORDER BY c.kind DESC, rank, coalesce(shared_services, 1) DESC, hosts DESC, c.environment, c.service, c.rule, c.cause, c.consumer_group
