"""What stands beside the JVMs: sessions of databases and their waits, and services behind gateways."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from mqdiag.facts.services import ServicesFacts, Upstream
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import AnyPart, Section
from mqdiag.render.tables import Tables
from mqdiag.text import say

TABLES = Tables("services")


def services_section(report: Report, view: View) -> Iterator[Section]:
    """Nothing of what was not given."""
    services = report.services
    if services is None:
        return
    parts = [*_databases(services), *_gateways(services), *_peers(services)]
    if parts:
        yield Section(name="services", title=say("Databases and gateways"), parts=parts)


def _databases(services: ServicesFacts) -> Iterator[AnyPart]:
    told = [one for one in services.sessions if one.does not in (None, "idle") or one.blocked_by]
    if told:
        yield TABLES.table("database-sessions", told)
    if services.lock_waits:
        yield TABLES.table("lock-waits", services.lock_waits)
    if services.database_events:
        yield TABLES.table("database-events", services.database_events)


def _gateways(services: ServicesFacts) -> Iterator[AnyPart]:
    if services.upstreams:
        yield TABLES.table("upstreams", services.upstreams, statuses=_statuses)


def _peers(services: ServicesFacts) -> Iterator[AnyPart]:
    """Where the processes are connected to; the other way round a server would be listed with each client."""
    rows = Counter((one.pid, one.program, f"{one.remote}:{one.remote_port}") for one in services.sockets)
    if rows:
        yield TABLES.table("connections", rows=tuple((*key, count) for key, count in rows.most_common()))


def _statuses(upstream: Upstream) -> str:
    return ", ".join(f"{status}: {count}" for status, count in upstream.statuses.items())
