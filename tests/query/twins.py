"""What each recipe answers, in plain Python: loops over the objects of a `PlainDump`.

Sizes, dominators and reachability, which have oracles of their own, are asked of the graph one object at a time.
RocketMQ's facts, which have their own tests too, are taken as they are.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

import numpy as np

from mqdiag.graph import Heap
from mqdiag.rocketmq.messages import message_columns
from mqdiag.rocketmq.view import rocketmq_facts
from tests.query.plain_dump import PlainDump

Rows = list[tuple[Any, ...]]
MOST = 50
MAPS = {
    "java.util.HashMap": "size",
    "java.util.Hashtable": "count",
    "java.util.WeakHashMap": "size",
    "java.util.concurrent.ConcurrentHashMap": "baseCount",
}


class Twin:
    """One dump, read twice."""

    def __init__(self, dump: PlainDump, heap: Heap) -> None:
        self.dump, self.heap = dump, heap
        self.ids = dump.ids
        self.of_class: dict[str, list[int]] = defaultdict(list)
        for each in self.ids:
            self.of_class[dump.class_name(each)].append(each)
        nodes = np.array([heap.node(each) for each in self.ids], np.int32)
        above = heap.dominators(nodes).tolist()
        self._shallow = dict(zip(self.ids, heap.shallow_sizes(nodes).tolist(), strict=True))
        self._retained = dict(zip(self.ids, heap.retained_sizes(nodes).tolist(), strict=True))
        self._reachable = dict(zip(self.ids, heap.reachable(nodes).tolist(), strict=True))
        by_node = dict(zip(nodes.tolist(), self.ids, strict=True))
        self._dominators = {each: by_node.get(node) for each, node in zip(self.ids, above, strict=True)}

    def shallow(self, object_id: int) -> int:
        return self._shallow[object_id]

    def retained(self, object_id: int) -> int:
        return self._retained[object_id]

    def reachable(self, object_id: int) -> bool:
        return self._reachable[object_id]

    def dominator(self, object_id: int) -> int | None:
        return self._dominators[object_id]

    def name(self, object_id: int | None) -> str | None:
        return None if object_id is None else self.dump.class_name(object_id)

    def text(self, object_id: int) -> str | None:
        """As SQL's text(id)."""
        plain = self.dump.text(object_id)
        if plain is not None:
            return plain
        found = self.heap.class_of_node.get(self.heap.node(object_id))
        if found is not None:
            return f"class {self.dump.classes[object_id].name}"
        value = self.dump.field(object_id, "value")
        name = self.dump.class_name(object_id)
        if name.startswith(("java.lang.", "java.util.concurrent.atomic.Atomic")) and isinstance(
            value, bool | int | float
        ):
            if name == "java.lang.Character":
                return chr(int(value))
            if name.endswith("AtomicBoolean"):
                return str(bool(value))
            return str(value) if name.split(".")[-1] in BOXES else None
        kind = self.dump.objects[object_id].class_id
        while isinstance(kind, int) and kind in self.dump.classes:
            if self.dump.classes[kind].name == "java.lang.Enum":
                return self.dump.text(self.dump.field(object_id, "name"))  # type: ignore[arg-type]
            kind = self.dump.classes[kind].superclass
        return None

    @cached_property
    def references(self) -> list[tuple[int, str, int]]:
        return list(self.dump.references())

    @cached_property
    def maps(self) -> list[int]:
        names = {each.id for each in self.dump.classes.values() if self._map_kind(each.id)}
        return [
            each for each in self.ids if each in self.dump.objects and self.dump.objects[each].class_id in names
        ]

    def _map_kind(self, class_id: int) -> str | None:
        while class_id in self.dump.classes:
            if self.dump.classes[class_id].name in MAPS:
                return self.dump.classes[class_id].name
            class_id = self.dump.classes[class_id].superclass
        return None

    def keeper(self, each: int) -> int:
        """Properties keep their entries in a map of their own since JDK 9."""
        inner = self.dump.field(each, "map")
        is_properties = self.dump.class_name(each) in ("java.util.Properties", "java.security.Provider")
        return inner if is_properties and isinstance(inner, int) and inner in self.dump.objects else each

    def map_size(self, each: int) -> int:
        each = self.keeper(each)
        kind = self._map_kind(self.dump.objects[each].class_id)  # type: ignore[arg-type]
        size = int(self.dump.field(each, MAPS[kind]))  # type: ignore[call-overload,index]
        cells = self.dump.objects.get(self.dump.field(each, "counterCells"))  # type: ignore[call-overload]
        for cell in cells.elements if cells and cells.elements else ():
            size += int(self.dump.field(cell, "value") or 0)  # type: ignore[call-overload]
        return size

    def map_capacity(self, each: int) -> int:
        table = self.dump.objects.get(self.dump.field(self.keeper(each), "table"))  # type: ignore[call-overload]
        return 0 if table is None else table.length


BOXES = ("Boolean", "Byte", "Short", "Integer", "Long", "Float", "Double", "AtomicInteger", "AtomicLong")


def _top(rows: Iterable[tuple[Any, ...]], key: Callable[[Any], Any], most: int | None = MOST) -> Rows:
    return sorted(rows, key=key)[:most]


def _sums(pairs: Iterable[tuple[Any, tuple[int, ...]]]) -> dict[Any, list[int]]:
    found: dict[Any, list[int]] = {}
    for key, numbers in pairs:
        before = found.setdefault(key, [0] * len(numbers))
        found[key] = [have + more for have, more in zip(before, numbers, strict=True)]
    return found


def _class_retained(twin: Twin, name: str) -> int:
    """Of the objects of one class those that no other one of it keeps alive; each loader's class by itself."""
    total = 0
    for each in twin.of_class[name]:
        own = twin.dump.objects[each].class_id if each in twin.dump.objects else name
        above = twin.dominator(each)
        while above is not None:
            other = twin.dump.objects[above].class_id if above in twin.dump.objects else "java.lang.Class"
            if other == own or (name == "java.lang.Class" and above in twin.dump.classes):
                break
            above = twin.dominator(above)
        else:
            total += twin.retained(each)
    return total


def class_histogram(twin: Twin) -> Rows:
    names = {*twin.of_class, *(each.name for each in twin.dump.classes.values())}
    rows = [(name, len(twin.of_class[name]), sum(map(twin.shallow, twin.of_class[name]))) for name in names]
    top = _top(rows, lambda row: (-row[2], row[0]))
    return [(*row, _class_retained(twin, row[0])) for row in top]


def largest_objects(twin: Twin) -> Rows:
    top = _top([(each,) for each in twin.ids], lambda row: (-twin.retained(row[0]), row[0]))
    return [(hex(i), twin.name(i), twin.shallow(i), twin.retained(i), _begin(twin.text(i))) for (i,) in top]


def _begin(text: str | None) -> str | None:
    return None if text is None else text[:80]


def top_of_dominators(twin: Twin) -> Rows:
    first = [each for each in twin.ids if twin.reachable(each) and twin.dominator(each) is None]
    sums = _sums((twin.name(each), (1, twin.retained(each))) for each in first)
    return _top([(name, *two) for name, two in sums.items()], lambda row: (-row[2], row[0]))


def byte_arrays_by_holder(twin: Twin) -> Rows:
    held = [(a, name, to) for a, name, to in twin.references if twin.name(to) == "byte[]"]
    sums = _sums(((twin.name(a), name), (1, twin.shallow(to))) for a, name, to in held)
    return _top([(*key, *two) for key, two in sums.items()], lambda row: (-row[3], row[0], row[1]))


def _arrays(twin: Twin) -> list[int]:
    return [each for each in twin.ids if each in twin.dump.objects and twin.dump.objects[each].length >= 0]


def largest_arrays(twin: Twin) -> Rows:
    top = _top([(each,) for each in _arrays(twin)], lambda row: (-twin.shallow(row[0]), row[0]))
    return [
        (hex(i), twin.name(i), twin.dump.objects[i].length, twin.shallow(i), twin.name(twin.dominator(i)))
        for (i,) in top
    ]


def sparse_arrays(twin: Twin) -> Rows:
    there = {*twin.dump.objects, *twin.dump.classes}
    rows = []
    for each in _arrays(twin):
        elements = twin.dump.objects[each].elements
        if elements is None:
            continue
        filled = sum(element in there for element in elements)
        if len(elements) >= 16 and 4 * filled < len(elements):
            rows.append((twin.name(each), (1, len(elements), filled, twin.shallow(each))))
    return _top([(name, *four) for name, four in _sums(rows).items()], lambda row: (-row[4], row[0]))


def duplicate_strings(twin: Twin) -> Rows:
    texts: dict[str, list[int]] = defaultdict(list)
    for each in twin.of_class["java.lang.String"]:
        found = twin.dump.text(each)
        if found is not None:
            texts[found].append(each)
    rows = [
        (text, len(ids), len({twin.dump.field(i, "value") for i in ids}), sum(map(twin.shallow, ids)))
        for text, ids in texts.items()
        if len(ids) > 1
    ]
    return _top(rows, lambda row: (-row[1], row[0].encode()))


def longest_strings(twin: Twin) -> Rows:
    texts = [(each, twin.dump.text(each)) for each in twin.of_class["java.lang.String"]]
    rows = [(each, len(text.encode("utf-16-le")) // 2, text) for each, text in texts if text is not None]
    top = _top(rows, lambda row: (-row[1], row[0]))
    return [(hex(i), length, twin.retained(i), text[:80]) for i, length, text in top]


def maps_by_load(twin: Twin) -> Rows:
    rows = []
    for each in twin.maps:
        size, capacity = twin.map_size(each), twin.map_capacity(each)
        rows.append((twin.name(each), (1, size == 0, size, capacity, twin.retained(each))))
    sums = _sums(rows)
    found = [
        (name, n, empty, size, room, int(1000 * size / room + 0.5) / 1000 if room else None, retained)
        for name, (n, empty, size, room, retained) in sums.items()
    ]
    return _top(found, lambda row: (-row[1], row[0]), None)


def largest_maps(twin: Twin) -> Rows:
    top = _top([(each,) for each in twin.maps], lambda row: (-twin.map_size(row[0]), row[0]))
    return [(hex(i), twin.name(i), twin.map_size(i), twin.map_capacity(i), twin.retained(i)) for (i,) in top]


def system_properties(twin: Twin) -> Rows:
    found = []
    for each in twin.dump.classes.values():
        if each.name == "java.lang.System":
            for name, _, props in each.statics:
                if name == "props" and props in twin.dump.objects:
                    found += _entries(twin, twin.keeper(props))  # type: ignore[arg-type]
    return sorted(found)


def _entries(twin: Twin, a_map: int) -> Rows:
    """Entries of a hash table, bin by bin."""
    table = twin.dump.objects.get(twin.dump.field(a_map, "table"))  # type: ignore[call-overload]
    rows: Rows = []
    for node in table.elements if table is not None and table.elements is not None else ():
        while node:
            value = twin.dump.field(node, "val") or twin.dump.field(node, "value")
            rows.append((twin.dump.text(twin.dump.field(node, "key")), twin.dump.text(value)))  # type: ignore[arg-type]
            node = twin.dump.field(node, "next")  # type: ignore[assignment]
    return rows


A_CLASS = "java.util.HashMap"


def an_object(twin: Twin) -> int:
    """The first map that something refers to."""
    held = {to for _, _, to in twin.references}
    return next(each for each in twin.of_class[A_CLASS] if each in held)


def who_refers_to_class(twin: Twin) -> Rows:
    held = [(a, name, to) for a, name, to in twin.references if twin.name(to) == A_CLASS]
    counts = Counter((twin.name(a), name) for a, name, _ in held)
    targets = defaultdict(set)
    for a, name, to in held:
        targets[twin.name(a), name].add(to)
    rows = [(*key, n, len(targets[key])) for key, n in counts.items()]
    return _top(rows, lambda row: (-row[2], row[0], row[1]))


def who_refers_to(twin: Twin) -> Rows:
    wanted = an_object(twin)
    held = [(a, name) for a, name, to in twin.references if to == wanted]
    top = _top(held, lambda row: (-twin.retained(row[0]), row[0], row[1]), None)
    return [(hex(a), twin.name(a), name, twin.retained(a)) for a, name in top]


def what_it_refers_to(twin: Twin) -> Rows:
    wanted = an_object(twin)
    held = [(to, name) for a, name, to in twin.references if a == wanted]
    top = _top(held, lambda row: (-twin.retained(row[0]), row[0], row[1]), None)
    return [(name, hex(to), twin.name(to), twin.retained(to), twin.text(to)) for to, name in top]


def chain_of_dominators(twin: Twin) -> Rows:
    rows: Rows = []
    at: int | None = an_object(twin)
    while at is not None:
        rows.append((len(rows), hex(at), twin.name(at), twin.retained(at)))
        at = twin.dominator(at)
    return rows


def _thread_name(twin: Twin, thread: int) -> str:
    name = twin.dump.field(thread, "name")
    array = twin.dump.objects.get(name)  # type: ignore[call-overload]
    if array is not None and array.body is not None:  # char[] before JDK 9
        return str(array.body.decode("utf-16-be"))
    return twin.dump.text(name) or ""  # type: ignore[arg-type]


def threads_by_retained(twin: Twin) -> Rows:
    held = Counter(serial for _, _, serial, _ in twin.dump.locals)
    rows = [
        (thread, _thread_name(twin, thread), len(twin.dump.traces.get(trace, ())), held[serial])
        for serial, (thread, trace) in twin.dump.threads.items()
    ]
    top = _top(rows, lambda row: (-twin.retained(row[0]), row[0]), None)
    return [(hex(row[0]), *row[1:], twin.retained(row[0])) for row in top]


def local_variables(twin: Twin) -> Rows:
    rows = []
    for _, to, serial, frame in twin.dump.locals:
        thread, trace = twin.dump.threads[serial]
        frames = twin.dump.traces.get(trace, [])
        known = 0 <= frame < len(frames)
        method = twin.dump.frame_text(frames[frame]) if known else None
        number = frame if 0 <= frame < 1 << 31 else None
        rows.append((_thread_name(twin, thread), number, method, to))
    top = _top(rows, lambda row: (-twin.retained(row[3]), row[3], row[0], (row[1] is None, row[1])))
    return [(*row[:3], hex(row[3]), twin.name(row[3]), twin.retained(row[3])) for row in top]


def roots_by_kind(twin: Twin) -> Rows:
    there = {*twin.dump.objects, *twin.dump.classes}
    locals_ = twin.dump.locals
    kinds: dict[int, str] = {}
    names = {1: "JNI global", 2: "JNI local", 3: "local variable", 4: "native stack", 5: "system class"}
    names |= {6: "thread block", 7: "monitor used", 8: "thread", 0xFF: "unknown"}
    hanging = {(tag, to, serial, frame) for tag, to, serial, frame in locals_}
    for root in twin.dump.roots:
        if root[1] in there and root not in hanging:
            kinds.setdefault(root[1], names[root[0]])
    counts = Counter(kinds.values())
    rows = [(kind, n, n) for kind, n in counts.items() if kind != "local variable"]
    more = [to for to, kind in kinds.items() if kind == "local variable"]
    if locals_ or more:
        rows.append(
            ("local variable", len(locals_) + len(more), len({to for _, to, _, _ in locals_} | set(more)))
        )
    return sorted(rows, key=lambda row: (-row[1], row[0]))


def _by_class_object(twin: Twin) -> dict[int, list[int]]:
    found: dict[int, list[int]] = defaultdict(list)
    for each in twin.dump.objects.values():
        if isinstance(each.class_id, int):
            found[each.class_id].append(each.id)
    return found


def duplicate_classes(twin: Twin) -> Rows:
    mine = _by_class_object(twin)
    rows = [
        (each.name, (1, len(mine[each.id]), sum(map(twin.shallow, mine[each.id]))))
        for each in twin.dump.classes.values()
        if not each.name.endswith("[]")
    ]
    found = [(name, *three) for name, three in _sums(rows).items() if three[0] > 1]
    return _top(found, lambda row: (-row[1], row[0]))


def class_loaders(twin: Twin) -> Rows:
    mine = _by_class_object(twin)
    there = twin.dump.objects
    rows = [
        (each.heads[1], (1, len(mine[each.id])))
        for each in twin.dump.classes.values()
        if each.heads[1] in there
    ]
    found = [(loader, twin.name(loader), *two, twin.retained(loader)) for loader, two in _sums(rows).items()]
    return [(hex(row[0]), *row[1:]) for row in _top(found, lambda row: (-row[2], row[0]), None)]


def static_fields(twin: Twin) -> Rows:
    there = {*twin.dump.objects, *twin.dump.classes}
    rows = [
        (each.name, name, to)
        for each in twin.dump.classes.values()
        for name, kind, to in each.statics
        if kind == 2 and to in there
    ]
    top = _top(rows, lambda row: (-twin.retained(row[2]), row[2], row[0], row[1]))
    return [(owner, name, hex(to), twin.name(to), twin.retained(to)) for owner, name, to in top]


def unreachable(twin: Twin) -> Rows:
    rows = [(twin.name(each), (1, twin.shallow(each))) for each in twin.ids if not twin.reachable(each)]
    return _top([(name, *two) for name, two in _sums(rows).items()], lambda row: (-row[2], row[0]))


def boxed_numbers(twin: Twin) -> Rows:
    names = [f"java.lang.{name}" for name in (*BOXES[:7], "Character")]
    known = {each.name for each in twin.dump.classes.values()}
    rows = [(n, len(twin.of_class[n]), sum(map(twin.shallow, twin.of_class[n]))) for n in names if n in known]
    return _top(rows, lambda row: (-row[2], row[0]), None)


def old_sessions(twin: Twin) -> Rows:
    rows = []
    for each in twin.of_class["org.apache.catalina.session.StandardSession"]:
        idle = twin.dump.captured_ms - twin.dump.field(each, "lastAccessedTime")  # type: ignore[operator]
        if idle > 3_600_000:
            name = twin.dump.text(twin.dump.field(each, "id"))  # type: ignore[arg-type]
            rows.append((each, name, idle // 60_000, twin.retained(each)))
    return [(hex(row[0]), *row[1:]) for row in _top(rows, lambda row: (-row[2], row[0]), None)]


def queues_by_bytes(twin: Twin) -> Rows:
    found = _top(
        rocketmq_facts(twin.heap).queues,  # type: ignore[arg-type]
        lambda q: (-q.body_bytes, -q.messages, q.group, q.topic, q.broker, q.queue_id, int(q.object_id, 16)),
    )
    return [
        (q.group, q.topic, q.broker, q.queue_id, q.messages, q.body_bytes, q.lag, q.oldest_consume_age_ms)  # type: ignore[attr-defined]
        for q in found
    ]


def _messages(twin: Twin) -> list[dict[str, Any]]:
    nodes, columns = message_columns(twin.heap)
    lists = {
        name: [None if v == twin.heap.MISSING else v for v in values.tolist()]
        for name, values in columns.items()
    }
    lists["id"] = twin.heap.object_ids(nodes).tolist()
    return [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]


def messages_by_topic(twin: Twin) -> Rows:
    topics: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for message in _messages(twin):
        topics[message["topic"]].append(message)
    rows = []
    for topic, mine in topics.items():
        sizes = [message["body_bytes"] for message in mine]
        again = sum((message["reconsume_times"] or 0) > 0 for message in mine)
        rows.append((topic, len(mine), sum(sizes), max(sizes), again))
    return _top(rows, lambda row: (-row[2], row[0]), None)


def oldest_messages(twin: Twin) -> Rows:
    found = [each for each in _messages(twin) if each["started_at"] is not None]
    top = _top(found, lambda each: (each["started_at"], each["id"]))  # type: ignore[arg-type]
    now = twin.dump.captured_ms
    return [
        (hex(m["id"]), m["topic"], m["queue_id"], m["queue_offset"], m["keys"], now - m["started_at"])  # type: ignore[call-overload]
        for m in top
    ]
