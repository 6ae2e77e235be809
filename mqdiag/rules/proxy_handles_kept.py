"""Clients of a proxy keep messages for long without acknowledging them."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.servers import HandleOwner, ProxyFacts
from mqdiag.findings import Confidence, Margin, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.example_proxy import example
from mqdiag.rules.shared.graph_needed import needs_graph
from mqdiag.text import Text, say

RULE = Rule(
    name="proxy-handles-kept",
    title="Clients of the proxy keep messages without acknowledging them",
    why=(
        "A proxy keeps a receipt handle for each message that a gRPC push consumer received and did not acknowledge,"
        " and asks the broker again and again for more time. A consumer that hangs so keeps its messages for up to"
        " three hours: nobody else gets them, and the proxy's heap and its requests to the broker grow with them."
    ),
    causes=("not-acknowledged",),
    severities=(Severity.WARNING,),
    remedy=(
        "Take thread dumps of the consumer that the client id names, host@pid: they show what its listener waits for.",
        "Give the listener's calls a timeout, and let it return FAILURE for a message that it cannot consume.",
        "Set renewMaxTimeMillis in rmq-proxy.json to the longest time that a listener may take (3 hours by default).",
    ),
    references=(
        "DefaultReceiptHandleManager.scheduleRenewTask, ReceiptHandleGroup",
        "ProxyConfig.renewMaxTimeMillis",
    ),
    limits={"handles": 20, "oldest_ms": 300_000},
    in_chain=say("consumers do not acknowledge what they received through the proxy"),
)


def _facts(oldest_ms: int) -> Facts:
    owner = HandleOwner(
        group="CID_orders",
        client_id="shop-7@4711@0@9k2m1x",
        topic="orders",
        handles=200,
        oldest_ms=oldest_ms,
        renewals=3,
    )
    return example(handles=200, handles_retained_bytes=600_000, handle_owners=(owner,))


def fires() -> Facts:
    """200 messages; the oldest was received ten minutes ago."""
    return _facts(600_000)


def silent() -> Facts:
    """As many, and the oldest was received a minute ago: the consumer works on its cache."""
    return _facts(60_000)


@RULE.sees("heap")
@needs_graph
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each client of a group."""
    assert facts.heap is not None
    proxy = facts.heap.proxy
    if proxy is None:
        return
    for owner in proxy.handle_owners:
        if owner.handles < limits["handles"] or owner.oldest_ms is None:
            continue
        if owner.oldest_ms >= limits["oldest_ms"]:
            yield _draft(proxy, owner)
        else:
            yield Margin(
                rule="",
                label=say("time since the oldest message of group {group} was received", group=owner.group),
                value=owner.oldest_ms,
                limit=limits["oldest_ms"],
                kind="ms",
            )


def _draft(proxy: ProxyFacts, owner: HandleOwner) -> Draft:
    return Draft(
        severity=Severity.WARNING,
        cause="not-acknowledged",
        confidence=Confidence.MEDIUM,
        confidence_reason=say("a listener that takes so long for each message looks the same in one dump"),
        title=say(
            "A consumer of group {group} has not acknowledged {handles:count} {handles:message|messages}, one of them"
            " for {oldest_ms:ms}"
        ),
        subject=Subject(group=owner.group, topic=owner.topic),
        evidence={
            "client_id": owner.client_id,
            "handles": owner.handles,
            "oldest_ms": owner.oldest_ms,
            "renewals": owner.renewals,
            "handles_of_proxy": proxy.handles,
            "retained_bytes": proxy.handles_retained_bytes,
        },
        explanation=tuple(_explained(proxy, owner)),
        remedy=RULE.remedy,
        age_ms=owner.oldest_ms,
    )


def _explained(proxy: ProxyFacts, owner: HandleOwner) -> Iterator[Text]:
    yield say("The client is {client_id}.")
    if owner.renewals:
        yield say(
            "The proxy asked the broker {renewals:count} {renewals:time|times} for more time for one message."
        )
    if proxy.handles_retained_bytes is not None:
        yield say(
            "The proxy has {handles_of_proxy:count} {handles_of_proxy:receipt handle|receipt handles} in all, which"
            " retain {retained_bytes:bytes}."
        )
