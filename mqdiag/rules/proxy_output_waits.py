"""Answers of a proxy wait in its memory, because clients do not read them."""

from __future__ import annotations

from mqdiag.facts import HeapFacts
from mqdiag.facts.ratios import ratio
from mqdiag.rules.rule import Findings, Limits, Rule

RULE = Rule("proxy-output-waits")


@RULE.graph
def in_heap(heap: HeapFacts, limits: Limits) -> Findings:
    """One finding for the proxy."""
    netty = None if heap.proxy is None else heap.proxy.netty
    if netty is None or netty.unsent_bytes is None:
        return
    share = ratio(netty.unsent_bytes, _limit_bytes(heap))
    if netty.unsent_bytes < limits["unsent_bytes"] or (share is not None and share < limits["share_of_limit"]):
        yield RULE.margin("unsent", netty.unsent_bytes, limits["unsent_bytes"])
        return
    yield RULE.case(
        "client-does-not-read",
        netty,
        evidence={
            "share_of_limit": None if share is None else round(share, 4),
            "peers": tuple(one.peer for one in netty.unsent if one.peer is not None),
        },
    )


def _limit_bytes(heap: HeapFacts) -> int | None:
    """The limit of direct memory, which is that of the heap unless it is set."""
    direct = None if heap.waste is None else heap.waste.direct_buffers
    return heap.heap_bytes if direct is None or direct.limit_bytes is None else direct.limit_bytes
