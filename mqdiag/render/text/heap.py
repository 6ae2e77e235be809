"""The dump in numbers: what it is, where its memory sits, its classes."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import HeapFacts
from mqdiag.facts.heap import ClassRow, Suspect
from mqdiag.findings import Report
from mqdiag.render.text.page import Column, Page
from mqdiag.render.wording.class_names import fit
from mqdiag.render.wording.sizes import number, share, size
from mqdiag.text import say

CLASSES_SHOWN = 15
WORTH_SHOWING_BYTES = 1 << 20  # in an almost empty heap a class loader is the largest thing, and no news
SUSPECTS_SHOWN = 5
HOLDERS_SHOWN = 5

OWNERS = {"rocketmq": "RocketMQ", "jdk": say("the JDK"), "application": say("the application")}
LIMIT_SOURCES = {
    "option": "from --heap-limit",
    "max-memory-static": say("as the JVM notes its maximum in a static field"),
}


def show_dump(page: Page, report: Report) -> None:
    """What was read and how big it is."""
    heap = report.heap
    if heap is None:
        return
    page.heading(say("The dump"))
    page.pairs(_summary(report, heap))


def _summary(report: Report, heap: HeapFacts) -> Iterator[tuple[str, str]]:
    own = None if report.process is None else report.process.inputs
    for given in report.inputs:
        if given.kind != "heap" or (own is not None and given.path not in own):
            continue
        kind = f", {given.format}" if given.format else ""
        yield say("file"), f"{given.path} ({size(given.bytes)}{kind})"
    if heap.captured_at:
        yield say("written"), heap.captured_at
    if heap.jvm:
        yield say("JVM"), heap.jvm
    if heap.heap_bytes is None:
        yield say("heap limit"), say("not known; --heap-limit gives it")
    else:
        source = LIMIT_SOURCES.get(heap.heap_bytes_source or "", heap.heap_bytes_source or "")
        yield say("heap limit"), f"{size(heap.heap_bytes)}, {source}"
    if heap.objects is None:
        yield say("objects"), f"{number(heap.file_objects)}, {size(heap.file_shallow_bytes)}"
    else:
        yield (
            say("reachable"),
            say(
                "{objects:count} objects, {shallow_bytes:bytes}",
                objects=heap.objects,
                shallow_bytes=heap.shallow_bytes,
            ),
        )
        yield (
            say("unreachable"),
            say(
                "{unreachable_objects:count} objects, {unreachable_bytes:bytes}",
                unreachable_objects=heap.unreachable_objects,
                unreachable_bytes=heap.unreachable_bytes,
            ),
        )
    if heap.messages or heap.messages_unreachable or heap.consumers:
        yield say("messages"), _messages(heap, whole=all(given.complete for given in report.inputs))


def _messages(heap: HeapFacts, *, whole: bool) -> str:
    text = number(heap.messages)
    totals = heap.message_totals
    if totals is not None:
        places = (
            (totals.in_queues, say("in queues")),
            (totals.in_executors, say("waiting in executors")),
            (totals.in_frames, say("in the hands of threads")),
            (totals.elsewhere, say("held by something else")),
        )
        held = ", ".join(f"{number(count)} {place}" for count, place in places if count)
        text += f": {held}" if held else ""
    if heap.body_bytes is not None:
        text += say("; bodies {body_bytes:bytes}", body_bytes=heap.body_bytes)
    if heap.messages_unreachable:
        # Where the end of the dump is missing, so are roots and holders, and nothing can be said of them.
        why = say(" (consumed, not yet collected)") if whole else ""
        text += say(
            "; {messages_unreachable:count} more unreachable{why}",
            messages_unreachable=heap.messages_unreachable,
            why=why,
        )
    return text


def show_holders(page: Page, heap: HeapFacts) -> None:
    """Who keeps messages outside RocketMQ's own structures."""
    if not heap.message_holders:
        return
    page.heading(say("Messages held outside RocketMQ"))
    for holder in heap.message_holders[:HOLDERS_SHOWN]:
        retained = (
            ""
            if holder.retained_bytes is None
            else say(", {retained_bytes:bytes} retained", retained_bytes=holder.retained_bytes)
        )
        page.hanging(
            "-",
            say(
                "{holder_class}.{holder_field}: {messages:count} messages{retained}",
                holder_class=holder.holder_class,
                holder_field=holder.holder_field,
                messages=holder.messages,
                retained=retained,
            ),
        )
        _path(page, holder.path)


def show_suspects(page: Page, heap: HeapFacts) -> None:
    """Where retained weight really sits, with the way from a GC root."""
    shown = [suspect for suspect in heap.suspects if suspect.retained_bytes >= WORTH_SHOWING_BYTES]
    if not shown:
        return
    page.heading(say("Where the memory sits"))
    for suspect in shown[:SUSPECTS_SHOWN]:
        _suspect(page, suspect)


def _suspect(page: Page, suspect: Suspect) -> None:
    page.hanging(f"{share(suspect.share, 1):>5}", _name(suspect, page.view.width - 8))
    page.paragraph(
        say(
            "{retained_bytes:bytes} retained, of {owner}, object {object_id}",
            retained_bytes=suspect.retained_bytes,
            owner=OWNERS.get(suspect.owner, suspect.owner),
            object_id=suspect.object_id,
        ),
        indent=8,
    )
    if suspect.holds:
        page.paragraph(say("mostly {holds}", holds=", ".join(suspect.holds[:3])), indent=8)
    _path(page, suspect.path, indent=8)


def _name(suspect: Suspect, width: int) -> str:
    if suspect.label and suspect.label != suspect.class_name:
        return f"{fit(suspect.label, width)}, {fit(suspect.class_name, width)}"
    return fit(suspect.class_name, width)


def _path(page: Page, path: tuple[str, ...], *, indent: int = 4) -> None:
    for depth, step in enumerate(path):
        page.hanging(
            say("from") if depth == 0 else "  ->", _step(step, page.view.width - indent - 5), indent=indent
        )


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
    page.heading(say("Largest classes"))
    retained = any(row.retained_bytes is not None for row in rows)
    columns = [Column(head=say("instances"), right=True), Column(head=say("shallow"), right=True)]
    columns += [Column(head=say("retained"), right=True)] if retained else []
    page.table(
        [*columns, Column(head=say("class"))],
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
        page.paragraph(
            say(
                "and {rows:count} more classes, {rest:bytes} shallow",
                rows=len(rows) - CLASSES_SHOWN,
                rest=rest,
            )
        )


def _weight(row: ClassRow) -> tuple[int, int]:
    # What no root reaches retains nothing by itself; in a cut dump that is most of the heap.
    return (max(row.retained_bytes or 0, row.shallow_bytes), row.shallow_bytes)


def _class_name(row: ClassRow, width: int) -> str:
    loaders = "" if row.loaders < 2 else say(" ({loaders} loaders)", loaders=row.loaders)
    return fit(f"{row.name}{loaders}", width)
