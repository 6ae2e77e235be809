"""The dump in numbers: what it is, where its memory sits, its classes."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import HeapFacts
from mqdiag.facts.heap import ClassRow, Suspect
from mqdiag.findings import Report
from mqdiag.render.text.page import Column, Page
from mqdiag.render.wording.class_names import fit
from mqdiag.render.wording.sizes import number, share, size

CLASSES_SHOWN = 15
WORTH_SHOWING_BYTES = 1 << 20  # in an almost empty heap a class loader is the largest thing, and no news
SUSPECTS_SHOWN = 5
HOLDERS_SHOWN = 5

OWNERS = {"rocketmq": "RocketMQ", "jdk": "the JDK", "application": "the application"}
LIMIT_SOURCES = {
    "option": "from --heap-limit",
    "max-memory-static": "as the JVM notes its maximum in a static field",
}


def show_dump(page: Page, report: Report) -> None:
    """What was read and how big it is."""
    heap = report.heap
    if heap is None:
        return
    page.heading("The dump")
    page.pairs(_summary(report, heap))


def _summary(report: Report, heap: HeapFacts) -> Iterator[tuple[str, str]]:
    own = None if report.process is None else report.process.inputs
    for given in report.inputs:
        if given.kind != "heap" or (own is not None and given.path not in own):
            continue
        kind = f", {given.format}" if given.format else ""
        yield "file", f"{given.path} ({size(given.bytes)}{kind})"
    if heap.captured_at:
        yield "written", heap.captured_at
    if heap.jvm:
        yield "JVM", heap.jvm
    if heap.heap_bytes is None:
        yield "heap limit", "not known; --heap-limit gives it"
    else:
        source = LIMIT_SOURCES.get(heap.heap_bytes_source or "", heap.heap_bytes_source or "")
        yield "heap limit", f"{size(heap.heap_bytes)}, {source}"
    if heap.objects is None:
        yield "objects", f"{number(heap.file_objects)}, {size(heap.file_shallow_bytes)}"
    else:
        yield "reachable", f"{number(heap.objects)} objects, {size(heap.shallow_bytes)}"
        yield "unreachable", f"{number(heap.unreachable_objects)} objects, {size(heap.unreachable_bytes)}"
    if heap.messages or heap.messages_unreachable or heap.consumers:
        yield "messages", _messages(heap, whole=all(given.complete for given in report.inputs))


def _messages(heap: HeapFacts, *, whole: bool) -> str:
    text = number(heap.messages)
    totals = heap.message_totals
    if totals is not None:
        places = (
            (totals.in_queues, "in queues"),
            (totals.in_executors, "waiting in executors"),
            (totals.in_frames, "in the hands of threads"),
            (totals.elsewhere, "held by something else"),
        )
        held = ", ".join(f"{number(count)} {place}" for count, place in places if count)
        text += f": {held}" if held else ""
    if heap.body_bytes is not None:
        text += f"; bodies {size(heap.body_bytes)}"
    if heap.messages_unreachable:
        # Where the end of the dump is missing, so are roots and holders, and nothing can be said of them.
        why = " (consumed, not yet collected)" if whole else ""
        text += f"; {number(heap.messages_unreachable)} more unreachable{why}"
    return text


def show_holders(page: Page, heap: HeapFacts) -> None:
    """Who keeps messages outside RocketMQ's own structures."""
    if not heap.message_holders:
        return
    page.heading("Messages held outside RocketMQ")
    for holder in heap.message_holders[:HOLDERS_SHOWN]:
        retained = "" if holder.retained_bytes is None else f", {size(holder.retained_bytes)} retained"
        page.hanging(
            "-", f"{holder.holder_class}.{holder.holder_field}: {number(holder.messages)} messages{retained}"
        )
        _path(page, holder.path)


def show_suspects(page: Page, heap: HeapFacts) -> None:
    """Where retained weight really sits, with the way from a GC root."""
    shown = [suspect for suspect in heap.suspects if suspect.retained_bytes >= WORTH_SHOWING_BYTES]
    if not shown:
        return
    page.heading("Where the memory sits")
    for suspect in shown[:SUSPECTS_SHOWN]:
        _suspect(page, suspect)


def _suspect(page: Page, suspect: Suspect) -> None:
    page.hanging(f"{share(suspect.share, 1):>5}", _name(suspect, page.view.width - 8))
    page.paragraph(
        f"{size(suspect.retained_bytes)} retained, of {OWNERS.get(suspect.owner, suspect.owner)},"
        f" object {suspect.object_id}",
        indent=8,
    )
    if suspect.holds:
        page.paragraph(f"mostly {', '.join(suspect.holds[:3])}", indent=8)
    _path(page, suspect.path, indent=8)


def _name(suspect: Suspect, width: int) -> str:
    if suspect.label and suspect.label != suspect.class_name:
        return f"{fit(suspect.label, width)}, {fit(suspect.class_name, width)}"
    return fit(suspect.class_name, width)


def _path(page: Page, path: tuple[str, ...], *, indent: int = 4) -> None:
    for depth, step in enumerate(path):
        page.hanging("from" if depth == 0 else "  ->", _step(step, page.view.width - indent - 5), indent=indent)


def _step(step: str, width: int) -> str:
    """A step is "edge -> object"; both give way when it is too long."""
    if len(step) <= width:
        return step
    parts = step.split(" -> ")
    room = (width - 4 * (len(parts) - 1)) // len(parts)
    return " -> ".join(fit(part, room) for part in parts)


def show_classes(page: Page, heap: HeapFacts) -> None:
    """The largest classes, by retained size where it is known."""
    if not heap.classes:
        return
    rows = sorted(heap.classes, key=_weight, reverse=True)
    page.heading("Largest classes")
    retained = any(row.retained_bytes is not None for row in rows)
    columns = [Column(head="instances", right=True), Column(head="shallow", right=True)]
    columns += [Column(head="retained", right=True)] if retained else []
    page.table(
        [*columns, Column(head="class")],
        [
            (
                number(row.instances),
                size(row.shallow_bytes),
                *([size(row.retained_bytes)] if retained else []),
                _class_name(row, page.view.width - 38),
            )
            for row in rows[:CLASSES_SHOWN]
        ],
    )
    if len(rows) > CLASSES_SHOWN:
        rest = sum(row.shallow_bytes for row in rows[CLASSES_SHOWN:])
        page.paragraph(f"and {number(len(rows) - CLASSES_SHOWN)} more classes, {size(rest)} shallow")


def _weight(row: ClassRow) -> tuple[int, int]:
    # What no root reaches retains nothing by itself; in a cut dump that is most of the heap.
    return (max(row.retained_bytes or 0, row.shallow_bytes), row.shallow_bytes)


def _class_name(row: ClassRow, width: int) -> str:
    loaders = "" if row.loaders < 2 else f" ({row.loaders} loaders)"
    return fit(f"{row.name}{loaders}", width)
