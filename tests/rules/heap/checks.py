"""Running one rule on facts that differ in one place."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import msgspec

from mqdiag.facts import Facts, HeapFacts
from mqdiag.findings import Finding, Severity
from mqdiag.rocketmq.clients import kinds
from mqdiag.rules import run_rules


def findings(module: ModuleType, facts: Facts, **limits: float) -> tuple[Finding, ...]:
    outcome = run_rules([module.check], facts, limits={module.check.card.name: limits})
    assert not outcome.failed, outcome.errors
    return outcome.findings


def severities(module: ModuleType, facts: Facts) -> list[Severity]:
    return [finding.severity for finding in findings(module, facts)]


def reasons(module: ModuleType, facts: Facts) -> list[str]:
    return [skipped.reason for skipped in run_rules([module.check], facts).skipped]


def heap_of(facts: Facts) -> HeapFacts:
    assert facts.heap is not None
    return facts.heap


def with_heap(facts: Facts, **changes: object) -> Facts:
    return msgspec.structs.replace(facts, heap=msgspec.structs.replace(heap_of(facts), **changes))


def with_consumer(facts: Facts, **changes: object) -> Facts:
    first, *others = heap_of(facts).consumers
    return with_heap(facts, consumers=(msgspec.structs.replace(first, **changes), *others))


def with_queue(facts: Facts, **changes: object) -> Facts:
    first, *others = heap_of(facts).queues
    return with_heap(facts, queues=(msgspec.structs.replace(first, **changes), *others))


def of_kind(kind: str) -> dict[str, Any]:
    """Fields of a consumer of one kind, as its reader sets them."""
    (found,) = (one for one in kinds() if one.name == kind)
    return {"kind": kind, "traits": found.traits}
