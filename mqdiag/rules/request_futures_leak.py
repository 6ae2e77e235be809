"""Requests of the request-reply API are kept beyond their own timeout."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import HeapFacts
from mqdiag.rules.rule import Rule
from mqdiag.rules.said import Limits, Said

RULE = Rule("request-futures-leak")


@RULE.graph
def in_heap(heap: HeapFacts, limits: Limits) -> Iterator[Said]:
    """At most one finding: a JVM has one such table."""
    futures = heap.sending.request_futures if heap.sending is not None else None
    if futures is None or futures.overdue < limits["futures"] or futures.longest_overdue_ms is None:
        return
    if futures.longest_overdue_ms >= limits["overdue_ms"]:
        yield RULE.case("request-futures-leak", futures)
