-- Client versions with which a fault is commoner than chance makes it, by the one-sided exact test of Fisher (The Design of
-- Experiments, 1935, section 11): how likely so many or more of the faulty are among those with the version, if the version
-- has nothing to do with it. Hosts of one service share all else too, so they are compared with each other where the service
-- runs several versions, and else count as one. The chance is multiplied by the number of versions (Bonferroni).
WITH faulty AS (
    SELECT DISTINCT environment, service, host, rule, cause, version
    FROM unrefuted_findings JOIN host_versions USING (environment, service, host)
), rolling AS (
    SELECT environment, service FROM host_versions GROUP BY environment, service HAVING count(DISTINCT version) > 1
), units AS (
    SELECT 'host' AS unit, environment, service, host, version FROM host_versions SEMI JOIN rolling USING (environment, service)
    UNION ALL
    SELECT DISTINCT 'service', environment, service, '', version FROM host_versions
), faulty_units AS (
    SELECT 'host' AS unit, rule, cause, environment, service, host, version
    FROM faulty SEMI JOIN rolling USING (environment, service)
    UNION ALL
    SELECT DISTINCT 'service', rule, cause, environment, service, '', version FROM faulty
), of_version AS (
    SELECT unit, version, count(*) AS with_version, CAST(sum(count(*)) OVER (PARTITION BY unit) AS bigint) AS all_units,
           count(*) OVER (PARTITION BY unit) AS versions
    FROM units GROUP BY unit, version
), drawn AS (
    SELECT unit, rule, cause, version, count(*) AS met, CAST(sum(count(*)) OVER (PARTITION BY unit, rule, cause) AS bigint) AS with_fault
    FROM faulty_units GROUP BY unit, rule, cause, version
), tested AS (
    -- The hypergeometric distribution: ways to choose the faulty with k of the version, of all ways; lgamma(n + 1) is ln(n!).
    SELECT rule, cause, version, versions * list_sum(list_transform(
               range(met, least(with_version, with_fault) + 1), lambda k: exp(
               lgamma(with_version + 1) - lgamma(k + 1) - lgamma(with_version - k + 1)
               + lgamma(all_units - with_version + 1) - lgamma(with_fault - k + 1)
               - lgamma(all_units - with_version - with_fault + k + 1)
               - lgamma(all_units + 1) + lgamma(with_fault + 1) + lgamma(all_units - with_fault + 1)))) AS chance
    FROM drawn JOIN of_version USING (unit, version)
), of_hosts AS (
    SELECT version, count(*) AS trait_hosts, CAST(sum(count(*)) OVER () AS bigint) AS all_hosts FROM host_versions GROUP BY version
), faulty_hosts AS (
    SELECT rule, cause, version, count(*) AS met, CAST(sum(count(*)) OVER (PARTITION BY rule, cause) AS bigint) AS with_fault
    FROM faulty GROUP BY rule, cause, version
)
SELECT rule, cause, version, min(chance) AS chance, any_value(trait_hosts) AS trait_hosts,
       any_value(all_hosts - trait_hosts) AS other_hosts, any_value(with_fault - met) AS other_fault_hosts
FROM tested JOIN faulty_hosts USING (rule, cause, version) JOIN of_hosts USING (version)
WHERE chance <= getvariable('common-cause.chance') GROUP BY rule, cause, version
