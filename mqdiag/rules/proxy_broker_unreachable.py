"""A proxy in cluster mode does not reach its brokers."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import structs

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.logs import LogEvent
from mqdiag.facts.producers import RemotingFacts, SendingFacts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.example_proxy import example
from mqdiag.rules.shared.graph_needed import needs_graph
from mqdiag.rules.shared.log_events import busiest, counted, events, files_of, lines_of, seconds_between, when
from mqdiag.text import NOTHING, Text, say
from mqdiag.time_ranges import ranges_of

REFUSED, UNANSWERED, ROUTE = "broker-not-connected", "request-no-answer", "route-not-known"

RULE = Rule(
    name="proxy-broker-unreachable",
    title="A proxy does not reach its brokers",
    why=(
        "A proxy in cluster mode keeps no messages: it sends each request of a gRPC client on to a broker. While no"
        " broker answers, its clients get INTERNAL_SERVER_ERROR or PROXY_TIMEOUT for each call, and, once the name"
        " server has given the broker up, that a topic has no route. The clients reach the proxy all the same, so their"
        " logs say nothing of the broker."
    ),
    causes=("not-connected", "no-answer"),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=(
        "Check that the broker runs and that the proxy's host reaches its port: nc -vz BROKER 10911.",
        "If the broker runs and does not answer, take thread dumps of it, and look at its broker.log and store.log.",
        "Compare brokerIP1 of the broker with its address as the proxy's host sees it.",
    ),
    references=("ClusterMessageService of the proxy", "ResponseBuilder: INTERNAL_SERVER_ERROR, PROXY_TIMEOUT"),
    limits={"lines": 20, "lasting_s": 60, "overdue": 3, "overdue_share": 0.5},
    lies_at="broker",
    in_chain=say("the proxy does not reach its broker"),
)


def _facts(overdue: int) -> Facts:
    remoting = RemotingFacts(
        in_flight=5, overdue=overdue, oldest_in_flight_ms=3_000, channels=2, broker_channels=1
    )
    facts = example(grpc_streams=7)
    assert facts.heap is not None
    heap = structs.replace(facts.heap, sending=SendingFacts(remoting=(remoting,)))
    return structs.replace(facts, heap=heap)


def fires() -> Facts:
    """Four of five requests are older than the time that the proxy waits for an answer."""
    return _facts(4)


def silent() -> Facts:
    """Five requests, which wait for messages."""
    return _facts(0)


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each way in which requests of the proxy fail."""
    assert facts.logs is not None
    logs = facts.logs
    own = {file.path for file in logs.files if file.kind == "proxy"}
    routes = [event for event in events(logs, ROUTE) if own & set(event.files)]
    for kind, cause in ((REFUSED, "not-connected"), (UNANSWERED, "no-answer")):
        found = [event for event in events(logs, kind) if own & set(event.files)]
        if lines_of(found) >= limits["lines"]:
            yield _in_lines(cause, found, routes, limits, own)


def _in_lines(
    cause: str, found: list[LogEvent], routes: list[LogEvent], limits: Limits, own: set[str]
) -> Draft:
    all_of_it = [*found, *(event for event in routes if cause == "not-connected")]
    seconds = max(seconds_between(one.first, other.last) for one in found for other in all_of_it)
    confidence, reason = _confidence(
        lasting=seconds >= limits["lasting_s"], alone=own.issuperset(files_of(all_of_it))
    )
    address = next((name for event in found if (name := busiest(event, "broker"))), None)
    return Draft(
        severity=Severity.ERROR if seconds >= limits["lasting_s"] else Severity.WARNING,
        cause=cause,
        confidence=confidence,
        confidence_reason=reason,
        title=say("The proxy could not connect to broker {address}")
        if cause == "not-connected"
        else say("Broker {address} did not answer the proxy in time"),
        evidence={
            "address": address,
            "lines": lines_of(found),
            "seconds": seconds,
            "routes_not_known": lines_of(routes),
            **counted(all_of_it),
        },
        explanation=tuple(_explained(found, routes)),
        remedy=RULE.remedy if cause == "not-connected" else (RULE.remedy[1],),
        rests_on=files_of(all_of_it),
        when=ranges_of(all_of_it),
        weight=0.6,
    )


def _confidence(*, lasting: bool, alone: bool) -> tuple[Confidence, Text]:
    if not lasting:
        return Confidence.MEDIUM, say("a broker that is restarted looks the same for a moment")
    if not alone:
        return Confidence.MEDIUM, say("logs of other processes have such lines too")
    return Confidence.HIGH, NOTHING


def _explained(found: list[LogEvent], routes: list[LogEvent]) -> Iterator[Text]:
    for event in found:
        yield say(
            "{lines:count} {lines:request|requests} of the proxy failed {when}.",
            lines=event.count,
            when=when(event),
        )
    for event in routes:
        yield say(
            "The name server knew no broker of a topic {lines:count} {lines:time|times} {when}.",
            lines=event.count,
            when=when(event),
        )


@RULE.sees("heap")
@needs_graph
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for the proxy."""
    assert facts.heap is not None
    heap = facts.heap
    if heap.proxy is None or heap.proxy.mode != "cluster" or not heap.proxy.clients or heap.sending is None:
        return
    clients = heap.sending.remoting
    overdue = sum(one.overdue for one in clients)
    in_flight = sum(one.in_flight for one in clients)
    if clients and all(one.broker_channels == 0 for one in clients):
        yield _without_connection(heap)
    elif overdue >= limits["overdue"] and overdue >= limits["overdue_share"] * in_flight:
        yield _overdue(heap, overdue, in_flight)


def _without_connection(heap: HeapFacts) -> Draft:
    assert heap.proxy is not None
    return Draft(
        severity=Severity.WARNING,
        cause="not-connected",
        confidence=Confidence.MEDIUM,
        confidence_reason=say("one dump does not tell for how long"),
        title=say(
            "The proxy has no connection to a broker, and {clients:count} {clients:client is|clients are} connected"
            " to it"
        ),
        evidence={"clients": heap.proxy.clients, "grpc_streams": heap.proxy.grpc_streams},
        explanation=(
            say("All its open connections as a client of RocketMQ are to name servers."),
            say(
                "A proxy in cluster mode reads a topic of its own all the time, so in order it is connected to a broker"
                " even when its clients rest."
            ),
        ),
        remedy=RULE.remedy,
    )


def _overdue(heap: HeapFacts, overdue: int, in_flight: int) -> Draft:
    assert heap.proxy is not None
    assert heap.sending is not None
    oldest = [one.oldest_in_flight_ms for one in heap.sending.remoting if one.oldest_in_flight_ms is not None]
    return Draft(
        severity=Severity.WARNING,
        cause="no-answer",
        confidence=Confidence.MEDIUM,
        confidence_reason=say("a dump taken just after a long pause of the JVM looks the same"),
        title=say(
            "{overdue:count} of {in_flight:count} requests of the proxy to its brokers have no answer in time"
        ),
        evidence={
            "overdue": overdue,
            "in_flight": in_flight,
            "oldest_ms": max(oldest, default=None),
            "clients": heap.proxy.clients,
        },
        explanation=(
            say(
                "The oldest has waited for {oldest_ms:ms}. The proxy gives such requests up once a second, so few of"
                " them are there at any time."
            ),
        ),
        remedy=(RULE.remedy[1],),
    )
