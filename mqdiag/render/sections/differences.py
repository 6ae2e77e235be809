"""What changed between two sides: findings that came and went, what grew, settings that differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter

from mqdiag.facts.diff import ConsumerGrowth, DiffFacts, DiffSide, FindingChange, Growth
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import NO_VALUE, AnyPart, Bullets, Column, Pairs, Row, Section, Table
from mqdiag.render.wording.words import word
from mqdiag.text import NOTHING, Text, Value, quantity, say

_ROWS = (15, 2000)
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
            parts.append(_findings(name, caption, changes))
    yield Section(name="diff", title=say("What changed"), parts=parts)
    grown = [*_growth(diff)]
    if grown:
        yield Section(name="growth", title=say("What changed in size"), parts=grown)
    if diff.settings:
        yield Section(name="settings-changed", title=say("Settings that differ"), parts=(_settings(diff),))


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
        text = say(
            "{path} ({kinds:and}, {captured_at:time})",
            path=side.path,
            kinds=kinds,
            captured_at=side.captured_at,
        )
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


def _findings(name: str, caption: Text, changes: Sequence[FindingChange]) -> Table:
    return Table(
        name=f"findings-{name}",
        caption=caption,
        columns=(
            Column(say("severity"), of=_severity),
            Column(say("confidence"), of=_confidence, wide=True),
            Column(say("finding"), of="title"),
            Column(say("rule"), of="rule", wide=True),
            Column(say("what changed"), of=_evidence, none="", optional=True),
            Column(say("note"), of=_unchecked, optional=True),
        ),
        rows_of=changes,
        shown=(len(changes), len(changes)),
    )


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


def _before_and_after(kind: str, of: str) -> tuple[Column, Column, Column]:
    return (
        Column(say("before"), kind, of=f"{of}.before"),
        Column(say("after"), kind, of=f"{of}.after"),
        Column(say("grown"), kind, of=f"{of}.grown"),
    )


def _changed(of: str, kind: str = "count") -> Callable[[object], Value]:
    """The cell that has both numbers of a field."""
    growth: Callable[[object], Growth] = attrgetter(of)
    return lambda one: _from_to(growth(one), kind)


def _growth(diff: DiffFacts) -> Iterator[AnyPart]:
    holders = [row for row in diff.holders if row.retained_bytes.before != row.retained_bytes.after]
    if holders:
        yield Table(
            name="holders-grown",
            caption=say("Retained bytes by accumulation point"),
            columns=(
                Column(say("accumulation point"), of="name", java=True),
                Column(say("belongs to"), of="owner", worded=True),
                *_before_and_after("bytes", of="retained_bytes"),
            ),
            rows_of=holders,
            shown=_ROWS,
        )
    if diff.consumers:
        yield _consumers(diff.consumers)
    yield from _queues(diff)
    if diff.classes:
        yield _classes(diff)
    if diff.pools:
        yield _pools(diff)
    if diff.events:
        yield Table(
            name="events-grown",
            caption=say("Events in logs"),
            columns=(Column(say("event"), of="kind", whole=True), *_before_and_after("count", of="lines")),
            rows_of=diff.events,
            shown=_ROWS,
        )


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
    return Table(
        name="consumers-grown",
        caption=say("Consumers"),
        columns=(
            Column(say("group")),
            Column(say("kind")),
            Column(say("number")),
            Column(say("before"), number=True),
            Column(say("after"), number=True),
            Column(say("grown"), number=True),
        ),
        rows=rows,
        shown=(60, 2000),
    )


def _of_consumer(one: ConsumerGrowth, growth: Growth, kind: str) -> Iterator[Value]:
    """Before, after and grown; a side without the consumer has no value."""
    before, after = one.consumers.before is not None, one.consumers.after is not None
    for value, there in ((growth.before, before), (growth.after, after), (growth.grown, before and after)):
        yield quantity(value, kind) if there else NO_VALUE


def _queues(diff: DiffFacts) -> Iterator[Table]:
    rows = [row for row in diff.queues if row.messages.grown or row.lag.grown or row.same_head]
    if rows:
        yield Table(
            name="queues-grown",
            caption=say("Queues"),
            columns=(
                Column(say("group"), of="group", wide=True),
                Column(say("topic"), of="topic"),
                Column(say("queue"), of="queue_id", number=True),
                Column(say("broker"), of="broker"),
                Column(say("messages"), of=_changed("messages"), number=True),
                Column(say("bodies"), of=_changed("body_bytes", "bytes"), number=True, wide=True),
                Column(say("span"), of=_changed("span"), number=True, wide=True),
                Column(say("lag"), of=_changed("lag"), number=True),
                Column(say("committed"), of=_changed("commit_offset", ""), number=True),
                Column(say("first message"), of="same_head", flag=say("not moved"), optional=True),
            ),
            rows_of=rows,
            shown=_ROWS,
        )


def _classes(diff: DiffFacts) -> Table:
    note = NOTHING
    if diff.classes_left_out:
        note = say(
            "and {hidden:count} more {hidden:class|classes} that changed less", hidden=diff.classes_left_out
        )
    return Table(
        name="classes-grown",
        caption=say("Classes"),
        columns=(
            Column(say("class"), of="name", java=True),
            Column(say("objects before"), "count", of="instances.before", wide=True),
            Column(say("objects after"), "count", of="instances.after", wide=True),
            Column(say("objects grown"), "count", of="instances.grown"),
            Column(say("bytes before"), "bytes", of="shallow_bytes.before"),
            Column(say("bytes after"), "bytes", of="shallow_bytes.after"),
            Column(say("bytes grown"), "bytes", of="shallow_bytes.grown"),
            Column(say("retained before"), "bytes", of="retained_bytes.before", wide=True, optional=True),
            Column(say("retained after"), "bytes", of="retained_bytes.after", wide=True, optional=True),
            Column(say("retained grown"), "bytes", of="retained_bytes.grown", wide=True, optional=True),
        ),
        rows_of=diff.classes,
        shown=_ROWS,
        note=note,
    )


def _pools(diff: DiffFacts) -> Table:
    return Table(
        name="pools-grown",
        caption=say("Thread pools"),
        columns=(
            Column(say("pool"), of="pool"),
            Column(say("group"), of="group", none="", wide=True, optional=True),
            Column(say("threads"), of=_changed("threads"), number=True),
            Column(say("stuck"), of=_changed("stuck"), number=True),
            Column(say("blocked"), of=_changed("blocked"), number=True),
            Column(say("progressing"), of=_changed("progressing"), number=True),
            Column(say("idle"), of=_changed("idle"), number=True),
            Column(say("unknown"), of=_changed("unknown"), number=True),
        ),
        rows_of=diff.pools,
        shown=_ROWS,
    )


def _settings(diff: DiffFacts) -> Table:
    return Table(
        name="settings-changed",
        columns=(
            Column(say("belongs to"), of="of"),
            Column(say("setting"), of="key"),
            Column(say("before"), of=lambda one: _value(one.key, one.before)),
            Column(say("after"), of=lambda one: _value(one.key, one.after)),
        ),
        rows_of=diff.settings,
        shown=(200, 2000),
    )
