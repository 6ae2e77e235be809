"""The proxy of a heap dump, and the Raft groups that its process is a member of."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.servers import ProxyFacts
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import AnyPart, Column, Fold, Pairs, Section, Table
from mqdiag.text import Text, Value, say


def proxy_section(report: Report, view: View) -> Iterator[Section]:
    """One section for the proxy of the dump."""
    if report.heap is not None and report.heap.proxy is not None:
        proxy = report.heap.proxy
        title = say("Proxy {name}", name=proxy.name) if proxy.name else say("Proxy")
        yield Section(name="proxy", title=title, parts=[*_parts(proxy)])


def _parts(proxy: ProxyFacts) -> Iterator[AnyPart]:
    yield Pairs([*_card(proxy)])
    if proxy.handle_owners:
        yield Table(
            name="proxy-handles",
            caption=say("Messages not acknowledged"),
            columns=(
                Column(say("group"), of="group"),
                Column(say("client"), of="client_id"),
                Column(say("messages"), "count", of="handles"),
                Column(say("oldest"), "ms", of="oldest_ms"),
                Column(say("renewals"), "count", of="renewals"),
            ),
            rows_of=proxy.handle_owners,
            wide=True,
        )
    if proxy.netty is not None and proxy.netty.unsent:
        yield Table(
            name="proxy-output",
            caption=say("Answers that wait to be sent"),
            columns=(
                Column(say("client"), of="peer"),
                Column(say("waiting"), "bytes", of="unsent_bytes"),
            ),
            rows_of=proxy.netty.unsent,
            wide=True,
        )
    if any(pool.active or pool.waiting for pool in proxy.pools):
        yield Table(
            name="proxy-pools",
            caption=say("Threads that run requests"),
            columns=(
                Column(say("pool"), of="name"),
                Column(say("threads"), "count", of="threads"),
                Column(say("busy"), "count", of="active"),
                Column(say("in a wait"), "count", of="in_wait"),
                Column(say("requests waiting"), "count", of="waiting"),
            ),
            rows_of=proxy.pools,
            wide=True,
        )
    if len(proxy.client_processes) > 1:
        yield Table(
            name="proxy-clients",
            caption=say("Processes with the most gRPC clients"),
            columns=(Column(say("process"), of="process"), Column(say("clients"), "count", of="clients")),
            rows_of=proxy.client_processes,
            wide=True,
        )
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
                used_bytes=proxy.netty.used_bytes,
                chunk_bytes=proxy.netty.chunk_bytes,
                chunks=proxy.netty.chunks,
            ),
        )
    if proxy.netty is not None and proxy.netty.unsent_bytes:
        yield (
            say("waiting to be sent"),
            say(
                "{unsent_bytes:bytes}, with {unsent_streams:count} {unsent_streams:stream|streams} of HTTP/2",
                unsent_bytes=proxy.netty.unsent_bytes,
                unsent_streams=proxy.netty.unsent_streams,
            ),
        )


def raft_section(report: Report, view: View) -> Iterator[Section]:
    """One row for each group."""
    if report.heap is not None and report.heap.raft_members:
        yield Section(
            name="raft",
            title=say("Raft groups"),
            parts=(
                Table(
                    name="raft-groups",
                    columns=(
                        Column(say("group"), of="group"),
                        Column(say("library"), of="library"),
                        Column(say("member"), of="self_id"),
                        Column(say("state"), of="role", worded=True),
                        Column(say("leader"), of="leader_id", none=say("none")),
                        Column(say("term"), of="term", number=True),
                        Column(say("members"), "count", of="peers"),
                        Column(say("without leader"), "ms", of="without_leader_ms"),
                    ),
                    rows_of=report.heap.raft_members,
                ),
            ),
        )
