"""Two reports to their difference, with thread pools, log events and settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from mqdiag.diff.classes import class_growth
from mqdiag.diff.findings import FindingsDiff, diff_findings
from mqdiag.diff.growth import growth
from mqdiag.diff.holders import consumer_growth, holder_growth, queue_growth
from mqdiag.facts import HeapFacts, LogsFacts, StacksFacts
from mqdiag.facts.diff import DiffFacts, DiffSide, EventGrowth, PoolGrowth, SettingChange, Value
from mqdiag.facts.thread_pools import WorkerPool
from mqdiag.findings import Report
from mqdiag.text import Text, say


def compare(before: Report, after: Report, paths: tuple[str, str]) -> tuple[DiffFacts, FindingsDiff]:
    """What changed from one report to the other."""
    findings = diff_findings(before, after)
    old, new = before.heap, after.heap
    classes, left_out = class_growth(old.classes, new.classes) if old and new else ((), 0)
    facts = DiffFacts(
        before=_side(before, paths[0]),
        after=_side(after, paths[1]),
        seconds=_seconds(before, after),
        heap_bytes=growth(
            None if old is None else old.shallow_bytes, None if new is None else new.shallow_bytes
        ),
        objects=growth(None if old is None else old.objects, None if new is None else new.objects),
        classes=classes,
        classes_left_out=left_out,
        holders=holder_growth(old, new) if old and new else (),
        consumers=consumer_growth(old, new) if old and new else (),
        queues=queue_growth(old, new) if old and new else (),
        pools=pool_growth(before.stacks, after.stacks) if before.stacks and after.stacks else (),
        events=event_growth(before.logs, after.logs) if before.logs and after.logs else (),
        settings=setting_changes(old, new) if old and new else (),
        new=findings.new,
        gone=findings.gone,
        changed=findings.changed,
        same=findings.same,
        remarks=tuple(_remarks(before, after)),
    )
    return facts, findings


def _side(report: Report, path: str) -> DiffSide:
    parts = (("heap", report.heap), ("stacks", report.stacks), ("logs", report.logs))
    return DiffSide(
        path=path,
        kinds=tuple(name for name, part in parts if part is not None),
        captured_at=None if report.heap is None else report.heap.captured_at,
        complete=all(given.complete for given in report.inputs if given.skipped is None),
        mqdiag=report.mqdiag,
    )


def _seconds(before: Report, after: Report) -> float | None:
    times = [None if one.heap is None else one.heap.captured_at for one in (before, after)]
    if times[0] is None or times[1] is None:
        return None
    first, last = (datetime.fromisoformat(time) for time in times if time is not None)
    return round((last - first).total_seconds(), 3)


ONLY = {
    ("heap dump", "earlier"): say("only the earlier side has a heap dump"),
    ("heap dump", "later"): say("only the later side has a heap dump"),
    ("thread dumps", "earlier"): say("only the earlier side has thread dumps"),
    ("thread dumps", "later"): say("only the later side has thread dumps"),
}

UNDECIDED = (
    say("the earlier side is undecided by itself: {why}"),
    say("the later side is undecided by itself: {why}"),
)


def _remarks(before: Report, after: Report) -> Iterator[Text]:
    """What a reader has to know before believing the numbers."""
    sides = {"heap dump": (before.heap, after.heap), "thread dumps": (before.stacks, after.stacks)}
    if not any(one is not None and other is not None for one, other in sides.values()) and not (
        before.logs and after.logs
    ):
        yield say("the two sides have no kind of evidence in common: only their findings are compared")
    for name, (one, other) in sides.items():
        if (one is None) != (other is None):
            yield ONLY[name, "later" if one is None else "earlier"]
    seconds = _seconds(before, after)
    if seconds is not None and seconds < 0:
        yield say("the later side was written before the earlier one: the order of the two may be wrong")
    if any(not given.complete and given.error is None for given in before.inputs):
        yield say("the earlier side is incomplete: its numbers are lower bounds")
    if any(not given.complete and given.error is None for given in after.inputs):
        yield say("the later side is incomplete: its numbers are lower bounds")
    for report, text in zip((before, after), UNDECIDED, strict=True):
        why = _not_decided(report)
        if why is not None:
            yield text.filled({"why": why})
    old, new = before.heap, after.heap
    if old is not None and new is not None:
        if (old.objects is None) != (new.objects is None):
            yield say("one side was read with --quick: reachable and retained bytes are not compared")
        mine, theirs = ({one.group for one in heap.consumers} for heap in (old, new))
        if mine and theirs and not mine & theirs:
            yield say("no consumer group is on both sides: these may be two different applications")


def _not_decided(report: Report) -> Text | None:
    """Why a side may have faults that it has no finding for; None where it has an answer or does not tell.

    A side with a fault may have more than that: what its evidence cannot tell is no less open for it.
    """
    if report.answer.state == "undecided":
        return report.answer.reason or report.answer.text or None
    return next((one.title for one in report.findings if one.undecides and one.accepted is None), None)


def pool_growth(before: StacksFacts, after: StacksFacts) -> tuple[PoolGrowth, ...]:
    """Worker pools by name and group."""
    old = {(pool.pool, pool.group): pool for pool in before.pools}
    new = {(pool.pool, pool.group): pool for pool in after.pools}
    return tuple(
        PoolGrowth(
            pool=key[0],
            group=key[1],
            threads=growth(_threads(old.get(key)), _threads(new.get(key))),
            **{
                state: growth(
                    None if key not in old else getattr(old[key], state),
                    None if key not in new else getattr(new[key], state),
                )
                for state in ("stuck", "blocked", "progressing", "idle", "unknown")
            },
        )
        for key in dict.fromkeys((*old, *new))
    )


def _threads(pool: WorkerPool | None) -> int | None:
    return None if pool is None else len(pool.threads)


def event_growth(before: LogsFacts, after: LogsFacts) -> tuple[EventGrowth, ...]:
    """Lines by kind of event, the largest growth first; logs of different length are compared as they are."""
    kinds = dict.fromkeys((*(one.kind for one in before.events), *(one.kind for one in after.events)))
    rows = [EventGrowth(kind=kind, lines=growth(before.count(kind), after.count(kind))) for kind in kinds]
    return tuple(sorted(rows, key=lambda row: (-(row.lines.grown or 0), row.kind)))


OF_A_RUN = frozenset({"instanceName", "clientIP", "consumeTimestamp", "consumerGroup"})
"""differ from run to run by their nature"""
JVM = "JVM"


def setting_changes(before: HeapFacts, after: HeapFacts) -> tuple[SettingChange, ...]:
    """All settings that both sides know and that differ."""
    old, new = dict(_settings(before)), dict(_settings(after))
    return tuple(
        SettingChange(of=owner, key=key, before=old[owner][key], after=new[owner][key])
        for owner in old
        if owner in new
        for key in old[owner]
        if key in new[owner] and old[owner][key] != new[owner][key]
    )


def _settings(heap: HeapFacts) -> Iterator[tuple[str, Mapping[str, Value]]]:
    """What is set, by whose it is; of several consumers of a group those settings that they share."""
    yield JVM, {key: value for key, value in (("version", heap.jvm), ("heap limit", heap.heap_bytes)) if value}
    for group in dict.fromkeys(consumer.group for consumer in heap.consumers):
        own = [consumer for consumer in heap.consumers if consumer.group == group]
        first, *others = own
        shared: dict[str, Value] = {
            key: value
            for key, value in first.config.items()
            if key not in OF_A_RUN and all(other.config.get(key) == value for other in others)
        }
        if first.client_version is not None:
            shared["client version"] = first.client_version
        yield f"group {group}", shared
    broker = heap.broker
    if broker is not None:
        yield f"broker {broker.name or ''}".rstrip(), {**broker.config, **broker.store_config}
