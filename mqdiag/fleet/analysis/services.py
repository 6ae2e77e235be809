"""What a run has of each single service, one service after the other: the driver never holds those of all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from mqdiag.facts.fleet import FleetFacts, FleetFailure, HostState, ServiceState
from mqdiag.findings import Finding
from mqdiag.fleet.analysis.causes import lone_faults
from mqdiag.fleet.analysis.changes import SERVICE
from mqdiag.fleet.analysis.gather import lone_finding, lost_file, plain_fact
from mqdiag.fleet.analysis.open_findings import HOST, open_findings
from mqdiag.fleet.analysis.picture import Picture

_Key = tuple[str, str]


class OneService(msgspec.Struct, frozen=True, kw_only=True):
    """What its own report tells of a service."""

    state: ServiceState
    hosts: tuple[HostState, ...]
    """the worst first"""
    findings: tuple[Finding, ...]
    """one for each open fault, the worst first"""
    failures: tuple[FleetFailure, ...]
    checked: tuple[str, ...]
    """rules that ran to their end in any of its incidents"""


def each_service(now: Picture, facts: FleetFacts) -> Iterator[OneService]:
    """The services of a report, ordered by environment and name.

    Args:
        now: the run.
        facts: its facts, with the services.
    """
    findings = open_findings(now.table("findings"), now.incidents).persist()
    hosts = _Rows(host_states(now.incidents, findings), F.desc("errors"), F.desc("warnings"), "host")
    faults = _Rows(lone_faults(findings), "rank", F.desc("hosts"), "rule", "cause", "consumer_group")
    failures = _Rows(now.table("failures"), "host", "path")
    checked = _Rows(now.incidents.select(*SERVICE, F.explode("checked").alias("rule")).distinct(), "rule")
    for state in sorted(facts.services, key=lambda state: (state.environment, state.service)):
        key = (state.environment, state.service)
        yield OneService(
            state=state,
            hosts=tuple(_host(row) for row in hosts.of(key)),
            findings=tuple(lone_finding(row) for row in faults.of(key)),
            failures=tuple(lost_file(row) for row in failures.of(key)),
            checked=tuple(row["rule"] for row in checked.of(key)),
        )


def host_states(incidents: DataFrame, findings: DataFrame) -> DataFrame:
    """One row for each host.

    Args:
        incidents: of the run.
        findings: those of them that are open.

    Returns:
        environment, service, host, incidents, failed, errors, warnings and latest_evidence, which is RFC 3339 in UTC.
    """
    seen = incidents.groupBy(*HOST).agg(
        F.count("*").alias("incidents"),
        F.count_if(F.col("status") == "failed").alias("failed"),
        F.date_format(F.max("window_start"), "yyyy-MM-dd'T'HH:mm:ssXXX").alias("latest_evidence"),
    )
    found = findings.groupBy(*HOST).agg(
        F.count_if(F.col("severity") == "error").alias("errors"),
        F.count_if(F.col("severity") == "warning").alias("warnings"),
    )
    return seen.join(found, list(HOST), "left").fillna(0, ["errors", "warnings"])


class _Rows:
    """Rows of a frame, given service by service in the order of the services.

    Args:
        frame: with environment and service.
        order: of the rows of a service.
    """

    def __init__(self, frame: DataFrame, *order: Column | str) -> None:
        rows = frame.orderBy(*SERVICE, *order).toLocalIterator()
        self._rows = (row.asDict(recursive=True) for row in rows)
        self._next: Mapping[str, Any] | None = next(self._rows, None)

    def of(self, key: _Key) -> Iterator[Mapping[str, Any]]:
        """The rows of a service; those of services before it that nobody asked for are left out."""
        while self._next is not None and self._key(self._next) <= key:
            row, self._next = self._next, next(self._rows, None)
            if self._key(row) == key:
                yield row

    @staticmethod
    def _key(row: Mapping[str, Any]) -> _Key:
        return row["environment"], row["service"]


def _host(row: Mapping[str, Any]) -> HostState:
    return plain_fact(row, HostState)
