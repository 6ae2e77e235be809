"""What changed between two sides: findings first, then who grew."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.diff import DiffFacts, DiffSide, FindingChange, Growth, Value
from mqdiag.findings import Report
from mqdiag.render.text.page import Column, Page
from mqdiag.render.wording.class_names import fit
from mqdiag.render.wording.sizes import duration, number, size

ROWS_SHOWN = 15
NAME_WIDTH = 44


def show_diff(page: Page, report: Report, diff: DiffFacts) -> None:
    """The comparison; the findings that are new or worse follow in full."""
    if report.findings:
        page.hanging("CHANGED", _headline(diff), indent=0, style="bold", mark_style="bold yellow")
    else:
        page.hanging("OK", _headline(diff), indent=0, style="bold", mark_style="bold green")
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
        page.heading("New or worse, in full")
        page.blank()


def _headline(diff: DiffFacts) -> str:
    parts = [
        f"{len(rows)} {name}"
        for name, rows in (("new", diff.new), ("gone", diff.gone), ("changed", diff.changed))
        if rows
    ]
    told = f"Findings: {', '.join(parts)}" if parts else "No finding is new, gone or changed"
    if diff.same:
        told += f"; {diff.same} the same"
    grown = diff.heap_bytes.grown
    if grown:
        told += f". The heap {'grew' if grown > 0 else 'shrank'} by {size(abs(grown))}"
    return f"{told}."


def _sides(diff: DiffFacts) -> Iterator[tuple[str, str]]:
    yield "before", _side(diff.before)
    yield "after", _side(diff.after)
    if diff.seconds is not None:
        yield "between", duration(int(abs(diff.seconds) * 1000))
    if diff.heap_bytes.before is not None and diff.heap_bytes.after is not None:
        yield "reachable", f"{size(diff.heap_bytes.before)} to {size(diff.heap_bytes.after)}{_per_hour(diff)}"


def _per_hour(diff: DiffFacts) -> str:
    grown = diff.heap_bytes.grown
    if not grown or not diff.seconds or diff.seconds < 60:
        return ""
    return f", {_signed(int(grown * 3600 / diff.seconds))} an hour"


def _side(side: DiffSide) -> str:
    when = f", {side.captured_at}" if side.captured_at else ""
    return f"{side.path} ({' and '.join(side.kinds) or 'findings alone'}{when})"


def _findings(page: Page, head: str, changes: tuple[FindingChange, ...]) -> None:
    if not changes:
        return
    page.heading(f"{head} findings")
    for change in changes:
        mark = (change.severity_after or change.severity_before or "").upper()
        page.hanging(mark, f"{change.title} ({change.rule}){_unsure(change)}")
        lines = []
        if head == "Changed" and change.severity_before != change.severity_after:
            lines.append(f"severity: {change.severity_before} to {change.severity_after}")
        if head == "Changed" and change.confidence_before != change.confidence_after:
            lines.append(f"confidence: {change.confidence_before} to {change.confidence_after}")
        lines += [
            f"{one.key}: {_value(one.key, one.before)} to {_value(one.key, one.after)}"
            for one in change.evidence
        ]
        page.bullets(lines, indent=6)


def _unsure(change: FindingChange) -> str:
    if change.checked:
        return ""
    side = "earlier" if change.severity_before is None else "later"
    return f"; the {side} side has no evidence to check it by"


def _holders(page: Page, diff: DiffFacts) -> None:
    rows = [row for row in diff.holders if row.retained_bytes.before != row.retained_bytes.after]
    if rows:
        page.heading("Growth by holder")
        page.table(
            [Column(head="accumulation point"), Column(head="whose"), *_COLUMNS],
            [(row.name, row.owner, *_bytes(row.retained_bytes)) for row in rows[:ROWS_SHOWN]],
        )


def _consumers(page: Page, diff: DiffFacts) -> None:
    if not diff.consumers:
        return
    page.heading("Consumers")
    for row in diff.consumers:
        numbers = [
            ("messages", _numbers(row.messages)),
            ("bodies", _bytes(row.body_bytes)),
            ("retained", _bytes(row.retained_bytes)),
            ("allowed by thresholds", _bytes(row.bound_bytes)),
            ("waiting requests", _numbers(row.queued_requests)),
            ("waiting on the brokers", _numbers(row.lag)),
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
    page.heading("Queues")
    page.table(
        [
            Column(head="queue"),
            Column(head="messages", right=True),
            Column(head="lag", right=True),
            Column(head="committed", right=True),
            Column(head="head"),
        ],
        [
            (
                f"{row.topic} {row.queue_id} on {row.broker}",
                _change(row.messages),
                _change(row.lag),
                _change(row.commit_offset),
                "not moved" if row.same_head else "",
            )
            for row in rows[:ROWS_SHOWN]
        ],
    )
    _left(page, len(rows))


def _classes(page: Page, diff: DiffFacts) -> None:
    rows = [row for row in diff.classes if row.shallow_bytes.grown]
    if not rows:
        return
    page.heading("Growth by class")
    page.table(
        [Column(head="class"), Column(head="objects", right=True), *_COLUMNS],
        [
            (fit(row.name, NAME_WIDTH), _signed_number(row.instances.grown), *_bytes(row.shallow_bytes))
            for row in rows[:ROWS_SHOWN]
        ],
    )
    _left(page, len(rows) + diff.classes_left_out)


def _threads(page: Page, diff: DiffFacts) -> None:
    if diff.pools:
        page.heading("Thread pools")
        page.table(
            [
                Column(head="pool"),
                *(Column(head=name, right=True) for name in ("threads", "stuck", "blocked", "moving", "idle")),
            ],
            [
                (row.pool, *map(_change, (row.threads, row.stuck, row.blocked, row.progressing, row.idle)))
                for row in diff.pools[:ROWS_SHOWN]
            ],
        )
    if diff.events:
        page.heading("Events in logs")
        page.table(
            [Column(head="event"), *_COLUMNS],
            [(row.kind, *_numbers(row.lines)) for row in diff.events[:ROWS_SHOWN]],
        )


def _settings(page: Page, diff: DiffFacts) -> None:
    if diff.settings:
        page.heading("Settings that differ")
        page.bullets(
            f"{row.of}: {row.key} {_value(row.key, row.before)} to {_value(row.key, row.after)}"
            for row in diff.settings
        )


_COLUMNS = (
    Column(head="before", right=True),
    Column(head="after", right=True),
    Column(head="grown", right=True),
)


def _left(page: Page, rows: int) -> None:
    if rows > ROWS_SHOWN:
        page.paragraph(f"and {rows - ROWS_SHOWN:,} more", style="dim")


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
