"""The proxy of a heap dump, and the Raft groups that its process is a member of."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.servers import ProxyFacts
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import AnyPart, Fold, Pairs, Section
from mqdiag.render.tables import Tables
from mqdiag.text import Text, Value, say

TABLES = Tables("proxy_card")


def proxy_section(report: Report, view: View) -> Iterator[Section]:
    """One section for the proxy of the dump."""
    if report.heap is not None and report.heap.proxy is not None:
        proxy = report.heap.proxy
        title = say("Proxy {name}", name=proxy.name) if proxy.name else say("Proxy")
        yield Section(name="proxy", title=title, parts=[*_parts(proxy)])


def _parts(proxy: ProxyFacts) -> Iterator[AnyPart]:
    yield Pairs([*_card(proxy)])
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


def _card(proxy: ProxyFacts) -> Iterator[tuple[Text, Value]]:
    yield say("version"), proxy.version
    yield say("mode"), proxy.mode
    yield (
        say("gRPC clients"),
        say(
            "{clients:count}, over {connections:count} {connections:connection|connections} with {streams:count} open"
            " {streams:stream|streams}",
            clients=proxy.clients,
            connections=proxy.grpc_connections,
            streams=proxy.grpc_streams,
        ),
    )
    yield (
        say("receipt handles"),
        say(
            "{handles:count}, {retained:bytes} retained",
            handles=proxy.handles,
            retained=proxy.handles_retained_bytes,
        ),
    )
    if proxy.relayed:
        yield (
            say("relayed requests"),
            say(
                "{relayed:count}, the oldest for {oldest_ms:ms}",
                relayed=proxy.relayed,
                oldest_ms=proxy.oldest_relayed_ms,
            ),
        )
    if proxy.netty is not None and proxy.netty.chunk_bytes is not None and proxy.netty.used_bytes is not None:
        yield (
            say("buffers of Netty"),
            say(
                "{used_bytes:bytes} in use of {chunk_bytes:bytes} in {chunks:count} {chunks:chunk|chunks}",
                proxy.netty,
            ),
        )
    if proxy.netty is not None and proxy.netty.unsent_bytes:
        yield (
            say("waiting to be sent"),
            say(
                "{unsent_bytes:bytes}, with {unsent_streams:count} {unsent_streams:stream|streams} of HTTP/2",
                proxy.netty,
            ),
        )


def raft_section(report: Report, view: View) -> Iterator[Section]:
    """One row for each group."""
    if report.heap is not None and report.heap.raft_members:
        yield Section(
            name="raft",
            title=say("Raft groups"),
            parts=(TABLES.table("raft-groups", report.heap.raft_members),),
        )
