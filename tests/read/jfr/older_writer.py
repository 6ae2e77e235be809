"""Writes a recording again as version 0.9, the form of Oracle's JDK 7 and 8: `python -m tests.read.jfr.older_writer`.

The layout of events and constants is that of descriptions in recordings of JDK 8u60. What that JDK did not record is
left out: samples of native code, the process id.
"""

from __future__ import annotations

import lzma
import struct
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mqdiag.read.jfr.chunk import Chunk
from mqdiag.read.jfr.older.metadata import NUMBERS
from mqdiag.read.jfr.older.names import names
from mqdiag.read.jfr.recording import chunks
from mqdiag.read.jfr.records import Records
from mqdiag.recordings.constants import Constants
from mqdiag.recordings.places import Places
from mqdiag.recordings.process import OLDER_SETTING, Process

FOLDER = Path(__file__).parents[3] / "fixtures"
CASES = ("stuck-jdk8", "slow-call-jdk8", "lock-bound-jdk8", "gc-bound-jdk8", "healthy-jdk8")
_KINDS = {"bool": 0, "byte": 1, "u1": 2, "short": 3, "u2": 4, "int": 5, "u4": 6, "long": 7, "u8": 8, "float": 9,
          "double": 10, "utf8": 11, "string": 12, "array": 13, "struct": 14, "structs": 15}  # fmt: skip
_CODES = {-1: "B", -2: "H", -4: "I", 1: "b", 2: "h", 4: "i", 8: "q"}
_THREAD, _JAVA_THREAD, _MILLIS, _NANOS, _TICKS = 7, 8, 3, 4, 5
EVENTS = """
java/exception_throw TS thrownClass:u8@10 message:string
java/error_throw TS thrownClass:u8@10 message:string
java/statistics/throwables T throwables:long
java/socket_read BTS bytesRead:long@1 timeout:long@3 port:int address:string host:string
java/socket_write BTS bytesWritten:long@1 port:int address:string host:string
java/file_read BTS bytesRead:long@1 path:string
java/file_write BTS bytesWritten:long@1 path:string
java/thread_start T javalangthread:long@8
java/thread_end T javalangthread:long@8
java/thread_sleep BTS time:long@3
java/thread_park BTS klass:u8@10 address:u8@6
java/monitor_enter BTS klass:u8@10 previousOwner:long@8 address:u8@6
java/monitor_wait BTS klass:u8@10 notifier:u4@7 timeout:long@3 timedOut:bool address:u8@6
java/object_alloc_in_new_TLAB TS class:u8@10 allocationSize:u8@1 tlabSize:u8@1
java/object_alloc_outside_TLAB TS class:u8@10 allocationSize:u8@1
java/statistics/threads - activeCount:long daemonCount:long accumulatedCount:long peakCount:long
java/statistics/class_loading - loadedClassCount:long unloadedClassCount:long
java/statistics/thread_allocation - allocated:u8@1 thread:u4@7
vm/flag/ulong - name:utf8 value:u8
vm/gc/heap/summary - gcId:u4 when:u1@37 heapUsed:u8@1
vm/gc/collector/garbage_collection B gcId:u4 name:u1@35 cause:u2@36 sumOfPauses:long@5 longestPause:long@5
vm/gc/configuration/gc - youngCollector:u1@35 oldCollector:u1@35
vm/gc/configuration/heap - minSize:u8@1 maxSize:u8@1 initialSize:u8@1
vm/runtime/execute_vm_operation BT operation:u2@44 safepoint:bool blocking:bool
vm/runtime/thread_dump - result:string
vm/info - jvmName:utf8 jvmVersion:utf8 jvmStartTime:long@2
vm/prof/execution_sample - sampledThread:u4@7 stackTrace:u8@9
os/processor/cpu_load - jvmUser:float@11 jvmSystem:float@11 machineTotal:float@11
recordings/recording_setting - period:long@3 threshold:long@4 enabled:bool path:string name:string id:int
"""
"""path; what stands before the values: begin, thread, stack; the values with their kind and content"""
CONSTANTS = """
7 Thread u4 name:utf8
8 JavaThread u8 thread:u4@7 allocInsideTla:u8@1
10 Class u8 name:u8@33 modifiers:short
32 Method u8 class:u8@10 name:u8@33 hidden:bool
33 UTFConstant u8 utf8:utf8
35 GCName u1 name:utf8
36 GCCause u2 cause:utf8
37 GCWhen u1 when:utf8
44 VMOperationType u2 type:utf8
9 StackTrace u8 truncated:bool frames:structs
"""
FRAME = "method:u8@32 line:int bci:int type:u1"


class _Value(NamedTuple):
    name: str
    kind: int
    content: int

    @classmethod
    def of(cls, text: str) -> _Value:
        name, _, rest = text.partition(":")
        kind, _, content = rest.partition("@")
        return cls(name, _KINDS[kind], int(content or 0))

    def packed(self, value: Any) -> bytes:
        """Its bytes."""
        if self.kind == 11:
            raw = str(value or "").encode()[:0xFFFF]
            return struct.pack(">H", len(raw)) + raw
        if self.kind == 12:
            raw = str(value or "").encode("utf-16-be", "surrogatepass")
            return struct.pack(">i", len(raw) // 2) + raw
        if self.kind in (9, 10):
            return struct.pack(">f" if self.kind == 9 else ">d", value)
        width = NUMBERS[self.kind][1]
        code = _CODES[width]
        return struct.pack(f">{code}", int(value) & ((1 << (8 * abs(width))) - 1) if width < 0 else int(value))


def as_older(data: bytes) -> bytes:
    """All chunks of a recording, as version 0.9."""
    return b"".join(_Writer(chunk).chunk() for chunk in chunks(np.frombuffer(data, np.uint8), []))


class _Writer:
    """One chunk."""

    def __init__(self, chunk: Chunk) -> None:
        self._in = chunk
        self._constants = Constants(chunk, Places())
        self._out = bytearray(b"FLR\0\0\0\0\x09" + bytes(8))
        rows = [line.split(" ") for line in EVENTS.strip().splitlines()]
        self._events = {
            number: (path, head, list(map(_Value.of, values)))
            for number, (path, head, *values) in enumerate(rows, 3)
        }

    def chunk(self) -> bytes:
        """Its bytes."""
        for number, (path, head, values) in self._events.items():
            for payload in self._payloads(path, head, values):
                self._event(number, payload)
        checkpoint = len(self._out)
        self._event(1, struct.pack(">qq", self._in.head.start_ticks, 0) + b"".join(self._pools()))
        self._out[8:16] = struct.pack(">q", len(self._out))
        head = self._in.head
        start_ms, beyond_ns = divmod(head.start_ns, 1_000_000)
        ticks = head.start_ticks - round(beyond_ns * head.ticks_per_second / 1e9)
        end_ms = start_ms + -(-head.duration_ns // 1_000_000)
        tail = struct.pack(">qqqqq", start_ms, end_ms, ticks, head.ticks_per_second, checkpoint)
        self._event(0, self._description() + tail + _text("en_US") + bytes(4))
        return bytes(self._out)

    def _event(self, number: int, payload: bytes) -> None:
        self._out += struct.pack(">ii", len(payload) + 8, number) + payload

    def _payloads(self, path: str, head: str, values: list[_Value]) -> Iterator[bytes]:
        name = names().events[path]
        if name == OLDER_SETTING:
            yield from self._settings(values)
            return
        records = self._in.events(name)
        if records is None:
            return
        starts = records.integers("startTime")
        columns: list[tuple[_Value, list[Any]]] = []
        if "B" in head:
            columns.append((_Value("", 7, 0), (starts + records.integers("duration")).tolist()))
        columns.append((_Value("", 7, 0), starts.tolist()))
        if "T" in head:
            columns.append((_Value("", 6, _THREAD), self._threads(records, "eventThread", 1)))
        if "S" in head:
            columns.append((_Value("", 8, 0), records.integers("stackTrace").tolist()))
        columns += [(value, self._column(records, name, value)) for value in values]
        for row in range(len(records)):
            yield b"".join(value.packed(column[row]) for value, column in columns)

    def _column(self, records: Records, event: str, value: _Value) -> list[Any]:
        own = names().field(event, value.name)
        if not records.has(own):
            return [0] * len(records)
        if value.content in (_THREAD, _JAVA_THREAD):
            return self._threads(records, own, 1 if value.content == _THREAD else 0)
        if value.kind in (11, 12):
            return list(records.texts(own))
        if value.kind == 9:
            return records.floats(own).tolist()
        if value.content in (_MILLIS, _NANOS):
            return (records.nanoseconds(own) // (1_000_000 if value.content == _MILLIS else 1)).tolist()
        return records.integers(own).tolist()

    def _threads(self, records: Records, column: str, is_os: int) -> list[int]:
        if not records.has(column):
            return [0] * len(records)
        found = (self._constants.thread(key) for key in records.integers(column).tolist())
        return [thread.os_id if is_os else thread.java_id for thread in found]

    def _settings(self, values: list[_Value]) -> Iterator[bytes]:
        process = Process(Places())
        process._add_settings(self._in, self._constants)
        enabled, thresholds = process.enabled(), process.thresholds_ms()
        for number, (path, _, _) in self._events.items():
            name = names().events[path]
            told = {
                "period": (process.period_ns(name, 0)) // 1_000_000,
                "threshold": int(thresholds.get(name, 0) * 1e6),
                "enabled": name in enabled,
                "path": path,
                "id": number,
            }
            start = struct.pack(">q", self._in.head.start_ticks)
            yield start + b"".join(value.packed(told.get(value.name, 0)) for value in values)

    def _pools(self) -> Iterator[bytes]:
        threads = {thread.os_id: thread for thread in self._constants.threads()}
        rows: dict[str, list[tuple[int, dict[str, Any]]]] = defaultdict(list)
        rows["Thread"] = [(number, {"name": thread.name}) for number, thread in threads.items()]
        rows["JavaThread"] = [
            (thread.java_id, {"thread": number}) for number, thread in threads.items() if thread.java_id
        ]
        for line in CONSTANTS.strip().splitlines():
            content, name, key, *values = line.split(" ")
            key_kind, own = _Value.of(f":{key}"), list(map(_Value.of, values))
            found = rows.get(name) or list(self._constant_rows(names().constant(name), own))
            yield struct.pack(">ii", int(content), len(found))
            for number, row in found:
                frames = row.get("frames")
                yield key_kind.packed(number)
                for value in own:
                    yield value.packed(row.get(value.name, 0)) if value.kind < 13 else frames

    def _constant_rows(self, type_name: str, values: list[_Value]) -> Iterator[tuple[int, dict[str, Any]]]:
        pool, kind = self._in.constants_of(type_name), self._in.type_named(type_name)
        if pool is None or kind is None:
            return
        for key in dict.fromkeys(pool.keys.tolist()):
            row = pool.records.taken(np.array([pool.row(key)]))
            told: dict[str, Any] = {}
            for value in values:
                own = names().field(type_name, value.name)
                if value.kind == 15:
                    told[value.name] = self._frames(row)
                elif value.kind == 11:
                    told[value.name] = row.texts(own if row.has(own) else kind.fields[0].name)[0]
                elif row.has(own):
                    told[value.name] = int(row.integers(own)[0])
            yield key, told

    def _frames(self, row: Records) -> bytes:
        starts, counts = row.array("frames")
        frames = self._in.elements(row.columns["frames"].field, starts, counts)
        out = [struct.pack(">i", len(frames))]
        for method, line in zip(
            frames.integers("method").tolist(), frames.integers("lineNumber").tolist(), strict=True
        ):
            out.append(struct.pack(">qiib", method, line, 0, 0))
        return b"".join(out)

    def _description(self) -> bytes:
        structures = [values for _, _, values in self._events.values()]
        structures.append([_Value.of(text) for text in FRAME.split(" ")])
        contents = []
        for line in CONSTANTS.strip().splitlines():
            number, name, key, *values = line.split(" ")
            contents.append(
                struct.pack(">i", int(number)) + _text(name) + _text("")
                + struct.pack(">bi", _KINDS[key], len(structures))
            )  # fmt: skip
            structures.append([_Value.of(text) for text in values])
        frame = len(self._events)
        out = [
            struct.pack(">ii", 1, 1),
            _text("HotSpot JVM"),
            _text(""),
            _text("http://www.oracle.com/hotspot/jvm/"),
        ]
        out.append(struct.pack(">ii", 0, len(structures)))
        for values in structures:
            out.append(struct.pack(">i", len(values)))
            for value in values:
                inner = frame if value.kind == 15 else 0
                out += [_text(value.name), _text(""), _text("")]
                out.append(struct.pack(">bbiii", 0, value.kind, value.content, inner, 0))
        out.append(struct.pack(">i", len(self._events)))
        for at, (number, (path, head, _)) in enumerate(self._events.items()):
            out += [struct.pack(">i", number), _text(""), _text(""), _text(path)]
            out.append(struct.pack(">bbbbii", "B" in head, "T" in head, "S" in head, 0, at, 0))
        return b"".join((*out, struct.pack(">i", len(contents)), *contents))


def _text(text: str) -> bytes:
    return struct.pack(">H", len(text.encode())) + text.encode()


def main() -> None:
    """Write the fixtures again: those of the arguments, or all."""
    for case in sys.argv[1:] or CASES:
        data = lzma.decompress((FOLDER / "recordings" / case / "recording.jfr.xz").read_bytes())
        path = FOLDER / "recordings-older" / f"{case}.jfr.xz"
        path.write_bytes(lzma.compress(as_older(data), preset=9 | lzma.PRESET_EXTREME))


if __name__ == "__main__":
    main()
