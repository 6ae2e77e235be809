"""Where the rules about waste begin, and what they stay silent on."""

from __future__ import annotations

from types import ModuleType

import msgspec
import pytest

from mqdiag.facts import Facts
from mqdiag.facts.waste import DirectHolder, Waste
from mqdiag.findings import Finding, Severity
from mqdiag.language import english
from mqdiag.report_json import finding_values
from mqdiag.rules import (
    class_loader_leak,
    direct_buffers,
    duplicate_strings,
    thread_local_leak,
    wasteful_collections,
)
from mqdiag.rules.engine import run_rules
from tests.folded import folded
from tests.rules.examples import example_of

RULES = [class_loader_leak, direct_buffers, duplicate_strings, thread_local_leak, wasteful_collections]
MIB = 1 << 20


def found(module: ModuleType, facts: Facts) -> tuple[Finding, ...]:
    outcome = run_rules([module.RULE], facts)
    assert not outcome.failed
    return outcome.findings


def changed(module: ModuleType, part: str, *, heap_bytes: int | None = None, **fields: object) -> Facts:
    """The firing example with some fields of one part of its waste changed."""
    facts = example_of(module).fires()
    waste = facts.heap.waste
    value = getattr(waste, part)
    if isinstance(value, tuple):
        replaced: object = (msgspec.structs.replace(value[0], **fields),)
    else:
        replaced = msgspec.structs.replace(value, **fields)
    heap = msgspec.structs.replace(facts.heap, waste=msgspec.structs.replace(waste, **{part: replaced}))
    if heap_bytes is not None:
        heap = msgspec.structs.replace(heap, shallow_bytes=heap_bytes)
    return Facts(heap=heap)


@folded("module", RULES)
def test_without_the_graph_a_rule_says_so(module: ModuleType) -> None:
    facts = example_of(module).fires()
    assert facts.heap is not None
    bare = Facts(heap=msgspec.structs.replace(facts.heap, waste=None))
    outcome = run_rules([module.RULE], bare)
    assert outcome.findings == ()
    assert [english()(skip.reason) for skip in outcome.skipped] == ["the object graph was left out (--quick)"]


@folded("module", RULES)
def test_nothing_read_is_nothing_found(module: ModuleType) -> None:
    facts = example_of(module).fires()
    assert facts.heap is not None
    outcome = run_rules([module.RULE], Facts(heap=msgspec.structs.replace(facts.heap, waste=Waste())))
    assert (outcome.findings, outcome.skipped) == ((), ())


@pytest.mark.parametrize(
    ("wasted", "severity"),
    [
        (39_000_000, None),
        (41_000_000, Severity.INFO),
        (99_000_000, Severity.INFO),
        (101_000_000, Severity.WARNING),
    ],
)
def test_shares_of_strings_and_collections(wasted: int, severity: Severity | None) -> None:
    for module, part in ((duplicate_strings, "duplicate_strings"), (wasteful_collections, "collections")):
        findings = found(module, changed(module, part, wasted_bytes=wasted))
        assert [finding.severity for finding in findings] == ([severity] if severity else [])


def test_a_small_heap_is_not_judged_by_shares() -> None:
    for module, part in ((duplicate_strings, "duplicate_strings"), (wasteful_collections, "collections")):
        assert not found(module, changed(module, part, wasted_bytes=15 * MIB, heap_bytes=40 * MIB))
    small = changed(thread_local_leak, "thread_locals", retained_bytes=15 * MIB, heap_bytes=20 * MIB)
    assert not found(thread_local_leak, small)
    tiny = changed(direct_buffers, "direct_buffers", reserved_bytes=15 * MIB, limit_bytes=15 * MIB)
    assert not found(direct_buffers, tiny)


def test_an_estimate_is_no_finding() -> None:
    facts = changed(
        duplicate_strings, "duplicate_strings", wasted_bytes=None, repeated=None, estimated_bytes=10**9
    )
    assert not found(duplicate_strings, facts)


def test_a_projection_is_less_sure() -> None:
    (finding,) = found(wasteful_collections, changed(wasteful_collections, "collections", sampled_one_in=64))
    assert finding.confidence == "medium"


def test_texts_stay_out_of_findings() -> None:
    (finding,) = found(duplicate_strings, example_of(duplicate_strings).fires())
    assert "CNY" not in str(finding_values(finding))


@folded(
    "loaders, closed, retained, cause",
    [
        (4, 1, 90_000_000, None),
        (4, 2, 90_000_000, "closed-loader-held"),
        (4, 2, 500_000, None),
        (5, 0, 90_000_000, "many-loaders"),
        (5, 0, 16_000_000, None),
    ],
)
def test_loaders(loaders: int, closed: int, retained: int, cause: str | None) -> None:
    facts = changed(class_loader_leak, "class_loaders", loaders=loaders, closed=closed, retained_bytes=retained)
    assert [finding.cause for finding in found(class_loader_leak, facts)] == ([cause] if cause else [])


def test_values_of_dropped_thread_locals_come_first() -> None:
    facts = changed(thread_local_leak, "thread_locals", stale_entries=200, stale_bytes=30_000_000)
    (finding,) = found(thread_local_leak, facts)
    assert finding.cause == "thread-locals-orphaned"
    unknown = changed(thread_local_leak, "thread_locals", stale_entries=None, stale_bytes=None)
    assert [each.cause for each in found(thread_local_leak, unknown)] == ["thread-locals-kept"]


def test_direct_memory_by_both_limits() -> None:
    facts = changed(
        direct_buffers,
        "direct_buffers",
        netty_bytes=950 * MIB,
        netty_limit_bytes=1000 * MIB,
        unreachable_bytes=1,
    )
    causes = {finding.cause for finding in found(direct_buffers, facts)}
    assert causes == {"direct-memory-near-limit", "netty-direct-memory-near-limit"}
    garbage = changed(direct_buffers, "direct_buffers", unreachable_bytes=600_000_000)
    assert [each.cause for each in found(direct_buffers, garbage)] == ["direct-memory-garbage"]
    unknown = changed(direct_buffers, "direct_buffers", limit_bytes=None)
    assert not found(direct_buffers, unknown)
    uncounted = changed(direct_buffers, "direct_buffers", reserved_bytes=None)
    assert found(direct_buffers, uncounted)


@pytest.mark.parametrize(
    ("in_use", "of_netty", "severity", "confidence", "told"),
    [
        (None, None, "warning", "high", None),
        (700 * MIB, None, "warning", "high", 700 * MIB),
        (850 * MIB, None, "error", "medium", 850 * MIB),
        (850 * MIB, 900 * MIB, "warning", "high", None),
    ],
)
def test_chunks_that_are_handed_out_make_it_an_error(
    in_use: int | None, of_netty: int | None, severity: str, confidence: str, told: int | None
) -> None:
    facts = changed(direct_buffers, "direct_buffers", netty_in_use_bytes=in_use, netty_bytes=of_netty)
    (finding,) = found(direct_buffers, facts)
    assert (finding.severity, finding.confidence) == (severity, confidence)
    assert finding.evidence["in_use_bytes"] == told
    says = [line for line in finding.explanation if "handed out" in english()(line)]
    assert len(says) == (told is not None)


CACHED, POOL = "sun.nio.ch.Util$BufferCache", "com.acme.ImagePool"


@folded(
    "holders, advice",
    [
        ((CACHED,), ("limit what threads keep",)),
        ((POOL, "com.acme.Other"), ("limit pools",)),
        ((POOL, CACHED), ("limit pools", "limit what threads keep")),
        ((CACHED, POOL), ("limit what threads keep", "limit pools")),
        ((), ("limit pools",)),
    ],
)
def test_each_kind_of_holder_has_a_remedy_of_its_own(holders: tuple[str, ...], advice: tuple[str, ...]) -> None:
    kept = tuple(DirectHolder(class_name=name, buffers=19, capacity_bytes=100 * MIB) for name in holders)
    (finding,) = found(direct_buffers, changed(direct_buffers, "direct_buffers", holders=kept))
    lists = direct_buffers.RULE.texts.lists
    given = [action.text.template for action in finding.then]
    assert given[: len(advice)] == [sentence for name in advice for sentence in lists[name]]
    limiting = {sentence for sentences in lists.values() for sentence in sentences}
    assert not limiting & set(given[len(advice) :])
