"""What changed between two sides: findings that came and went, what grew, settings that differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import attrgetter

from mqdiag.facts.diff import ConsumerGrowth, DiffFacts, DiffSide, FindingChange, Growth
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import NO_VALUE, AnyPart, Bullets, Pairs, Row, Section, Table
from mqdiag.render.tables import Tables
from mqdiag.render.wording.words import word
from mqdiag.text import NOTHING, Text, Value, quantity, say

TABLES = Tables("differences")

_SHORTEST_FOR_A_RATE_S = 60
_S_PER_HOUR = 3600


def differences_section(report: Report, view: View) -> Iterator[Section]:
    """One section for both sides and their findings, one for what grew, one for settings."""
    diff = report.diff
    if diff is None:
        return
    parts: list[AnyPart] = [Pairs([*_sides(diff)])]
    if diff.remarks:
        parts.append(Bullets(diff.remarks, title=say("The two sides are hard to compare")))
    for name, caption, changes in (
        ("new", say("New findings"), diff.new),
        ("gone", say("Findings that are gone"), diff.gone),
        ("changed", say("Findings that changed"), diff.changed),
    ):
        if changes:
            parts.append(
                TABLES.table(
                    "findings",
                    changes,
                    name=f"findings-{name}",
                    caption=caption,
                    shown=(len(changes), len(changes)),
                    severity=_severity,
                    confidence=_confidence,
                    evidence=_evidence,
                    unchecked=_unchecked,
                )
            )
    yield Section(name="diff", title=say("What changed"), parts=parts)
    grown = [*_growth(diff)]
    if grown:
        yield Section(name="growth", title=say("What changed in size"), parts=grown)
    if diff.settings:
        yield Section(
            name="settings-changed",
            title=say("Settings that differ"),
            parts=(
                TABLES.table(
                    "settings-changed",
                    diff.settings,
                    before=lambda one: _value(one.key, one.before),
                    after=lambda one: _value(one.key, one.after),
                ),
            ),
        )


def _sides(diff: DiffFacts) -> Iterator[tuple[Text, Value]]:
    with_version = diff.before.mqdiag != diff.after.mqdiag
    yield say("before"), _side(diff.before, with_version=with_version)
    yield say("after"), _side(diff.after, with_version=with_version)
    if diff.seconds is not None:
        yield say("between"), quantity(abs(diff.seconds), "seconds")
    for words, growth, kind in (
        (say("reachable"), diff.heap_bytes, "bytes"),
        (say("objects"), diff.objects, "count"),
    ):
        if growth.before is not None and growth.after is not None:
            yield words, _from_to(growth, kind)
    per_hour = _bytes_per_hour(diff)
    if per_hour is not None:
        yield say("growth in an hour"), quantity(per_hour, "bytes")
    yield (
        say("findings"),
        say(
            "{new:count} new, {gone:count} gone, {changed:count} changed, {same:count} the same",
            new=len(diff.new),
            gone=len(diff.gone),
            changed=len(diff.changed),
            same=diff.same,
        ),
    )


def _side(side: DiffSide, *, with_version: bool) -> Text:
    kinds = tuple(map(word, side.kinds)) or (say("findings only"),)
    if side.captured_at:
        text = say("{path} ({kinds:and}, {captured_at:time})", side, kinds=kinds)
    else:
        text = say("{path} ({kinds:and})", path=side.path, kinds=kinds)
    if with_version:
        text = say("{text}, read by mqdiag {version}", text=text, version=side.mqdiag)
    return text if side.complete else say("{text}, not complete", text=text)


def _bytes_per_hour(diff: DiffFacts) -> int | None:
    """None where nothing grew, and where the sides are too close to each other for a rate."""
    grown = diff.heap_bytes.grown
    if not grown or not diff.seconds or diff.seconds < _SHORTEST_FOR_A_RATE_S:
        return None
    return int(grown * _S_PER_HOUR / diff.seconds)


def _from_to(growth: Growth, kind: str) -> Value:
    """Both numbers in one cell."""
    if growth.before == growth.after:
        return quantity(growth.after, kind)
    return say("{before} to {after}", before=quantity(growth.before, kind), after=quantity(growth.after, kind))


def _severity(change: FindingChange) -> Value:
    return _words(change.severity_before, change.severity_after)


def _confidence(change: FindingChange) -> Value:
    return _words(change.confidence_before, change.confidence_after)


def _words(before: str | None, after: str | None) -> Value:
    """The level of the side that has it, or how it changed."""
    if before is None or after is None or before == after:
        return word(after or before or "unknown")
    return say("{before} to {after}", before=word(before), after=word(after))


def _unchecked(change: FindingChange) -> Text | str:
    if change.checked:
        return ""
    if change.severity_before is None:
        return say("the earlier side has no evidence for this rule, so it may have been there before")
    return say("the later side has no evidence for this rule, so it may still be there")


def _evidence(change: FindingChange) -> tuple[Text, ...]:
    return tuple(
        say(
            "{key}: {before} to {after}",
            key=one.key,
            before=_value(one.key, one.before),
            after=_value(one.key, one.after),
        )
        for one in change.evidence
    )


def _value(key: str, value: Value) -> Value:
    """Numbers by what their names say of their kind."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    if key.endswith("_bytes") or key == "heap limit":
        return quantity(value, "bytes")
    if key.endswith("_ms"):
        return quantity(value, "ms")
    return quantity(value, "count" if isinstance(value, int) else "decimal")


def _changed(of: str, kind: str = "count") -> Callable[[object], Value]:
    """The cell that has both numbers of a field."""
    growth: Callable[[object], Growth] = attrgetter(of)
    return lambda one: _from_to(growth(one), kind)


def _growth(diff: DiffFacts) -> Iterator[AnyPart]:
    holders = [row for row in diff.holders if row.retained_bytes.before != row.retained_bytes.after]
    if holders:
        yield TABLES.table("holders-grown", holders)
    if diff.consumers:
        yield _consumers(diff.consumers)
    yield from _queues(diff)
    if diff.classes:
        yield _classes(diff)
    if diff.pools:
        yield TABLES.table(
            "pools-grown",
            diff.pools,
            threads=_changed("threads"),
            stuck=_changed("stuck"),
            blocked=_changed("blocked"),
            progressing=_changed("progressing"),
            idle=_changed("idle"),
            unknown=_changed("unknown"),
        )
    if diff.events:
        yield TABLES.table("events-grown", diff.events)


def _consumers(consumers: tuple[ConsumerGrowth, ...]) -> Table:
    """One row for each number of a consumer, as they are of different kinds."""
    rows: list[Row] = []
    for one in consumers:
        for words, growth, kind in (
            (say("messages"), one.messages, "count"),
            (say("bodies"), one.body_bytes, "bytes"),
            (say("retained"), one.retained_bytes, "bytes"),
            (say("allowed by thresholds"), one.bound_bytes, "bytes"),
            (say("waiting requests"), one.queued_requests, "count"),
            (say("lag"), one.lag, "count"),
        ):
            if growth.before is not None or growth.after is not None:
                rows.append((one.group, word(one.kind), words, *_of_consumer(one, growth, kind)))
    return TABLES.table("consumers-grown", rows=rows)


def _of_consumer(one: ConsumerGrowth, growth: Growth, kind: str) -> Iterator[Value]:
    """Before, after and grown; a side without the consumer has no value."""
    before, after = one.consumers.before is not None, one.consumers.after is not None
    for value, there in ((growth.before, before), (growth.after, after), (growth.grown, before and after)):
        yield quantity(value, kind) if there else NO_VALUE


def _queues(diff: DiffFacts) -> Iterator[Table]:
    rows = [row for row in diff.queues if row.messages.grown or row.lag.grown or row.same_head]
    if rows:
        yield TABLES.table(
            "queues-grown",
            rows,
            messages=_changed("messages"),
            bodies=_changed("body_bytes", "bytes"),
            span=_changed("span"),
            lag=_changed("lag"),
            committed=_changed("commit_offset", ""),
        )


def _classes(diff: DiffFacts) -> Table:
    note = NOTHING
    if diff.classes_left_out:
        note = say(
            "and {hidden:count} more {hidden:class|classes} that changed less", hidden=diff.classes_left_out
        )
    return TABLES.table("classes-grown", diff.classes, note=note)
