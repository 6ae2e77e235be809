"""Which field of the application holds a consumer, and which numbers beside it equal the consumer's settings.

A wrapper or a base class that sets a threshold mostly keeps the number in a field or constant of its own. A dump has no
code, so an equal number is a hint where to look, and no proof.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import msgspec
import numpy as np

from mqdiag.facts.bounds import whole
from mqdiag.facts.heap import ConsumerFacts, ConsumerOwner
from mqdiag.facts.heap_classes import EqualNumber
from mqdiag.graph.heap import Heap
from mqdiag.graph.holders.own_classes import is_application, is_jdk, named_class
from mqdiag.graph.paths import edge_name
from mqdiag.graph.plain import BOXES, box_value, field_value
from mqdiag.read.hprof.types import INT, LONG, REFERENCE, SHORT

_MOST_OBJECTS = 64
"""objects among those that the holder refers to"""
_MOST_HOLDERS = 64
"""holders of one consumer that are looked at"""
_MOST_FIELDS = 3
"""with the value of one setting"""
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_TELLS_NOTHING = 1
"""1 and less stand in too many fields"""


def with_owners(
    heap: Heap, consumers: Sequence[ConsumerFacts], is_rocketmq: Callable[[str], bool]
) -> list[ConsumerFacts]:
    """The same consumers with their owners; one pass over all references."""
    # A kind of client may have no object of its own.
    nodes = np.array([heap.node(int(one.object_id or "0", 16)) for one in consumers], np.int32)
    positions, holders = heap.referrers(nodes)
    found: list[list[ConsumerOwner]] = [[] for _ in consumers]
    looked_at = Counter[int]()
    for position, holder in zip(positions.tolist(), holders.tolist(), strict=True):
        looked_at[position] += 1
        if looked_at[position] > _MOST_HOLDERS:
            continue
        way = _way(heap, holder, int(nodes[position]), is_rocketmq)
        if way is not None:
            found[position].append(_owner(heap, *way, consumers[position]))
    return [
        msgspec.structs.replace(one, owner=max(owners, key=_worth)) if owners else one
        for one, owners in zip(consumers, found, strict=True)
    ]


def _way(heap: Heap, holder: int, held: int, is_rocketmq: Callable[[str], bool]) -> tuple[int, int] | None:
    """(object or class of the application, what its field refers to) on the way to a consumer.

    Args:
        heap: the graph.
        holder: refers to the consumer; a collection of the JDK is followed to the field that holds it.
        held: the consumer.
        is_rocketmq: tells RocketMQ's own classes by name.
    """
    way = [holder, held] if is_application(named_class(heap, holder)) else [*heap.path_nodes(holder), held]
    for at in range(len(way) - 2, -1, -1):
        name = named_class(heap, way[at])
        if is_rocketmq(name):
            return None
        if is_application(name):
            return way[at], way[at + 1]
    return None


def _owner(heap: Heap, holder: int, held: int, consumer: ConsumerFacts) -> ConsumerOwner:
    numbers = set(_numbers(heap, holder))
    equal: list[EqualNumber] = []
    for setting in consumer.traits.main_settings:
        value = whole(consumer.config.get(setting))
        if value is not None and value > _TELLS_NOTHING:
            fields = likeliest([field for field, number in numbers if number == value], setting)
            equal += [EqualNumber(field=field, setting=setting, value=value) for field in fields]
    return ConsumerOwner(
        label=edge_name(heap, holder, held), object_id=hex(heap.object_id(holder)), equal_numbers=tuple(equal)
    )


def likeliest(fields: list[str], setting: str) -> list[str]:
    """Those that share words with the name of the setting; any where none does."""
    fields.sort(key=lambda field: (-_common_words(field, setting), field))
    alike = [field for field in fields if _common_words(field, setting)]
    return (alike or fields)[:_MOST_FIELDS]


def _worth(owner: ConsumerOwner) -> tuple[int, int, str]:
    best = max((_common_words(one.field, one.setting) for one in owner.equal_numbers), default=0)
    return best, len(owner.equal_numbers), owner.label


def _common_words(field: str, setting: str) -> int:
    """How many words both names have: "threshold", "queue"."""
    one, other = (
        {word.lower() for word in _WORD.findall(name)} for name in (field.rpartition(".")[2], setting)
    )
    return len(one & other)


def _numbers(heap: Heap, holder: int) -> Iterator[tuple[str, int]]:
    """Whole numbers of the holder, of its class, and of the application's objects that it refers to."""
    _, near = heap.references.of(np.array([holder], np.int32))
    rows: dict[int, None] = {}
    for node in (holder, *near.tolist()[:_MOST_OBJECTS]):
        if not is_application(named_class(heap, node)):
            continue
        row = heap.class_of_node.get(node)
        if row is None:
            row = int(heap.index.rows[node])
            yield from _of_fields(heap, node, row)
        rows |= dict.fromkeys(heap.classes.ancestors(row))
    for row in rows:
        if is_application(heap.classes.names[row]):
            yield from _of_statics(heap, row)


def _of_fields(heap: Heap, node: int, row: int) -> Iterator[tuple[str, int]]:
    """Each field under the name of the class that declares it."""
    levels = list(heap.classes.levels(row))
    for name, places in heap.classes.field_places(row).items():
        for offset, kind in places:
            declaring = [level for begin, level in levels if begin <= offset][-1]
            value = field_value(heap, node, offset, kind) if kind in (SHORT, INT, LONG, REFERENCE) else None
            if kind == REFERENCE:
                value = _boxed(heap, value)
            if isinstance(value, int) and not is_jdk(heap.classes.names[declaring]):
                yield f"{heap.classes.names[declaring]}.{name}", value


def _of_statics(heap: Heap, row: int) -> Iterator[tuple[str, int]]:
    boxes = {name: _boxed(heap, node) for name, node in heap.classes.static_refs(row)}
    for name in heap.classes.static_names(row):
        value = boxes.get(name, heap.classes.static_value(row, name))
        if isinstance(value, int) and not isinstance(value, bool):
            yield f"{heap.classes.names[row]}.{name}", value


def _boxed(heap: Heap, node: object) -> int | None:
    """The whole number in an Integer, AtomicLong and the like."""
    value = box_value(heap, node) if isinstance(node, int) and node >= 0 and _is_box(heap, node) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _is_box(heap: Heap, node: int) -> bool:
    return node not in heap.class_of_node and heap.class_name(node) in BOXES
