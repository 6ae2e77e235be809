"""Bytes of single hprof records (hprof manual, "HPROF Agent binary format"), every field under the caller's control.

The layer below `hprof_writer`; use it directly only to write what no JVM would.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

UTF8, LOAD_CLASS, UNLOAD_CLASS, STACK_FRAME, STACK_TRACE = 0x01, 0x02, 0x03, 0x04, 0x05
HEAP_SUMMARY, START_THREAD, END_THREAD = 0x07, 0x0A, 0x0B
HEAP_DUMP, HEAP_DUMP_SEGMENT, HEAP_DUMP_END = 0x0C, 0x1C, 0x2C

CLASS_DUMP, INSTANCE_DUMP, OBJECT_ARRAY_DUMP, PRIMITIVE_ARRAY_DUMP = 0x20, 0x21, 0x22, 0x23
JNI_GLOBAL, JNI_LOCAL, JAVA_FRAME, NATIVE_STACK, STICKY_CLASS = 0x01, 0x02, 0x03, 0x04, 0x05
THREAD_BLOCK, MONITOR_USED, THREAD_OBJECT, UNKNOWN_ROOT = 0x06, 0x07, 0x08, 0xFF
ANDROID_ROOTS = (0x89, 0x8A, 0x8B, 0x8C, 0x8D, 0x90)
ANDROID_JNI_MONITOR, ANDROID_HEAP_INFO, ANDROID_ARRAY_WITHOUT_DATA = 0x8E, 0xFE, 0xC3

OBJECT, BOOLEAN, CHAR, FLOAT, DOUBLE, BYTE, SHORT, INT, LONG = 2, 4, 5, 6, 7, 8, 9, 10, 11
FORMATS = {BOOLEAN: "B", CHAR: "H", FLOAT: "f", DOUBLE: "d", BYTE: "b", SHORT: "h", INT: "i", LONG: "q"}
WIDTHS = {BOOLEAN: 1, CHAR: 2, FLOAT: 4, DOUBLE: 8, BYTE: 1, SHORT: 2, INT: 4, LONG: 8}
ARRAY_NAMES = {
    BOOLEAN: "[Z", CHAR: "[C", FLOAT: "[F", DOUBLE: "[D", BYTE: "[B", SHORT: "[S", INT: "[I", LONG: "[J"
}  # fmt: skip

Number = int | float
Field = tuple[int, int]
"""name id, basic type"""
Static = tuple[int, int, Number]
"""name id, basic type, value"""
PoolEntry = tuple[int, int, Number]
"""index, basic type, value"""


def modified_utf8(text: str) -> bytes:
    """Java's own UTF-8: NUL as c0 80, characters above U+FFFF as two surrogates of three bytes each."""
    units = text.encode("utf-16-be", "surrogatepass")
    encoded = "".join(chr(unit) for (unit,) in struct.iter_unpack(">H", units)).encode("utf-8", "surrogatepass")
    return encoded.replace(b"\0", b"\xc0\x80")


def header(version: str, id_size: int, captured_at_ms: int) -> bytes:
    """The file header."""
    return f"JAVA PROFILE {version}\0".encode() + struct.pack(">IQ", id_size, captured_at_ms)


def record(tag: int, body: bytes, *, length: int | None = None, micros: int = 0) -> bytes:
    """A top-level record; `length` overrides the true one."""
    return struct.pack(">BII", tag, micros, len(body) if length is None else length) + body


class Encoder:
    """Records of one id size. Sub-records begin with their tag and go into a heap record's body."""

    def __init__(self, id_size: int) -> None:
        self.id_size = id_size
        self._id_format = {4: "I", 8: "Q"}[id_size]

    def id(self, *ids: int) -> bytes:
        """Object, class, name or frame ids."""
        return struct.pack(f">{len(ids)}{self._id_format}", *ids)

    def value(self, kind: int, value: Number) -> bytes:
        """A value of a basic type."""
        return self.id(int(value)) if kind == OBJECT else struct.pack(f">{FORMATS[kind]}", value)

    def width(self, kind: int) -> int:
        """Bytes of a value of a basic type in the file."""
        return self.id_size if kind == OBJECT else WIDTHS[kind]

    # Top level

    def utf8(self, name_id: int, text: str | bytes) -> bytes:
        """A symbol; bytes are taken as they are."""
        return record(UTF8, self.id(name_id) + (text if isinstance(text, bytes) else modified_utf8(text)))

    def load_class(self, serial: int, class_id: int, name_id: int, trace: int = 0) -> bytes:
        """A class was loaded."""
        return record(
            LOAD_CLASS,
            struct.pack(">I", serial) + self.id(class_id) + struct.pack(">I", trace) + self.id(name_id),
        )

    def unload_class(self, serial: int) -> bytes:
        """A class was unloaded."""
        return record(UNLOAD_CLASS, struct.pack(">I", serial))

    def stack_frame(
        self, frame_id: int, method: int, signature: int, source: int, class_serial: int, line: int
    ) -> bytes:
        """A frame; `line` is signed: 0 none, -1 unknown, -2 compiled, -3 native."""
        return record(
            STACK_FRAME, self.id(frame_id, method, signature, source) + struct.pack(">Ii", class_serial, line)
        )

    def stack_trace(
        self, serial: int, thread_serial: int, frames: Sequence[int], *, count: int | None = None
    ) -> bytes:
        """A stack; `count` overrides the number of frames that is written."""
        head = struct.pack(">III", serial, thread_serial, len(frames) if count is None else count)
        return record(STACK_TRACE, head + self.id(*frames))

    # Inside a heap record

    def class_dump(
        self,
        class_id: int,
        *,
        superclass: int = 0,
        loader: int = 0,
        signers: int = 0,
        protection_domain: int = 0,
        instance_bytes: int = 0,
        pool: Iterable[PoolEntry] = (),
        statics: Iterable[Static] = (),
        fields: Iterable[Field] = (),
    ) -> bytes:
        """A class with its statics and the layout of its own fields."""
        pool, statics, fields = list(pool), list(statics), list(fields)
        parts = [bytes([CLASS_DUMP]), self.id(class_id), struct.pack(">I", 0)]
        parts.append(self.id(superclass, loader, signers, protection_domain, 0, 0))
        parts.append(struct.pack(">IH", instance_bytes, len(pool)))
        parts += [struct.pack(">HB", index, kind) + self.value(kind, value) for index, kind, value in pool]
        parts.append(struct.pack(">H", len(statics)))
        parts += [self.id(name) + bytes([kind]) + self.value(kind, value) for name, kind, value in statics]
        parts.append(struct.pack(">H", len(fields)))
        parts += [self.id(name) + bytes([kind]) for name, kind in fields]
        return b"".join(parts)

    def instance_dump(
        self, object_id: int, class_id: int, values: bytes, *, length: int | None = None
    ) -> bytes:
        """An instance; `values` are its own fields, then each superclass's."""
        size = len(values) if length is None else length
        return (
            bytes([INSTANCE_DUMP])
            + self.id(object_id)
            + bytes(4)
            + self.id(class_id)
            + struct.pack(">I", size)
            + values
        )

    def object_array_dump(
        self, object_id: int, class_id: int, elements: Sequence[int], *, length: int | None = None
    ) -> bytes:
        """An array of references; `length` overrides the number of elements."""
        size = len(elements) if length is None else length
        head = bytes([OBJECT_ARRAY_DUMP]) + self.id(object_id) + struct.pack(">II", 0, size)
        return head + self.id(class_id) + self.id(*elements)

    def primitive_array_dump(
        self, object_id: int, kind: int, body: bytes, *, length: int | None = None
    ) -> bytes:
        """An array of primitives; `body` is big-endian, `length` overrides the number of elements."""
        size = len(body) // WIDTHS.get(kind, 1) if length is None else length
        return bytes([PRIMITIVE_ARRAY_DUMP]) + self.id(object_id) + struct.pack(">IIB", 0, size, kind) + body

    def root(self, tag: int, object_id: int, *, thread: int = 0, frame: int = 0, jni_ref: int = 0) -> bytes:
        """A GC root. `frame` is a frame number, -1 for an empty stack; of a thread object its trace's serial."""
        body = bytes([tag]) + self.id(object_id)
        if tag == JNI_GLOBAL:
            return body + self.id(jni_ref)
        if tag in (JNI_LOCAL, JAVA_FRAME, THREAD_OBJECT, ANDROID_JNI_MONITOR):
            return body + struct.pack(">II", thread, frame & 0xFFFFFFFF)
        if tag in (NATIVE_STACK, THREAD_BLOCK):
            return body + struct.pack(">I", thread)
        return body

    def heap_info(self, heap: int, name_id: int) -> bytes:
        """Android: the heap in which the following objects are."""
        return bytes([ANDROID_HEAP_INFO]) + struct.pack(">I", heap) + self.id(name_id)

    def array_without_data(self, object_id: int, kind: int, length: int) -> bytes:
        """Android: a primitive array whose body was left out."""
        return bytes([ANDROID_ARRAY_WITHOUT_DATA]) + self.id(object_id) + struct.pack(">IIB", 0, length, kind)
