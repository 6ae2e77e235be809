"""Two reports made by hand, and what is said to have changed."""

from __future__ import annotations

from typing import Any

import msgspec

from mqdiag.diff.classes import MOST_ROWS, class_growth, plain_name
from mqdiag.diff.compare import compare
from mqdiag.facts import HeapFacts, Input, StacksFacts
from mqdiag.facts.diff import DiffFacts, Growth
from mqdiag.facts.heap import ConsumerFacts, QueueFacts
from mqdiag.facts.heap_classes import ClassRow, Suspect
from mqdiag.facts.thread_pools import WorkerPool
from mqdiag.findings import Confidence, Finding, Report, Severity, Subject
from mqdiag.fingerprints import fingerprint
from mqdiag.language import english
from tests.folded import folded


def heap(**changes: Any) -> HeapFacts:
    made = HeapFacts(
        objects=100,
        shallow_bytes=1000,
        unreachable_objects=0,
        unreachable_bytes=0,
        captured_at="2026-11-21T08:00:00.000+00:00",
        jvm="17.0.15",
        heap_bytes=1 << 30,
        classes=(
            ClassRow(name="byte[]", loaders=1, instances=10, shallow_bytes=500, retained_bytes=500),
            ClassRow(name="a.Same", loaders=1, instances=3, shallow_bytes=48, retained_bytes=48),
        ),
        suspects=(
            Suspect(
                class_name="a.Cache",
                object_id="0x1",
                retained_bytes=400,
                share=0.4,
                path=(),
                label="a.Cache.map",
            ),
        ),
        consumers=(
            ConsumerFacts(
                group="CID",
                kind="push",
                client_version="4.9.8",
                config={"pullThresholdForQueue": 40, "instanceName": "1#2"},
                messages=10,
                body_bytes=100,
                retained_bytes=300,
            ),
        ),
        queues=(
            QueueFacts(
                group="CID",
                topic="orders",
                broker="b",
                queue_id=0,
                messages=10,
                min_offset=7,
                commit_offset=7,
                lag=5,
            ),
            QueueFacts(group="CID", topic="orders", broker="b", queue_id=1, messages=99, dropped=True),
        ),
        process_queues=1,
    )
    return msgspec.structs.replace(made, **changes)


def finding(rule: str, severity: Severity = Severity.WARNING, **evidence: Any) -> Finding:
    return Finding(
        rule=rule,
        severity=severity,
        cause="c",
        confidence=Confidence.MEDIUM,
        fingerprint=fingerprint(rule, "c", Subject(group="CID")),
        title=f"title of {rule}",
        subject=Subject(group="CID"),
        evidence=evidence,
        remedy=(),
    )


def report(*findings: Finding, **parts: Any) -> Report:
    return Report(
        mqdiag="1",
        inputs=(Input(path="x", kind="heap"),),
        findings=findings,
        checked=parts.pop("checked", ()),
        **parts,
    )


def diff(before: Report, after: Report) -> DiffFacts:
    return compare(before, after, ("b", "a"))[0]


def test_nothing_changes_between_equal_reports() -> None:
    one = report(finding("a", age_ms=5), heap=heap())
    facts = diff(one, one)
    assert (facts.classes, facts.settings, facts.new, facts.gone, facts.changed) == ((), (), (), (), ())
    assert facts.same == 1
    assert facts.heap_bytes == Growth(before=1000, after=1000, grown=0)
    assert facts.seconds == 0.0
    assert facts.remarks == ()


def test_growth_is_told_by_class_holder_consumer_and_queue() -> None:
    old = heap()
    new = heap(
        shallow_bytes=3000,
        captured_at="2026-11-21T08:01:30.000+00:00",
        classes=(
            ClassRow(name="byte[]", loaders=1, instances=30, shallow_bytes=2500, retained_bytes=2600),
            ClassRow(name="a.Same", loaders=1, instances=3, shallow_bytes=48, retained_bytes=48),
            ClassRow(name="a.New", loaders=1, instances=1, shallow_bytes=16, retained_bytes=16),
        ),
        suspects=(
            msgspec.structs.replace(old.suspects[0], retained_bytes=2000, object_id="0x77"),
            Suspect(class_name="b.Other", object_id="0x2", retained_bytes=600, share=0.2, path=()),
        ),
        consumers=(msgspec.structs.replace(old.consumers[0], messages=70, retained_bytes=None),),
        queues=(msgspec.structs.replace(old.queues[0], messages=70, lag=None),),
    )
    facts = diff(report(heap=old), report(heap=new))
    assert facts.seconds == 90.0
    assert [(row.name, row.shallow_bytes.grown, row.instances.grown) for row in facts.classes] == [
        ("byte[]", 2000, 20),
        ("a.New", 16, 1),
    ]
    assert facts.classes[1].retained_bytes == Growth(before=0, after=16, grown=16)
    assert [(row.name, row.retained_bytes.grown) for row in facts.holders] == [
        ("a.Cache.map", 1600),
        ("b.Other", None),
    ]
    assert facts.holders[1].retained_bytes == Growth(before=None, after=600)
    (consumer,) = facts.consumers
    assert consumer.messages == Growth(before=10, after=70, grown=60)
    # unknown stays unknown, and is no growth
    assert consumer.retained_bytes == Growth(before=300, after=None, grown=None)
    (queue,) = facts.queues
    assert (queue.queue_id, queue.messages.grown, queue.lag.grown) == (0, 60, None)
    assert queue.same_head is True


def test_a_head_that_moved_is_told_as_moved() -> None:
    old, new = heap(), heap()
    new = heap(queues=(msgspec.structs.replace(new.queues[0], min_offset=8, commit_offset=8),))
    (queue,) = diff(report(heap=old), report(heap=new)).queues
    assert queue.same_head is False
    assert queue.commit_offset.grown == 1


def test_settings_that_differ_and_none_of_a_run() -> None:
    old, consumer = heap(), heap().consumers[0]
    changed = msgspec.structs.replace(
        consumer,
        client_version="5.3.3",
        config={"pullThresholdForQueue": 1000, "instanceName": "9#9", "onlyHere": 1},
    )
    facts = diff(report(heap=old), report(heap=heap(consumers=(changed,), heap_bytes=2 << 30)))
    assert [(row.of, row.key, row.before, row.after) for row in facts.settings] == [
        ("JVM", "heap limit", 1 << 30, 2 << 30),
        ("group CID", "pullThresholdForQueue", 40, 1000),
        ("group CID", "client version", "4.9.8", "5.3.3"),
    ]


def test_findings_are_told_apart_by_fingerprint() -> None:
    before = report(
        finding("stays", age_ms=1000),
        finding("goes"),
        finding("worse"),
        finding("more", messages=100),
        finding("unseen"),
        checked=("comes", "stays", "goes", "worse", "more", "unseen"),
    )
    after = report(
        finding("stays", age_ms=1050),
        finding("worse", Severity.ERROR),
        finding("more", messages=150),
        finding("comes"),
        finding("blind"),
        checked=("comes", "stays", "goes", "worse", "more", "blind"),
    )
    facts, findings = compare(before, after, ("b", "a"))
    assert {(row.rule, row.checked) for row in facts.new} == {("comes", True), ("blind", False)}
    assert {(row.rule, row.checked) for row in facts.gone} == {("goes", True), ("unseen", False)}
    assert {row.rule for row in facts.changed} == {"worse", "more"}
    assert facts.same == 1
    more = next(row for row in facts.changed if row.rule == "more")
    assert [(one.key, one.before, one.after) for one in more.evidence] == [("messages", 100, 150)]
    assert {one.rule for one in findings.regressions} == {"comes", "blind", "worse"}


@folded(
    "name, plain",
    [
        ("a.B$$Lambda$34/0x00007fa0b0012410", "a.B$$Lambda"),
        ("a.B$$Lambda/0x00007fa0b0012410.1", "a.B$$Lambda"),
        ("jdk.proxy2.$Proxy17", "jdk.proxy2.$Proxy"),
        ("a.GeneratedMethodAccessor9", "a.GeneratedMethodAccessor"),
        ("a.B$$EnhancerBySpringCGLIB$$1a2b3c4d", "a.B$$EnhancerBySpringCGLIB"),
        ("a.Order2", "a.Order2"),
    ],
)
def test_generated_classes_have_one_name(name: str, plain: str) -> None:
    assert plain_name(name) == plain


def test_generated_classes_of_two_runs_are_no_growth() -> None:
    rows = [
        ClassRow(name=f"a.B$$Lambda$34/0x{run}", loaders=1, instances=1, shallow_bytes=16)
        for run in ("1f", "2e")
    ]
    assert class_growth(rows[:1], rows[1:]) == ((), 0)


def test_rows_are_bounded_and_what_is_left_out_is_counted() -> None:
    rows = [
        ClassRow(name=f"a.C{number}", loaders=1, instances=1, shallow_bytes=number + 1)
        for number in range(MOST_ROWS + 7)
    ]
    kept, left_out = class_growth([], rows)
    assert len(kept) == MOST_ROWS
    assert left_out == 7
    assert kept[0].shallow_bytes.grown == MOST_ROWS + 7


def test_sides_without_common_evidence_are_remarked() -> None:
    pool = WorkerPool(role="consume-worker", pool="P", group="CID", threads=("a", "b"), stuck=1, idle=1)
    stacks = StacksFacts(samples=5, judged=True, pools=(pool,))
    facts = diff(report(heap=heap()), report(stacks=stacks))
    assert any("no kind of evidence in common" in english()(line) for line in facts.remarks)
    assert facts.pools == ()
    same = diff(report(stacks=stacks), report(stacks=stacks))
    assert same.remarks == ()
    assert same.pools[0].stuck == Growth(before=1, after=1, grown=0)


def test_what_makes_sides_hard_to_compare_is_said() -> None:
    later = heap(
        captured_at="2026-11-21T07:00:00.000+00:00",
        consumers=(msgspec.structs.replace(heap().consumers[0], group="CID_other"),),
    )
    cut = report(heap=later)
    cut = msgspec.structs.replace(
        cut, inputs=(Input(path="x", kind="heap", complete=False, stopped_at_byte=7),)
    )
    remarks = " ".join(map(english(), diff(report(heap=heap()), cut).remarks))
    assert "order of the two may be wrong" in remarks
    assert "the later side is incomplete" in remarks
    assert "two different applications" in remarks


def test_the_greatest_change_is_listed_first_whatever_its_sign() -> None:
    def rows(**sizes: int) -> list[ClassRow]:
        return [
            ClassRow(name=name, loaders=1, instances=size, shallow_bytes=size) for name, size in sizes.items()
        ]

    kept, _ = class_growth(rows(small=10, large=10, arrays=9_000), rows(small=12, large=500, arrays=100))
    assert [row.name for row in kept] == ["arrays", "large", "small"]
