"""All threads of a proxy that run one kind of request are busy, and many requests wait for them."""

from __future__ import annotations

from msgspec import structs

from mqdiag.facts import HeapFacts
from mqdiag.findings import Subject
from mqdiag.rules.rule import Findings, Limits, Rule

RULE = Rule("proxy-threads-busy")


@RULE.graph
def in_heap(heap: HeapFacts, limits: Limits) -> Findings:
    """One finding for each pool."""
    for pool in () if heap.proxy is None else heap.proxy.pools:
        limit = limits["waiting_per_thread"] * pool.threads
        if pool.active >= pool.threads and pool.waiting >= limit:
            yield RULE.case(
                "all-threads-busy" if pool.in_wait >= pool.threads else "some-threads-at-work",
                pool,
                subject=Subject(thread=pool.name),
                evidence={"pool": pool.name},
            )
        else:
            margin = RULE.margin("pool" if pool.name else "nameless-pool", pool.waiting, limit)
            yield structs.replace(margin, label=margin.label.filled({"name": pool.name}))
