"""The heap as a map: by group, topic and queue where cached messages fill it, by the objects that hold it otherwise."""

from __future__ import annotations

from collections.abc import Sequence

from mqdiag.facts import HeapFacts
from mqdiag.facts.heap import QueueFacts
from mqdiag.facts.ratios import ratio
from mqdiag.render.figures.treemap import Area, treemap
from mqdiag.render.parts import Figure, Paragraph, Words
from mqdiag.render.wording.class_names import shortened
from mqdiag.text import Text, say

FILLED_SHARE = 0.5
"""share of the bytes in use: from there on the map is cut by group, topic and queue"""
_JDK = ("java.", "javax.", "jdk.", "sun.", "com.sun.")
_LONGEST_NAME = 48
_MOST_QUEUES, _MOST_TOPICS, _MOST_GROUPS = 60, 20, 20
"""boxes; the others share one"""
_COLOURS = 4
"""part-1 to part-4 of the style sheet"""
PLAIN = "rocketmq"
"""the colour of what has only one part, or none"""


def heap_map(heap: HeapFacts) -> Figure | None:
    """The figure; None where nothing is known of who holds the heap."""
    if not heap.dominators or not heap.shallow_bytes:
        return None
    cached = sum(consumer.retained_bytes or 0 for consumer in heap.consumers)
    if cached >= FILLED_SHARE * heap.shallow_bytes:
        return _by_queue(heap)
    return _by_holder(heap)


def _by_queue(heap: HeapFacts) -> Figure:
    retained: dict[str, int] = {}
    for consumer in heap.consumers:
        retained[consumer.group] = retained.get(consumer.group, 0) + (consumer.retained_bytes or 0)
    by_size = sorted(filter(retained.get, retained), key=lambda group: -retained[group])
    areas = [
        _group(heap, group, retained[group], _colour(place, by_size)) for place, group in enumerate(by_size)
    ]
    title = say(
        "Messages of group {group} fill most of the {shallow_bytes:bytes} in use: {detail}",
        group=by_size[0],
        shallow_bytes=heap.shallow_bytes,
        detail=areas[0].detail,
    )
    return _figure(
        heap,
        title,
        _first(areas, _MOST_GROUPS, say("other groups")),
        say(
            "Each box is a consumer group with the memory that its cached messages retain; inside are its topics and"
            " their queues, by bytes of bodies. Grey: the rest of the heap in use."
        ),
        say("the rest"),
    )


def _group(heap: HeapFacts, group: str, retained_bytes: int, colour: str | None) -> Area:
    topics: dict[str, list[QueueFacts]] = {}
    for queue in heap.queues:
        if queue.group == group and queue.body_bytes:
            topics.setdefault(queue.topic or "", []).append(queue)
    by_size = sorted(topics, key=lambda topic: -_bodies(topics[topic]))
    inner = [
        _topic(topic, topics[topic], colour or _colour(place, by_size)) for place, topic in enumerate(by_size)
    ]
    return Area(
        label=group,
        detail=_size(retained_bytes, heap),
        weight=retained_bytes,
        kind=colour or PLAIN,
        inner=tuple(_first(inner, _MOST_TOPICS, say("other topics"))),
        rest=say("objects around the bodies"),
    )


def _topic(topic: str, queues: Sequence[QueueFacts], colour: str | None) -> Area:
    by_size = sorted(queues, key=lambda queue: -queue.body_bytes)
    inner = [
        Area(
            label=say("{broker} #{queue_id}", queue),
            detail=_bodies_of(queue.messages, queue.body_bytes),
            weight=queue.body_bytes,
            kind=colour or _colour(place, by_size) or PLAIN,
        )
        for place, queue in enumerate(by_size)
    ]
    return Area(
        label=topic,
        detail=_bodies_of(sum(queue.messages for queue in queues), _bodies(queues)),
        weight=_bodies(queues),
        kind=colour or PLAIN,
        inner=tuple(_first(inner, _MOST_QUEUES, say("other queues"))),
    )


def _bodies(queues: Sequence[QueueFacts]) -> int:
    return sum(queue.body_bytes for queue in queues)


def _bodies_of(messages: int, body_bytes: int) -> Text:
    return say(
        "{body_bytes:bytes}, {messages:count} {messages:message|messages}",
        body_bytes=body_bytes,
        messages=messages,
    )


def _first(areas: list[Area], most: int, others: Text) -> list[Area]:
    """The largest areas, and one for all others."""
    if len(areas) <= most:
        return areas
    rest = sum(area.weight for area in areas[most:])
    detail = say("{bytes:bytes}", bytes=round(rest))
    return [*areas[:most], Area(label=others, detail=detail, weight=rest, kind=areas[-1].kind)]


def _colour(place: int, of: Sequence[object]) -> str | None:
    """Colour of one of several; None where there is only one, so that what is inside it has the colours."""
    return f"part-{place % _COLOURS + 1}" if len(of) > 1 else None


def _by_holder(heap: HeapFacts) -> Figure:
    boxes = heap.dominators
    inner: dict[int | None, list[int]] = {}
    for place, box in enumerate(boxes):
        inner.setdefault(box.parent, []).append(place)

    holders = {one.object_id: one for one in heap.suspects if one.label}

    def area(place: int, around: str | None) -> Area:
        box = boxes[place]
        holder = None if box.object_id is None else holders.get(box.object_id)
        # a list of the JDK belongs to the field, or the thread, that a person would name
        owner = _owner(box.name, around) if holder is None else holder.owner
        below = tuple(area(child, owner) for child in inner.get(place, ()))
        name: Words = shortened(box.name if holder is None else holder.label, _LONGEST_NAME)
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
    title = say(
        "The object that holds most of the {shallow_bytes:bytes} in use is {label}: {detail}",
        largest,
        shallow_bytes=heap.shallow_bytes,
    )
    caption = say(
        "Each box is an object with its retained size, by the field that holds it where that is known, or the small"
        " objects of one class together."
        " Red: RocketMQ, blue: the application, grey: the JDK."
    )
    return _figure(heap, title, areas, caption, say("smaller objects"))


def _figure(heap: HeapFacts, title: Text, areas: list[Area], caption: Text, rest: Text) -> Figure:
    """The map with a box for the bytes in use that no area has."""
    left = (heap.shallow_bytes or 0) - sum(area.weight for area in areas)
    if left > 0:
        areas = [*areas, Area(label=rest, detail=_size(round(left), heap), weight=left, kind="rest")]
    return Figure(draw=lambda write: treemap(write, title, areas), caption=caption, words=(Paragraph(title),))


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
