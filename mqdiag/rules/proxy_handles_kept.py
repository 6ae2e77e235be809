"""Clients of a proxy keep messages for long without acknowledging them."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import HeapFacts
from mqdiag.findings import Subject
from mqdiag.rules.rule import Rule
from mqdiag.rules.said import Limits, Said

RULE = Rule("proxy-handles-kept")


@RULE.ages
def in_heap(heap: HeapFacts, limits: Limits) -> Iterator[Said]:
    """One finding for each client of a group."""
    proxy = heap.proxy
    if proxy is None:
        return
    for owner in proxy.handle_owners:
        if owner.handles < limits["handles"] or owner.oldest_ms is None:
            continue
        if owner.oldest_ms < limits["oldest_ms"]:
            yield RULE.margin("oldest", owner.oldest_ms, limits["oldest_ms"], group=owner.group)
            continue
        yield RULE.case(
            "not-acknowledged",
            owner,
            subject=Subject(group=owner.group, topic=owner.topic),
            evidence={
                "handles_of_proxy": proxy.handles,
                "retained_bytes": proxy.handles_retained_bytes,
            },
            age_ms=owner.oldest_ms,
        )
