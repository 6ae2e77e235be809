"""Requests that a proxy passed on to clients pile up without an answer."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.servers import ProxyFacts
from mqdiag.findings import Confidence, Margin, Severity
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.example_proxy import example
from mqdiag.rules.shared.graph_needed import needs_graph
from mqdiag.text import Text, say

TIMEOUT = "grpcProxyRelayRequestTimeoutInSeconds"

RULE = Rule(
    name="proxy-relay-unanswered",
    title="Requests that the proxy passed on to clients pile up",
    why=(
        "Operators ask a client for its stacks (consumerStatus with jstack) or let it consume one message"
        " (consumeMessageDirectly). The broker sends such a request to the proxy, which passes it on and keeps it until"
        " the client answers, for five seconds at most. Older ones show that the proxy does not give them up, and that"
        " clients do not answer: their threads or listeners hang."
    ),
    causes=("client-does-not-answer",),
    severities=(Severity.WARNING,),
    remedy=(
        "Take thread dumps of the clients that were asked: they show why no answer comes.",
        "Set grpcProxyRelayRequestTimeoutInSeconds in rmq-proxy.json back to 5.",
        "Take a thread dump of the proxy: thread GrpcChannelManager_ gives up requests that are too old.",
    ),
    references=(
        "GrpcChannelManager.scanExpireResultFuture",
        "ProxyConfig.grpcProxyRelayRequestTimeoutInSeconds",
    ),
    limits={"requests": 20, "oldest_ms": 30_000},
    in_chain=say("clients do not answer what the proxy asks them"),
)


def fires() -> Facts:
    """96 requests; the oldest has waited for a minute."""
    return example(relayed=96, oldest_relayed_ms=60_000, config={TIMEOUT: 3600})


def silent() -> Facts:
    """As many at once, and none older than the five seconds that the proxy waits."""
    return example(relayed=96, oldest_relayed_ms=4_000, config={TIMEOUT: 5})


@RULE.sees("heap")
@needs_graph
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for the proxy."""
    assert facts.heap is not None
    proxy = facts.heap.proxy
    if proxy is None or not proxy.relayed or proxy.oldest_relayed_ms is None:
        return
    if proxy.relayed >= limits["requests"] and proxy.oldest_relayed_ms >= limits["oldest_ms"]:
        yield _draft(proxy)
    else:
        yield Margin(
            rule="",
            label=say("time that a client has been asked for an answer"),
            value=proxy.oldest_relayed_ms,
            limit=limits["oldest_ms"],
            kind="ms",
        )


def _draft(proxy: ProxyFacts) -> Draft:
    timeout_s = proxy.config.get(TIMEOUT)
    return Draft(
        severity=Severity.WARNING,
        cause="client-does-not-answer",
        confidence=Confidence.HIGH,
        title=say(
            "{relayed:count} requests that the proxy passed on to clients have no answer, the oldest for"
            " {oldest_ms:ms}"
        ),
        evidence={
            "relayed": proxy.relayed,
            "oldest_ms": proxy.oldest_relayed_ms,
            "timeout_s": timeout_s if isinstance(timeout_s, int) else None,
        },
        explanation=tuple(_explained(timeout_s)),
        remedy=RULE.remedy,
        age_ms=proxy.oldest_relayed_ms,
    )


def _explained(timeout_s: object) -> Iterator[Text]:
    yield say("The proxy keeps each of them, with the broker's request, until the client answers.")
    if isinstance(timeout_s, int):
        yield say("Its grpcProxyRelayRequestTimeoutInSeconds is {timeout_s:count}.")
