"""What stands beside the JVMs: sessions of databases and their waits, and services behind gateways."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from mqdiag.facts.services import ServicesFacts, Upstream
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import AnyPart, Column, Section, Table
from mqdiag.text import say

_ROWS = (20, 2000)


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
        yield Table(
            name="database-sessions",
            caption=say("Sessions that are in a transaction or wait"),
            columns=(
                Column(say("session"), of="pid", number=True),
                Column(say("database"), of="server"),
                Column(say("name"), of="database", none=say("unknown"), wide=True),
                Column(say("state"), of="does", none=say("unknown")),
                Column(say("wait"), of="wait", none=say("none")),
                Column(say("transaction"), "ms", of="transaction_ms"),
                Column(say("client"), of="client", none=say("unknown")),
                Column(say("port"), of="client_port", number=True),
                Column(say("waits for"), of="blocked_by", none=say("none")),
            ),
            rows_of=told,
            shown=_ROWS,
        )
    if services.lock_waits:
        yield Table(
            name="lock-waits",
            caption=say("Waits for locks, by the database's log"),
            columns=(
                Column(say("session"), of="waiter", number=True),
                Column(say("waits for"), of="holders", none=say("unknown")),
                Column(say("lock"), of="of", none=say("unknown")),
                Column(say("mode"), of="mode", none=say("unknown"), wide=True),
                Column(say("for"), "ms", of="waited_ms"),
                Column(say("since"), "time", of="first"),
            ),
            rows_of=services.lock_waits,
            shown=_ROWS,
        )
    if services.database_events:
        yield Table(
            name="database-events",
            caption=say("Trouble that the database logged"),
            columns=(
                Column(say("what"), of="kind"),
                Column(say("lines"), "count", of="lines"),
                Column(say("sessions"), of="sessions", none=say("unknown")),
                Column(say("first"), "time", of="first"),
                Column(say("last"), "time", of="last"),
            ),
            rows_of=services.database_events,
            shown=_ROWS,
        )


def _gateways(services: ServicesFacts) -> Iterator[AnyPart]:
    if services.upstreams:
        yield Table(
            name="upstreams",
            caption=say("Services behind gateways, by access logs"),
            columns=(
                Column(say("service"), of="service", none=say("none")),
                Column(say("host"), of="host", none=say("unknown")),
                Column(say("gateway"), of="gateway"),
                Column(say("path"), of="path", none=say("unknown")),
                Column(say("requests"), "count", of="requests"),
                Column(say("statuses"), of=_statuses),
                Column(say("median"), "ms", of="median_ms"),
                Column(say("90 %"), "ms", of="most_ms"),
                Column(say("longest"), "ms", of="longest_ms"),
            ),
            rows_of=services.upstreams,
            shown=_ROWS,
        )


def _peers(services: ServicesFacts) -> Iterator[AnyPart]:
    """Where the processes are connected to; the other way round a server would be listed with each client."""
    rows = Counter((one.pid, one.program, f"{one.remote}:{one.remote_port}") for one in services.sockets)
    if rows:
        yield Table(
            name="connections",
            caption=say("Connections, by process"),
            columns=(
                Column(say("process"), number=True),
                Column(say("program")),
                Column(say("to")),
                Column(say("connections"), "count"),
            ),
            rows=tuple((*key, count) for key, count in rows.most_common()),
            shown=_ROWS,
        )


def _statuses(upstream: Upstream) -> str:
    return ", ".join(f"{status}: {count}" for status, count in upstream.statuses.items())
