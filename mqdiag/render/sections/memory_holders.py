"""Where the memory is: the objects that retain most, and the references that keep them alive."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import HeapFacts
from mqdiag.facts.heap import Suspect
from mqdiag.facts.ratios import ratio
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.figures.treemap import Area, treemap
from mqdiag.render.parts import AnyPart, Column, Figure, Fold, Paragraph, Path, Section, Several, Table, Words
from mqdiag.render.wording.class_names import shortened
from mqdiag.text import Text, say

WORTH_SHOWING_BYTES = 1 << 20
"""in an almost empty heap a class loader is the largest object, which is no news"""
_JDK = ("java.", "javax.", "jdk.", "sun.", "com.sun.")
_OWNERS: dict[str, Words] = {
    "rocketmq": "RocketMQ",
    "jdk": say("the JDK"),
    "application": say("the application"),
}
_LONGEST_NAME = 48


def memory_section(report: Report, view: View) -> Iterator[Section]:
    """The treemap, the accumulation points, and a path to each."""
    heap = report.heap
    if heap is None:
        return
    parts: list[AnyPart] = []
    if heap.dominators and heap.shallow_bytes:
        parts.append(_map(heap))
    large = [one for one in heap.suspects if one.retained_bytes >= WORTH_SHOWING_BYTES]
    if large:
        parts += [_table(large), _paths(large)]
    if parts:
        yield Section(name="memory", title=say("Where the memory is"), parts=parts)


def _table(suspects: list[Suspect]) -> Table:
    return Table(
        name="suspects",
        columns=(
            Column(say("share"), "percent"),
            Column(say("retained"), "bytes"),
            Column(say("held under"), java=True),
            Column(say("class"), java=True, wide=True),
            Column(say("code of")),
            Column(say("object"), whole=True),
            Column(say("mostly"), wide=True, optional=True),
        ),
        rows=[
            (
                one.share,
                one.retained_bytes,
                one.label or one.class_name,
                one.class_name,
                _OWNERS.get(one.owner, one.owner),
                one.object_id,
                one.holds[:3] or "",
            )
            for one in suspects
        ],
        shown=(5, 100),
        note=say("`mqdiag show DUMP OBJECT` shows one of these objects"),
    )


def _paths(suspects: list[Suspect]) -> Several:
    folds = [
        Fold(say("References from a GC root to {name}", name=one.label or one.class_name), (Path(one.path),))
        for one in suspects
        if one.path
    ]
    return Several(
        parts=folds,
        shown=(3, 100),
        rest=lambda hidden: say("and {hidden:count} more {hidden:path|paths}", hidden=hidden),
    )


def _map(heap: HeapFacts) -> Figure:
    boxes = heap.dominators
    inner: dict[int | None, list[int]] = {}
    for place, box in enumerate(boxes):
        inner.setdefault(box.parent, []).append(place)

    def area(place: int, kind: str | None) -> Area:
        box = boxes[place]
        owner = kind or _owner(box.name)
        below = tuple(area(child, _owner(boxes[child].name, owner)) for child in inner.get(place, ()))
        name: Words = shortened(box.name, _LONGEST_NAME)
        if box.objects > 1:
            name = say("{objects:count} x {name}", objects=box.objects, name=name)
        return Area(
            label=name,
            detail=_size(box.retained_bytes, heap),
            weight=box.retained_bytes,
            kind=owner,
            inner=below,
        )

    areas = [area(place, None) for place in inner.get(None, ())]
    largest = max(areas, key=lambda one: one.weight)
    rest = (heap.shallow_bytes or 0) - sum(one.weight for one in areas)
    if rest > 0:
        areas.append(
            Area(label=say("smaller objects"), detail=_size(round(rest), heap), weight=rest, kind="rest")
        )
    title = say(
        "The object that holds most of the {shallow_bytes:bytes} in use is {label}: {detail}",
        shallow_bytes=heap.shallow_bytes,
        label=largest.label,
        detail=largest.detail,
    )
    return Figure(
        draw=lambda write: treemap(write, title, areas),
        caption=say(
            "Each box is an object with its retained size, or the small objects of one class together."
            " Red: RocketMQ, blue: the application, grey: the JDK."
        ),
        words=(Paragraph(title),),
    )


def _size(retained_bytes: int, heap: HeapFacts) -> Text:
    return say(
        "{retained_bytes:bytes}, {share:percent}",
        retained_bytes=retained_bytes,
        share=ratio(retained_bytes, heap.shallow_bytes),
    )


def _owner(name: str, otherwise: str | None = None) -> str:
    """Whose class it is; a class of the JDK inside another box belongs to the owner of that box."""
    plain = name.removeprefix("class ")
    if ".rocketmq." in plain:
        return "rocketmq"
    if plain.startswith(_JDK) or plain.rstrip("[]").islower():
        return otherwise or "jdk"
    return "application"
