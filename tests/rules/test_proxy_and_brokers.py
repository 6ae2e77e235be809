"""What a proxy says of its brokers and clients: beside other logs, and where a dump leaves values out."""

from __future__ import annotations

import msgspec
import pytest

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogFile, LogsFacts
from mqdiag.facts.producers import RemotingFacts, SendingFacts
from mqdiag.findings import Confidence
from mqdiag.rules import proxy_broker_unreachable, proxy_output_waits
from tests.rules.checks import findings, heap_of, said, with_heap
from tests.rules.examples import example_of

PROXY = LogFile(path="proxy.log", kind="proxy", format="plain", bytes=1, lines=1000, event_lines=30)
CLIENT = msgspec.structs.replace(PROXY, path="rocketmq_client.log", kind="client")


@pytest.mark.parametrize(
    ("files", "confidence"),
    [
        ((PROXY,), Confidence.HIGH),
        ((PROXY, CLIENT), Confidence.MEDIUM),
        ((CLIENT,), None),
    ],
)
def test_lines_of_the_proxy_beside_those_of_clients(
    files: tuple[LogFile, ...], confidence: Confidence | None
) -> None:
    refused = LogEvent(
        kind="broker-not-connected",
        count=30,
        first="2026-11-21T20:00:00",
        last="2026-11-21T20:05:00",
        files=tuple(file.path for file in files),
    )
    found = findings(proxy_broker_unreachable, Facts(logs=LogsFacts(files=files, events=(refused,))))
    assert [one.confidence for one in found] == ([] if confidence is None else [confidence])
    assert all(bool(one.confidence_reason.template) == (confidence is Confidence.MEDIUM) for one in found)


@pytest.mark.parametrize(
    ("channels", "told"), [((0, 0), True), ((0, None), False), ((0, 1), False), ((), False)]
)
def test_no_connection_is_told_only_where_all_are_known(channels: tuple[int | None, ...], told: bool) -> None:
    remoting = tuple(RemotingFacts(in_flight=0, overdue=0, channels=1, broker_channels=one) for one in channels)
    facts = with_heap(example_of(proxy_broker_unreachable).silent(), sending=SendingFacts(remoting=remoting))
    assert [one.cause for one in findings(proxy_broker_unreachable, facts)] == ["not-connected"] * told


@pytest.mark.parametrize("missing", ["chunk_bytes", "used_bytes", "unsent_bytes"])
def test_memory_of_netty_that_is_not_known_is_not_told(missing: str) -> None:
    facts = example_of(proxy_output_waits).fires()
    proxy = heap_of(facts).proxy
    assert proxy is not None
    assert proxy.netty is not None
    netty = msgspec.structs.replace(proxy.netty, **{missing: None})
    changed = with_heap(facts, proxy=msgspec.structs.replace(proxy, netty=netty))
    found = findings(proxy_output_waits, changed)
    assert bool(found) == (missing != "unsent_bytes")
    assert not any("Netty has" in said(one) for one in found)
