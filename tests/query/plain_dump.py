"""A plain reader of dumps: every object as Python values, from the format's definition alone. It is slow."""

from __future__ import annotations

import gzip
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

_WIDTHS = {4: 1, 5: 2, 6: 4, 7: 8, 8: 1, 9: 2, 10: 4, 11: 8}
_CODES = {4: "?", 5: "H", 6: "f", 7: "d", 8: "b", 9: "h", 10: "i", 11: "q"}
_PRIMITIVES = {
    "B": "byte",
    "C": "char",
    "D": "double",
    "F": "float",
    "I": "int",
    "J": "long",
    "S": "short",
    "Z": "boolean",
}
_ARRAYS = {
    4: "boolean[]",
    5: "char[]",
    6: "float[]",
    7: "double[]",
    8: "byte[]",
    9: "short[]",
    10: "int[]",
    11: "long[]",
}
_ROOTS = {
    0x01: ("JNI global", "II"), 0x02: ("local variable", "I44"), 0x03: ("local variable", "I44"),
    0x04: ("native stack", "I4"), 0x05: ("system class", "I"), 0x06: ("thread block", "I4"),
    0x07: ("monitor used", "I"), 0x08: ("thread", "I44"), 0xFF: ("unknown", "I"),
}  # fmt: skip


def java_name(name: str) -> str:
    """`[Ljava/lang/String;` as `java.lang.String[]`; a hidden class without the address behind its name."""
    name = re.sub(r"[+/]0x[0-9a-f]+", "", name)
    depth = len(name) - len(name.lstrip("["))
    if not depth:
        return name.replace("/", ".")
    name = name[depth:]
    return (_PRIMITIVES.get(name) or name.removeprefix("L").removesuffix(";").replace("/", ".")) + "[]" * depth


@dataclass
class PlainClass:
    id: int
    superclass: int
    heads: list[int]
    statics: list[tuple[str, int, object]] = field(default_factory=list)
    fields: list[tuple[str, int]] = field(default_factory=list)
    name: str = ""


@dataclass
class PlainObject:
    id: int
    class_id: int | str
    fields: list[tuple[str, int, object]] = field(default_factory=list)
    """name, basic type, value"""
    elements: list[int] | None = None
    body: bytes | None = None
    kind: int = 0
    length: int = -1


class PlainDump:
    """Everything in a dump."""

    def __init__(self, path: Path) -> None:
        raw = path.read_bytes()
        self._data = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
        at = self._data.index(0) + 1
        self._size = int.from_bytes(self._data[at : at + 4], "big")
        self.captured_ms = int.from_bytes(self._data[at + 4 : at + 12], "big")
        self._names: dict[int, str] = {}
        self._loaded: dict[int, int] = {}
        self._serials: dict[int, int] = {}
        self.frames: dict[int, tuple[str, str, str, int]] = {}
        self.traces: dict[int, list[int]] = {}
        self.classes: dict[int, PlainClass] = {}
        self.objects: dict[int, PlainObject] = {}
        self.roots: list[tuple[int, int, int, int]] = []
        """tag, id, thread serial, frame"""
        self._instances: list[tuple[int, int, bytes]] = []
        self._records(at + 12)
        for each in self.classes.values():
            each.name = java_name(self._names[self._loaded[each.id]])
        for object_id, class_id, body in self._instances:
            self.objects[object_id] = PlainObject(object_id, class_id, list(self._fields(class_id, body)))

    def class_name(self, object_id: int) -> str:
        """Of an object; java.lang.Class for a class object."""
        if object_id in self.objects:
            found = self.objects[object_id].class_id
            return found if isinstance(found, str) else self.classes[found].name
        return "java.lang.Class"

    @cached_property
    def ids(self) -> list[int]:
        return sorted({*self.objects, *self.classes})

    def field(self, object_id: int, name: str) -> object:
        """The value of a field, the object's own class first; None where it has none."""
        found = self.objects.get(object_id)
        return next((value for known, _, value in found.fields if known == name), None) if found else None

    def text(self, object_id: int) -> str | None:
        """Characters of a string."""
        if object_id not in self.objects or self.class_name(object_id) != "java.lang.String":
            return None
        array = self.objects.get(self.field(object_id, "value"))  # type: ignore[call-overload]
        if array is None or array.body is None:
            return None
        if array.kind == 5:
            return array.body.decode("utf-16-be", "replace")
        return array.body.decode("utf-16-le" if self.field(object_id, "coder") == 1 else "latin-1", "replace")

    def references(self) -> Iterator[tuple[int, str, int]]:
        """(from, name, to) of all references to objects that are there, thread locals included."""
        there = {*self.objects, *self.classes}
        for each in self.classes.values():
            names = ("superclass", "class loader", "signers", "protection domain")
            yield from ((each.id, name, to) for name, to in zip(names, each.heads, strict=True) if to in there)
            yield from ((each.id, name, to) for name, kind, to in each.statics if kind == 2 and to in there)
        for one in self.objects.values():
            yield from ((one.id, name, to) for name, kind, to in one.fields if kind == 2 and to in there)
            yield from ((one.id, "[]", to) for to in one.elements or () if to in there)
        threads = self.threads
        held = {(threads[serial][0], to) for _, to, serial, _ in self.locals if to in there}
        yield from ((thread, "local variable", to) for thread, to in held if thread != to)

    @cached_property
    def threads(self) -> dict[int, tuple[int, int]]:
        """Thread object and serial of its stack, by serial."""
        found: dict[int, tuple[int, int]] = {}
        for tag, object_id, serial, trace in self.roots:
            if tag == 0x08 and (object_id in self.objects):
                found.setdefault(serial, (object_id, trace))
        return found

    @cached_property
    def locals(self) -> list[tuple[int, int, int, int]]:
        """Roots that hang on a thread."""
        threads = self.threads
        there = {*self.objects, *self.classes}
        return [
            root for root in self.roots if root[0] in (2, 3, 4, 6) and root[2] in threads and root[1] in there
        ]

    def frame_text(self, frame_id: int) -> str:
        class_name, method, source, line = self.frames[frame_id]
        notes = {-1: "(Unknown Source)", -2: "(Compiled Method)", -3: "(Native Method)"}
        place = notes.get(line) or (
            f"({source}:{line})" if source and line > 0 else f"({source})" if source else notes[-1]
        )
        return f"{class_name}.{method}{place}"

    # The format

    def _id(self, at: int) -> int:
        return int.from_bytes(self._data[at : at + self._size], "big")

    def _value(self, kind: int, at: int) -> object:
        if kind == 2:
            return self._id(at)
        return struct.unpack(f">{_CODES[kind]}", self._data[at : at + _WIDTHS[kind]])[0]

    def _width(self, kind: int) -> int:
        return self._size if kind == 2 else _WIDTHS[kind]

    def _records(self, at: int) -> None:
        size = self._size
        raw_frames = {}
        while at < len(self._data):
            tag, _, length = struct.unpack(">BII", self._data[at : at + 9])
            at += 9
            if tag == 0x01:
                self._names[self._id(at)] = self._data[at + size : at + length].decode("utf-8", "replace")
            elif tag == 0x02:
                self._loaded[self._id(at + 4)] = self._id(at + 8 + size)
                self._serials[int.from_bytes(self._data[at : at + 4], "big")] = self._id(at + 8 + size)
            elif tag == 0x04:
                serial, line = struct.unpack(">Ii", self._data[at + 4 * size : at + 4 * size + 8])
                raw_frames[self._id(at)] = (self._id(at + size), self._id(at + 3 * size), serial, line)
            elif tag == 0x05:
                serial, _, count = struct.unpack(">III", self._data[at : at + 12])
                self.traces[serial] = [self._id(at + 12 + size * number) for number in range(count)]
            elif tag in (0x0C, 0x1C):
                self._heap(at, at + length)
            at += length
        for frame_id, (method, source, serial, line) in raw_frames.items():
            class_name = java_name(self._names[self._serials[serial]])
            self.frames[frame_id] = (class_name, self._names[method], self._names.get(source, ""), line)

    def _heap(self, at: int, end: int) -> None:
        size = self._size
        while at < end:
            tag = self._data[at]
            at += 1
            if tag in _ROOTS:
                shape = _ROOTS[tag][1]
                numbers = [
                    int.from_bytes(self._data[at + size + 4 * n : at + size + 4 * n + 4], "big")
                    for n in range(shape.count("4"))
                ]
                self.roots.append((tag, self._id(at), *[*numbers, -1, -1][:2]))  # type: ignore[arg-type]
                at += size * shape.count("I") + 4 * shape.count("4")
            elif tag == 0x20:
                at = self._class(at)
            elif tag == 0x21:
                length = int.from_bytes(self._data[at + 2 * size + 4 : at + 2 * size + 8], "big")
                body = at + 2 * size + 8
                self._instances.append(
                    (self._id(at), self._id(at + size + 4), self._data[body : body + length])
                )
                at = body + length
            else:
                object_id = self._id(at)
                count = int.from_bytes(self._data[at + size + 4 : at + size + 8], "big")
                at += size + 8
                if tag == 0x22:
                    elements = [self._id(at + size + size * n) for n in range(count)]
                    self.objects[object_id] = PlainObject(
                        object_id, self._id(at), elements=elements, length=count
                    )
                    at += size + size * count
                else:
                    kind = self._data[at]
                    body_bytes = self._data[at + 1 : at + 1 + count * _WIDTHS[kind]]
                    self.objects[object_id] = PlainObject(
                        object_id, _ARRAYS[kind], body=body_bytes, kind=kind, length=count
                    )
                    at += 1 + count * _WIDTHS[kind]

    def _class(self, at: int) -> int:
        size = self._size
        heads = [self._id(at + size + 4 + size * number) for number in range(4)]
        made = PlainClass(self._id(at), heads[0], heads)
        at += size + 4 + 6 * size + 4
        pool = int.from_bytes(self._data[at : at + 2], "big")
        at += 2
        for _ in range(pool):
            at += 3 + self._width(self._data[at + 2])
        statics = int.from_bytes(self._data[at : at + 2], "big")
        at += 2
        for _ in range(statics):
            kind = self._data[at + size]
            made.statics.append((self._names[self._id(at)], kind, self._value(kind, at + size + 1)))
            at += size + 1 + self._width(kind)
        fields = int.from_bytes(self._data[at : at + 2], "big")
        at += 2
        for _ in range(fields):
            made.fields.append((self._names[self._id(at)], self._data[at + size]))
            at += size + 1
        self.classes.setdefault(made.id, made)
        return at

    def _fields(self, class_id: int, body: bytes) -> Iterator[tuple[str, int, object]]:
        at = 0
        while class_id in self.classes:
            for name, kind in self.classes[class_id].fields:
                raw = body[at : at + self._width(kind)]
                value = int.from_bytes(raw, "big") if kind == 2 else struct.unpack(f">{_CODES[kind]}", raw)[0]
                yield name, kind, value
                at += self._width(kind)
            class_id = self.classes[class_id].superclass
