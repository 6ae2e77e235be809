"""A heap dump: what it is, who holds it, its classes."""

from __future__ import annotations

from mqdiag.facts import HeapFacts
from mqdiag.facts.heap import ClassRow
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.html.figures.treemap import Area, treemap
from mqdiag.render.html.page.parts import AnyPart, Bullets, Cell, Column, Figure, Fold, Pairs, Section, Table
from mqdiag.render.wording.class_names import fit
from mqdiag.render.wording.sizes import number, share, size
from mqdiag.text import say

MOST_CLASSES = 1000
_JDK = ("java.", "javax.", "jdk.", "sun.", "com.sun.")


def heap_section(report: Report, view: View) -> Section | None:
    """Numbers, the treemap, accumulation points with their paths, classes."""
    heap = report.heap
    if heap is None:
        return None
    parts: list[AnyPart] = [Pairs(_summary(heap))]
    if heap.dominators and heap.shallow_bytes:
        parts.append(_map(heap))
    if heap.suspects:
        parts.append(_suspects(heap))
        parts += [
            Fold(
                summary=say("How {label} hangs on a GC root", label=one.label or one.class_name),
                parts=[Bullets(one.path)],
            )
            for one in heap.suspects
            if one.path
        ]
    if heap.message_holders:
        parts.append(_holders(heap))
    if heap.classes:
        parts.append(_classes(heap))
    return Section(name="heap", title=say("The heap"), parts=parts)


def _summary(heap: HeapFacts) -> list[tuple[str, str]]:
    rows = [(say("written"), heap.captured_at or say("not known")), (say("JVM"), heap.jvm or say("not known"))]
    limit = say("not known; --heap-limit gives it") if heap.heap_bytes is None else size(heap.heap_bytes)
    rows.append((say("heap limit"), limit))
    if heap.objects is None:
        rows.append((say("objects"), f"{number(heap.file_objects)}, {size(heap.file_shallow_bytes)}"))
    else:
        rows.append(
            (
                say("reachable"),
                say(
                    "{objects:count} objects, {shallow_bytes:bytes}",
                    objects=heap.objects,
                    shallow_bytes=heap.shallow_bytes,
                ),
            )
        )
        unreachable = say(
            "{unreachable_objects:count} objects, {unreachable_bytes:bytes}",
            unreachable_objects=heap.unreachable_objects,
            unreachable_bytes=heap.unreachable_bytes,
        )
        rows.append((say("unreachable"), unreachable))
    if heap.messages is not None and (heap.messages or heap.consumers):
        rows.append(
            (
                say("messages"),
                say(
                    "{messages:count}, bodies of {body_bytes:bytes}",
                    messages=heap.messages,
                    body_bytes=heap.body_bytes,
                ),
            )
        )
    return rows


def _map(heap: HeapFacts) -> Figure:
    boxes = heap.dominators
    inner: dict[int | None, list[int]] = {}
    for place, box in enumerate(boxes):
        inner.setdefault(box.parent, []).append(place)

    def area(place: int, kind: str | None) -> Area:
        box = boxes[place]
        whose = kind or _kind(box.name)
        below = tuple(area(child, _kind(boxes[child].name, whose)) for child in inner.get(place, ()))
        name = fit(box.name, 48) if box.objects == 1 else f"{number(box.objects)} x {fit(box.name, 40)}"
        detail = f"{size(box.retained_bytes)}, {share(box.retained_bytes, heap.shallow_bytes)}"
        return Area(label=name, detail=detail, weight=box.retained_bytes, kind=whose, inner=below)

    areas = [area(place, None) for place in inner.get(None, ())]
    rest = (heap.shallow_bytes or 0) - sum(one.weight for one in areas)
    if rest > 0:
        detail = f"{size(rest)}, {share(rest, heap.shallow_bytes)}"
        areas.append(Area(label=say("smaller objects"), detail=detail, weight=rest, kind="rest"))
    largest = max(areas, key=lambda one: one.weight)
    return Figure(
        svg=treemap(
            say(
                "Who holds the {shallow_bytes:bytes} of the heap: most is held by {label}, {detail}",
                shallow_bytes=heap.shallow_bytes,
                label=largest.label,
                detail=largest.detail,
            ),
            areas,
        ),
        caption=(
            say(
                "Who holds the heap: each box is an object with all that would go with it (its"
                " retained size), or the small ones of a class together. Red: RocketMQ, blue: the"
                " application, grey: the JDK."
            )
        ),
    )


def _kind(name: str, otherwise: str | None = None) -> str:
    """Whose class it is; the JDK's own inside another's box is the other's."""
    plain = name.removeprefix("class ")
    if ".rocketmq." in plain:
        return "rocketmq"
    if plain.startswith(_JDK) or plain.rstrip("[]").islower():
        return otherwise or "jdk"
    return "application"


def _suspects(heap: HeapFacts) -> Table:
    return Table(
        name="suspects",
        caption=say("Where the memory sits"),
        columns=(
            Column(head=say("retained"), number=True),
            Column(head=say("share"), number=True),
            Column(head=say("held under")),
            Column(head=say("class")),
            Column(head=say("of")),
            Column(head=say("mostly")),
            Column(head=say("object")),
        ),
        rows=[
            (
                Cell(size(one.retained_bytes), one.retained_bytes),
                Cell(share(one.share, 1), one.share),
                one.label,
                one.class_name,
                one.owner,
                "; ".join(one.holds[:3]),
                one.object_id,
            )
            for one in heap.suspects
        ],
    )


def _holders(heap: HeapFacts) -> Table:
    return Table(
        name="holders",
        caption=say("Messages held outside RocketMQ"),
        columns=(
            Column(head=say("holder")),
            Column(head=say("messages"), number=True),
            Column(head=say("retained"), number=True),
        ),
        rows=[
            (
                f"{one.holder_class}.{one.holder_field}",
                Cell(number(one.messages), one.messages),
                Cell(size(one.retained_bytes), one.retained_bytes or 0),
            )
            for one in heap.message_holders
        ],
    )


def _classes(heap: HeapFacts) -> Table:
    rows = sorted(heap.classes, key=_weight, reverse=True)
    hidden = rows[MOST_CLASSES:]
    note = ""
    if hidden:
        rest = sum(row.shallow_bytes for row in hidden)
        note = say(
            "and {hidden:count} more classes, {rest:bytes} shallow; --format json has them all",
            hidden=len(hidden),
            rest=rest,
        )
    return Table(
        name="classes",
        caption=say("Classes, the largest first"),
        columns=(
            Column(head=say("class")),
            Column(head=say("instances"), number=True),
            Column(head=say("shallow"), number=True),
            Column(head=say("retained"), number=True),
        ),
        rows=[
            (
                row.name + ("" if row.loaders < 2 else say(" ({loaders} loaders)", loaders=row.loaders)),
                Cell(number(row.instances), row.instances),
                Cell(size(row.shallow_bytes), row.shallow_bytes),
                Cell(size(row.retained_bytes), -1 if row.retained_bytes is None else row.retained_bytes),
            )
            for row in rows[:MOST_CLASSES]
        ],
        note=note,
    )


def _weight(row: ClassRow) -> tuple[int, int]:
    return (max(row.retained_bytes or 0, row.shallow_bytes), row.shallow_bytes)
