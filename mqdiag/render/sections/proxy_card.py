"""The proxy of a heap dump, and the Raft groups that its process is a member of."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.servers import ProxyFacts
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import AnyPart, Fold, Pairs, Section
from mqdiag.render.tables import Tables
from mqdiag.text import Value, say

TABLES = Tables("proxy_card")


def proxy_section(report: Report, view: View) -> Iterator[Section]:
    """One section for the proxy of the dump."""
    if report.heap is not None and report.heap.proxy is not None:
        proxy = report.heap.proxy
        title = say("Proxy {name}", name=proxy.name) if proxy.name else say("Proxy")
        yield Section(name="proxy", title=title, parts=[*_parts(proxy)])


def _parts(proxy: ProxyFacts) -> Iterator[AnyPart]:
    yield Pairs(TABLES.pairs("card", proxy))
    if proxy.handle_owners:
        yield TABLES.table("proxy-handles", proxy.handle_owners)
    if proxy.netty is not None and proxy.netty.unsent:
        yield TABLES.table("proxy-output", proxy.netty.unsent)
    if any(pool.active or pool.waiting for pool in proxy.pools):
        yield TABLES.table("proxy-pools", proxy.pools)
    if len(proxy.client_processes) > 1:
        yield TABLES.table("proxy-clients", proxy.client_processes)
    if proxy.config:
        pairs: list[tuple[str, Value]] = [(key, value) for key, value in sorted(proxy.config.items())]
        yield Fold(say("{name} in force", name="ProxyConfig"), (Pairs(pairs),), wide=True)


def raft_section(report: Report, view: View) -> Iterator[Section]:
    """One row for each group."""
    if report.heap is not None and report.heap.raft_members:
        yield Section(
            name="raft",
            title=say("Raft groups"),
            parts=(TABLES.table("raft-groups", report.heap.raft_members),),
        )
