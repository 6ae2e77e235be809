"""Real dumps with one thing wrong: each mutation knows the format and changes a field of one kind.

`MUTATIONS` has them by name. Each takes a parsed dump and a random generator, and returns the bytes of another dump.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tests.writers import hprof_records as hprof

_ROOT_BYTES = {
    hprof.UNKNOWN_ROOT: 0,
    hprof.STICKY_CLASS: 0,
    hprof.MONITOR_USED: 0,
    hprof.JNI_GLOBAL: 8,
    hprof.JNI_LOCAL: 8,
    hprof.JAVA_FRAME: 8,
    hprof.THREAD_OBJECT: 8,
    hprof.NATIVE_STACK: 4,
    hprof.THREAD_BLOCK: 4,
}
"""bytes behind the id of a root, by tag; JNI_GLOBAL has a second id instead"""


@dataclass
class ParsedDump:
    """Where everything is in a dump of 8-byte ids; all places are bytes of the file."""

    data: bytes
    records: list[tuple[int, int, int]] = field(default_factory=list)
    """(tag, where the record begins, where it ends)"""
    classes: dict[int, int] = field(default_factory=dict)
    """CLASS_DUMP by class id"""
    instances: list[int] = field(default_factory=list)
    arrays: list[int] = field(default_factory=list)
    primitives: list[int] = field(default_factory=list)
    roots: list[int] = field(default_factory=list)
    names: dict[int, bytes] = field(default_factory=dict)
    class_names: dict[int, bytes] = field(default_factory=dict)

    def number(self, at: int, form: str) -> int:
        """A big-endian number."""
        (value,) = struct.unpack_from(">" + form, self.data, at)
        return int(value)

    def of_classes(self, *ends: bytes) -> list[int]:
        """Instances of classes with a name that ends so."""
        wanted = {id_ for id_, name in self.class_names.items() if name.endswith(ends)}
        return [at for at in self.instances if self.number(at + 13, "Q") in wanted]


def parsed(data: bytes) -> ParsedDump:
    """Walk over a whole dump."""
    dump = ParsedDump(data)
    at = data.index(b"\0") + 13
    while at < len(data):
        tag, length = data[at], dump.number(at + 5, "I")
        dump.records.append((tag, at, at + 9 + length))
        body = at + 9
        if tag == hprof.UTF8:
            dump.names[dump.number(body, "Q")] = data[body + 8 : body + length]
        elif tag == hprof.LOAD_CLASS:
            dump.class_names[dump.number(body + 4, "Q")] = dump.names[dump.number(body + 16, "Q")]
        elif tag in (hprof.HEAP_DUMP, hprof.HEAP_DUMP_SEGMENT):
            _walk(dump, body, body + length)
        at = body + length
    return dump


def _walk(dump: ParsedDump, at: int, end: int) -> None:
    while at < end:
        tag = dump.data[at]
        if tag == hprof.CLASS_DUMP:
            dump.classes[dump.number(at + 1, "Q")] = at
            *_, (_, at) = _members(dump, at)
        elif tag == hprof.INSTANCE_DUMP:
            dump.instances.append(at)
            at += 25 + dump.number(at + 21, "I")
        elif tag == hprof.OBJECT_ARRAY_DUMP:
            dump.arrays.append(at)
            at += 25 + 8 * dump.number(at + 13, "I")
        elif tag == hprof.PRIMITIVE_ARRAY_DUMP:
            dump.primitives.append(at)
            at += 18 + dump.number(at + 13, "I") * hprof.WIDTHS[dump.data[at + 17]]
        else:
            dump.roots.append(at)
            at += 9 + _ROOT_BYTES[tag]


def _members(dump: ParsedDump, at: int) -> Iterator[tuple[str, int]]:
    """Parts of a CLASS_DUMP by name, and where each begins; the last one is its end."""
    encode = hprof.Encoder(8)
    yield "superclass", at + 13
    yield "instance bytes", at + 61
    at += 65
    pool, at = dump.number(at, "H"), at + 2
    for _ in range(pool):
        at += 3 + encode.width(dump.data[at + 2])
    yield "number of statics", at
    statics, at = dump.number(at, "H"), at + 2
    for _ in range(statics):
        yield "type of a static", at + 8
        at += 9 + encode.width(dump.data[at + 8])
    yield "number of fields", at
    fields, at = dump.number(at, "H"), at + 2
    for _ in range(fields):
        yield "type of a field", at + 8
        at += 9
    yield "end", at


def _with(dump: ParsedDump, at: int, form: str, value: int) -> bytes:
    changed = bytearray(dump.data)
    struct.pack_into(">" + form, changed, at, value)
    return bytes(changed)


def heap_records(dump: ParsedDump) -> list[tuple[int, int, int]]:
    """Records of objects: (tag, where the record begins, where it ends)."""
    return [one for one in dump.records if one[0] in (hprof.HEAP_DUMP, hprof.HEAP_DUMP_SEGMENT)]


def _length(draw: random.Random, true: int) -> int:
    return draw.choice((0, true - 1, true + 1, true * 2, true + 8, 0x7FFF_FFFF, 0xFFFF_FFFF)) & 0xFFFF_FFFF


def record_length(dump: ParsedDump, draw: random.Random) -> bytes:
    """The length of a record."""
    _, at, end = draw.choice(dump.records)
    return _with(dump, at + 5, "I", _length(draw, end - at - 9))


def array_length(dump: ParsedDump, draw: random.Random) -> bytes:
    """The number of elements of an array."""
    at = draw.choice(draw.choice((dump.arrays, dump.primitives)))
    return _with(dump, at + 13, "I", _length(draw, dump.number(at + 13, "I")))


def object_id(dump: ParsedDump, draw: random.Random) -> bytes:
    """The id of an object, now that of another or of none."""
    at, other = draw.choice(dump.instances), draw.choice(dump.instances)
    return _with(dump, at + 1, "Q", draw.choice((0, 1, (1 << 64) - 1, dump.number(other + 1, "Q"))))


def class_of_object(dump: ParsedDump, draw: random.Random) -> bytes:
    """The class of an instance."""
    at = draw.choice(dump.instances)
    return _with(dump, at + 13, "Q", draw.choice((0, 1, *dump.classes)))


def reference(dump: ParsedDump, draw: random.Random) -> bytes:
    """A reference of an array of objects."""
    at = draw.choice([one for one in dump.arrays if dump.number(one + 13, "I")])
    place = at + 25 + 8 * draw.randrange(dump.number(at + 13, "I"))
    return _with(
        dump, place, "Q", draw.choice((1, (1 << 64) - 1, dump.number(draw.choice(dump.instances) + 1, "Q")))
    )


def class_layout(dump: ParsedDump, draw: random.Random) -> bytes:
    """A type, a number of members, or the size in a CLASS_DUMP, of a class of RocketMQ every other time."""
    own = [at for id_, at in dump.classes.items() if b"rocketmq" in dump.class_names.get(id_, b"")]
    at = draw.choice(own if own and draw.random() < 0.5 else list(dump.classes.values()))
    parts = [part for part in _members(dump, at) if part[0] not in ("superclass", "end")]
    name, place = draw.choice(parts)
    if name.startswith("type"):
        return _with(dump, place, "B", draw.choice((0, 2, 4, 5, 8, 10, 11, 12, 255)))
    if name == "instance bytes":
        return _with(dump, place, "I", _length(draw, dump.number(place, "I")))
    return _with(dump, place, "H", draw.choice((0, 1, 0xFFFF, dump.number(place, "H") + 1)))


def superclass_cycle(dump: ParsedDump, draw: random.Random) -> bytes:
    """A class that is its own superclass, or one of two that are each other's."""
    superclasses = {id_: dump.number(at + 13, "Q") for id_, at in dump.classes.items()}
    below, above = draw.choice([pair for pair in superclasses.items() if pair[1] in dump.classes])
    return _with(dump, dump.classes[draw.choice((below, above))] + 13, "Q", below)


def root(dump: ParsedDump, draw: random.Random) -> bytes:
    """The kind of a root, or the object."""
    at = draw.choice(dump.roots)
    if draw.random() < 0.5:
        return _with(dump, at, "B", draw.randrange(256))
    return _with(dump, at + 1, "Q", draw.choice((0, 1, dump.number(draw.choice(dump.instances) + 1, "Q"))))


def without_record(dump: ParsedDump, place: int) -> bytes:
    """The dump without one of its heap records."""
    _, at, end = heap_records(dump)[place]
    return dump.data[:at] + dump.data[end:]


def segments(dump: ParsedDump, draw: random.Random) -> bytes:
    """A heap record twice, cut, missing, or at another place."""
    _, at, end = draw.choice(heap_records(dump))
    whole, data = dump.data[at:end], dump.data
    kind = draw.randrange(4)
    if kind == 0:
        return data[:end] + whole + data[end:]
    if kind == 1:
        return data[:at] + data[draw.randrange(at + 1, end) :]
    if kind == 2:
        return data[:at] + data[end:]
    first = dump.records[0][1]
    return data[:first] + whole + data[first:at] + data[end:]


def collection_cycle(dump: ParsedDump, draw: random.Random) -> bytes:
    """A node of a map or list that refers to itself, or to another one, in each of its references."""
    nodes = dump.of_classes(
        b"HashMap$Node", b"TreeMap$Entry", b"LinkedList$Node", b"Queue$Node", b"ProcessQueue"
    )
    at, other = draw.choice(nodes), draw.choice(nodes)
    known = {dump.number(one + 1, "Q") for one in dump.instances}
    size = dump.number(at + 21, "I")
    changed = bytearray(dump.data)
    target = dump.number(draw.choice((at, other)) + 1, "Q")
    for place in range(at + 25, at + 25 + size - 7):
        if dump.number(place, "Q") in known and draw.random() < 0.7:
            struct.pack_into(">Q", changed, place, target)
    return bytes(changed)


def instance_length(dump: ParsedDump, draw: random.Random) -> bytes:
    """The number of bytes of an instance's fields."""
    at = draw.choice(dump.instances)
    return _with(dump, at + 21, "I", _length(draw, dump.number(at + 21, "I")))


def second_class(dump: ParsedDump, draw: random.Random) -> bytes:
    """A class of RocketMQ a second time, with the fields of another one."""
    own = [id_ for id_ in dump.classes if b"rocketmq" in dump.class_names.get(id_, b"")] or list(dump.classes)
    class_id, at = draw.choice(own), dump.classes[draw.choice(own)]
    *_, (_, end) = _members(dump, at)
    again = struct.pack(">BQ", hprof.CLASS_DUMP, class_id) + dump.data[at + 9 : end]
    return _more(dump, draw, hprof.record(hprof.HEAP_DUMP_SEGMENT, again))


def second_name_of_class(dump: ParsedDump, draw: random.Random) -> bytes:
    """A class loaded a second time, under the name of another one."""
    loaded = [(at, end) for tag, at, end in dump.records if tag == hprof.LOAD_CLASS]
    (one, end), (other, _) = draw.sample(loaded, 2)
    again = dump.data[one : end - 8] + dump.data[other + 25 : other + 33]
    return _more(dump, draw, again)


def second_name(dump: ParsedDump, draw: random.Random) -> bytes:
    """A symbol a second time, with the text of another one."""
    (one, _), (other, end) = draw.sample([(at, end) for tag, at, end in dump.records if tag == hprof.UTF8], 2)
    return _more(
        dump, draw, dump.data[other : other + 9] + dump.data[one + 9 : one + 17] + dump.data[other + 17 : end]
    )


def second_object(dump: ParsedDump, draw: random.Random) -> bytes:
    """An object of RocketMQ a second time, with the class and the fields of another object."""
    own = dump.of_classes(b"ProcessQueue", b"MessageQueue", b"MessageClientExt", b"MessageExt", b"TreeMap")
    at, other = draw.choice(own), draw.choice(own)
    end = other + 25 + dump.number(other + 21, "I")
    again = dump.data[at : at + 9] + dump.data[other + 9 : end]
    return _more(dump, draw, hprof.record(hprof.HEAP_DUMP_SEGMENT, again * draw.choice((1, 1000))))


def _more(dump: ParsedDump, draw: random.Random, record: bytes) -> bytes:
    """A further record: before all others, before the first of objects, or behind the end of the dump."""
    first = dump.records[0][1]
    objects = heap_records(dump)[0][1]
    place = draw.choice((first, objects, objects, len(dump.data)))
    return dump.data[:place] + record + dump.data[place:]


def name(dump: ParsedDump, draw: random.Random) -> bytes:
    """A symbol that is no text, or empty in effect."""
    at = draw.choice([at for tag, at, end in dump.records if tag == hprof.UTF8 and end - at > 24])
    return dump.data[: at + 17] + draw.choice((b"\0" * 7, b"\xff" * 7, b"\x1b[31m\r\n")) + dump.data[at + 24 :]


MUTATIONS: dict[str, Callable[[ParsedDump, random.Random], bytes]] = {
    mutation.__name__: mutation
    for mutation in (
        record_length,
        array_length,
        object_id,
        class_of_object,
        reference,
        class_layout,
        superclass_cycle,
        root,
        segments,
        collection_cycle,
        instance_length,
        second_class,
        second_name_of_class,
        second_name,
        second_object,
        name,
    )
}
