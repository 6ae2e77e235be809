"""What a run has of each single service, one service after the other: the driver never holds those of all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from mqdiag.facts.fleet import FleetFacts, FleetFailure, HostState, ServiceState
from mqdiag.findings import Finding
from mqdiag.fleet.analysis.gather import lone_finding, lost_file, plain_fact
from mqdiag.fleet.analysis.picture import Picture
from mqdiag.fleet.analysis.view import view

SERVICE = ("environment", "service")
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
    found = now.open_findings
    states = view("host_states", current_incidents=now.incidents, unrefuted_findings=found)
    hosts = _Rows(states, F.desc("errors"), F.desc("warnings"), "host")
    faults = view("service_faults", unrefuted_findings=found)
    findings = _Rows(faults, "rank", F.desc("hosts"), "rule", "cause", "consumer_group")
    failures = _Rows(now.failures, "host", "path")
    checked = _Rows(now.incidents.select(*SERVICE, F.explode("checked").alias("rule")).distinct(), "rule")
    for state in sorted(facts.services, key=lambda state: (state.environment, state.service)):
        key = (state.environment, state.service)
        yield OneService(
            state=state,
            hosts=tuple(plain_fact(row, HostState) for row in hosts.of(key)),
            findings=tuple(lone_finding(row) for row in findings.of(key)),
            failures=tuple(lost_file(row) for row in failures.of(key)),
            checked=tuple(row["rule"] for row in checked.of(key)),
        )


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
