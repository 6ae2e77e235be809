"""Requests that a proxy passed on to clients pile up without an answer."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import HeapFacts
from mqdiag.rules.rule import Rule
from mqdiag.rules.said import Limits, Said

RULE = Rule("proxy-relay-unanswered")


@RULE.ages
def in_heap(heap: HeapFacts, limits: Limits) -> Iterator[Said]:
    """One finding for the proxy."""
    proxy = heap.proxy
    if proxy is None or not proxy.relayed or proxy.oldest_relayed_ms is None:
        return
    if proxy.relayed < limits["requests"] or proxy.oldest_relayed_ms < limits["oldest_ms"]:
        yield RULE.margin("oldest", proxy.oldest_relayed_ms, limits["oldest_ms"])
        return
    timeout_s = proxy.config.get("grpcProxyRelayRequestTimeoutInSeconds")
    yield RULE.case(
        "client-does-not-answer",
        proxy,
        evidence={
            "oldest_ms": proxy.oldest_relayed_ms,
            "timeout_s": timeout_s if isinstance(timeout_s, int) else None,
        },
        age_ms=proxy.oldest_relayed_ms,
    )
