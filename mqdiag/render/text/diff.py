"""What changed between two sides: findings first, then who grew."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.diff import DiffFacts, DiffSide, FindingChange, Growth, Value
from mqdiag.findings import Report
from mqdiag.render.text.page import Column, Page
from mqdiag.render.wording.class_names import fit
from mqdiag.render.wording.sizes import duration, number, size
from mqdiag.text import say

ROWS_SHOWN = 15
NAME_WIDTH = 44


def show_diff(page: Page, report: Report, diff: DiffFacts) -> None:
    """The comparison; the findings that are new or worse follow in full."""
    if report.findings:
        page.hanging(say("CHANGED"), _headline(diff), indent=0, style="bold", mark_style="bold yellow")
    else:
        page.hanging(say("OK"), _headline(diff), indent=0, style="bold", mark_style="bold green")
    page.blank()
    page.pairs(_sides(diff))
    for remark in diff.remarks:
        page.hanging("!", remark, mark_style="bold yellow")
    _findings(page, "New", diff.new)
    _findings(page, "Gone", diff.gone)
    _findings(page, "Changed", diff.changed)
    _holders(page, diff)
    _consumers(page, diff)
    _queues(page, diff)
    _classes(page, diff)
    _threads(page, diff)
    _settings(page, diff)
    if report.findings:
        page.heading(say("New or worse, in full"))
        page.blank()


def _headline(diff: DiffFacts) -> str:
    parts = [
        f"{len(rows)} {name}"
        for name, rows in ((say("new"), diff.new), (say("gone"), diff.gone), (say("changed"), diff.changed))
        if rows
    ]
    told = (
        say("Findings: {parts}", parts=", ".join(parts)) if parts else say("No finding is new, gone or changed")
    )
    if diff.same:
        told += say("; {same} the same", same=diff.same)
    grown = diff.heap_bytes.grown
    if grown:
        told += say(
            ". The heap grew by {grown}" if grown > 0 else ". The heap shrank by {grown}",
            grown=size(abs(grown)),
        )
    return f"{told}."


def _sides(diff: DiffFacts) -> Iterator[tuple[str, str]]:
    yield say("before"), _side(diff.before)
    yield say("after"), _side(diff.after)
    if diff.seconds is not None:
        yield say("between"), duration(int(abs(diff.seconds) * 1000))
    if diff.heap_bytes.before is not None and diff.heap_bytes.after is not None:
        yield (
            say("reachable"),
            say(
                "{before:bytes} to {after:bytes}{per_hour}",
                before=diff.heap_bytes.before,
                after=diff.heap_bytes.after,
                per_hour=_per_hour(diff),
            ),
        )


def _per_hour(diff: DiffFacts) -> str:
    grown = diff.heap_bytes.grown
    if not grown or not diff.seconds or diff.seconds < 60:
        return ""
    return say(", {signed} an hour", signed=_signed(int(grown * 3600 / diff.seconds)))


def _side(side: DiffSide) -> str:
    when = f", {side.captured_at}" if side.captured_at else ""
    return f"{side.path} ({say(' and ').join(side.kinds) or say('findings alone')}{when})"


def _findings(page: Page, head: str, changes: tuple[FindingChange, ...]) -> None:
    if not changes:
        return
    page.heading(say("{head} findings", head=head))
    for change in changes:
        mark = (change.severity_after or change.severity_before or "").upper()
        page.hanging(mark, f"{change.title} ({change.rule}){_unsure(change)}")
        lines = []
        if head == "Changed" and change.severity_before != change.severity_after:
            lines.append(
                say(
                    "severity: {severity_before} to {severity_after}",
                    severity_before=change.severity_before,
                    severity_after=change.severity_after,
                )
            )
        if head == "Changed" and change.confidence_before != change.confidence_after:
            lines.append(
                say(
                    "confidence: {confidence_before} to {confidence_after}",
                    confidence_before=change.confidence_before,
                    confidence_after=change.confidence_after,
                )
            )
        lines += [
            say(
                "{key}: {before} to {after}",
                key=one.key,
                before=_value(one.key, one.before),
                after=_value(one.key, one.after),
            )
            for one in change.evidence
        ]
        page.bullets(lines, indent=6)


def _unsure(change: FindingChange) -> str:
    if change.checked:
        return ""
    side = say("earlier") if change.severity_before is None else say("later")
    return say("; the {side} side has no evidence to check it by", side=side)


def _holders(page: Page, diff: DiffFacts) -> None:
    rows = [row for row in diff.holders if row.retained_bytes.before != row.retained_bytes.after]
    if rows:
        page.heading(say("Growth by holder"))
        page.table(
            [Column(head=say("accumulation point")), Column(head=say("whose")), *_COLUMNS],
            [(row.name, row.owner, *_bytes(row.retained_bytes)) for row in rows[:ROWS_SHOWN]],
        )


def _consumers(page: Page, diff: DiffFacts) -> None:
    if not diff.consumers:
        return
    page.heading(say("Consumers"))
    for row in diff.consumers:
        numbers = [
            (say("messages"), _numbers(row.messages)),
            (say("bodies"), _bytes(row.body_bytes)),
            (say("retained"), _bytes(row.retained_bytes)),
            (say("allowed by thresholds"), _bytes(row.bound_bytes)),
            (say("waiting requests"), _numbers(row.queued_requests)),
            (say("waiting on the brokers"), _numbers(row.lag)),
        ]
        page.hanging("-", f"{row.group} ({row.kind})")
        page.table(
            [Column(head=""), *_COLUMNS],
            [(name, *cells) for name, cells in numbers if any(cell != "?" for cell in cells)],
            indent=4,
        )


def _queues(page: Page, diff: DiffFacts) -> None:
    rows = [row for row in diff.queues if row.messages.grown or row.lag.grown or row.same_head]
    if not rows:
        return
    page.heading(say("Queues"))
    page.table(
        [
            Column(head=say("queue")),
            Column(head=say("messages"), right=True),
            Column(head=say("lag"), right=True),
            Column(head=say("committed"), right=True),
            Column(head=say("head")),
        ],
        [
            (
                say(
                    "{topic} {queue_id} on {broker}", topic=row.topic, queue_id=row.queue_id, broker=row.broker
                ),
                _change(row.messages),
                _change(row.lag),
                _change(row.commit_offset),
                say("not moved") if row.same_head else "",
            )
            for row in rows[:ROWS_SHOWN]
        ],
    )
    _left(page, len(rows))


def _classes(page: Page, diff: DiffFacts) -> None:
    rows = [row for row in diff.classes if row.shallow_bytes.grown]
    if not rows:
        return
    page.heading(say("Growth by class"))
    page.table(
        [Column(head=say("class")), Column(head=say("objects"), right=True), *_COLUMNS],
        [
            (fit(row.name, NAME_WIDTH), _signed_number(row.instances.grown), *_bytes(row.shallow_bytes))
            for row in rows[:ROWS_SHOWN]
        ],
    )
    _left(page, len(rows) + diff.classes_left_out)


def _threads(page: Page, diff: DiffFacts) -> None:
    if diff.pools:
        page.heading(say("Thread pools"))
        page.table(
            [
                Column(head=say("pool")),
                *(Column(head=name, right=True) for name in ("threads", "stuck", "blocked", "moving", "idle")),
            ],
            [
                (row.pool, *map(_change, (row.threads, row.stuck, row.blocked, row.progressing, row.idle)))
                for row in diff.pools[:ROWS_SHOWN]
            ],
        )
    if diff.events:
        page.heading(say("Events in logs"))
        page.table(
            [Column(head=say("event")), *_COLUMNS],
            [(row.kind, *_numbers(row.lines)) for row in diff.events[:ROWS_SHOWN]],
        )


def _settings(page: Page, diff: DiffFacts) -> None:
    if diff.settings:
        page.heading(say("Settings that differ"))
        page.bullets(
            say(
                "{of}: {key} {before} to {after}",
                of=row.of,
                key=row.key,
                before=_value(row.key, row.before),
                after=_value(row.key, row.after),
            )
            for row in diff.settings
        )


_COLUMNS = (
    Column(head=say("before"), right=True),
    Column(head=say("after"), right=True),
    Column(head=say("grown"), right=True),
)


def _left(page: Page, rows: int) -> None:
    if rows > ROWS_SHOWN:
        page.paragraph(say("and {rows:count} more", rows=rows - ROWS_SHOWN), style="dim")


def _bytes(row: Growth) -> tuple[str, str, str]:
    return (
        "?" if row.before is None else size(row.before),
        "?" if row.after is None else size(row.after),
        "?" if row.grown is None else _signed(row.grown),
    )


def _numbers(row: Growth) -> tuple[str, str, str]:
    return (
        "?" if row.before is None else number(row.before),
        "?" if row.after is None else number(row.after),
        _signed_number(row.grown),
    )


def _change(row: Growth) -> str:
    """Both numbers in one cell."""
    before, after, _ = _numbers(row)
    return after if before == after else f"{before} > {after}"


def _signed(value: int) -> str:
    return f"{'-' if value < 0 else '+'}{size(abs(value))}"


def _signed_number(value: int | None) -> str:
    return "?" if value is None else f"{value:+,}"


def _value(key: str, value: Value) -> str:
    if value is None:
        return "unknown"
    if (
        isinstance(value, int)
        and not isinstance(value, bool)
        and (key.endswith("_bytes") or key == "heap limit")
    ):
        return size(value)
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
