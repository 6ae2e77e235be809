"""A table or queue of the broker has grown out of proportion."""

from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.findings import Subject
from mqdiag.rules.rule import Findings, Limits, Rule, Skip
from mqdiag.rules.shared.brokers import brokers_of_heap, called

RULE = Rule("broker-heap-growth")


@RULE.sees("heap")
def in_heap(facts: Facts, limits: Limits) -> Findings:
    """One finding for each table."""
    heap = facts.heap
    assert heap is not None
    whole = heap.limit_bytes or heap.shallow_bytes or 0
    least = max(limits["bytes"], limits["share"] * whole)
    for broker in brokers_of_heap(facts):
        if isinstance(broker, Skip):
            yield broker
            continue
        large = [table for table in broker.tables if table.retained_bytes >= least]
        for table in large:
            share = table.retained_bytes / whole if whole else 1.0
            waiting = table.name.endswith("ThreadPoolQueue") and not table.issues
            holder, _, field = table.name.rpartition(".")
            yield RULE.case(
                "waiting-requests" if waiting else "unbounded-table",
                table,
                subject=Subject(broker=broker.name, object_class=holder, field=field),
                evidence={"table": table.name, "share": round(share, 4), "broker_version": broker.version},
                words={"of_heap": heap.limit_bytes, "waiting": waiting, "issues": table.issues},
                weight=share,
            )
        if broker.tables and whole and not large:
            table = max(broker.tables, key=lambda one: one.retained_bytes)
            yield RULE.margin(
                "table", table.retained_bytes, least, table=table.name, broker=called(broker.name)
            )
