"""Threads of a dump: thread objects, their stacks, and what each frame holds."""

from __future__ import annotations

import struct
from collections.abc import Mapping

import msgspec
import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.object_graph import ObjectGraph
from mqdiag.graph.strings import decode
from mqdiag.read.hprof.number_dict import NumberDict
from mqdiag.read.hprof.records import STACK_FRAME, STACK_TRACE, big_endian

_LINE_NOTES = {0: "", -1: "(Unknown Source)", -2: "(Compiled Method)", -3: "(Native Method)"}
_LEAST_ROOM, _ROOM_PER_BYTE = 4 << 20, 8
"""characters of all stacks together, whatever the file's size, and for each of its bytes"""
_NOTHING_HELD: Mapping[int, NDArray[np.int32]] = NumberDict()
"""stands for the objects held by most threads of a dump with a million of them"""
_FRAME_ROOM = 32
"""characters that stand for what a frame costs beside its text"""


class ThreadRecord(msgspec.Struct):
    """One thread.

    `locals` maps frame numbers (0 is the top; -1 the empty stack) to nodes that the frame holds.
    """

    node: int
    serial: int
    name: str
    frames: tuple[str, ...]
    locals: Mapping[int, NDArray[np.int32]] = msgspec.field(default_factory=dict)


def read_threads(graph: ObjectGraph) -> list[ThreadRecord]:
    """All threads that have a thread object in the dump, by serial number."""
    traces = _traces(graph)
    frames = _FrameTexts(graph)
    threads = []
    names = decode(graph, graph.refs(np.array(list(graph.roots.thread_nodes.values()), np.int32), "name"))
    for (serial, node), name in zip(graph.roots.thread_nodes.items(), names, strict=True):
        _, trace = traces.get(graph.roots.trace_serials[serial], (serial, []))
        threads.append(
            ThreadRecord(
                node=node,
                serial=serial,
                name=name or "",
                frames=frames.texts(trace),
                locals=_held_by_frame(graph.roots.frame_locals.get(serial, [])),
            )
        )
    return threads


def stacks_without_thread(graph: ObjectGraph, first_frame: str) -> list[tuple[str, ...]]:
    """The frames of stacks that begin so and whose thread objects the file does not have.

    HotSpot writes stacks before all objects and says which object a thread is behind them (heapDumper.cpp), so a cut
    dump has stacks of threads that it does not name.
    """
    known = set(graph.roots.trace_serials.values())
    frames = _FrameTexts(graph)
    found = []
    for serial, (_, trace) in _traces(graph).items():
        if serial not in known and trace and frames.texts(trace[:1])[0].startswith(first_frame):
            found.append(frames.texts(trace))
    return found


def _held_by_frame(locals_of_thread: list[tuple[int, int]]) -> Mapping[int, NDArray[np.int32]]:
    """Nodes by the number of the frame that holds them."""
    if not locals_of_thread:
        return _NOTHING_HELD
    held = NumberDict[list[int]]()
    for node, frame in locals_of_thread:
        held.setdefault(frame, []).append(node)
    found = NumberDict[NDArray[np.int32]]()
    for frame, nodes in held.items():
        found[frame] = np.array(nodes, np.int32)
    return found


def _traces(graph: ObjectGraph) -> NumberDict[tuple[int, list[int]]]:
    """(serial number of the thread, frame ids) by serial number of the stack.

    There are as many frames as the record's length has room for, whatever its count says.
    """
    data, id_size = graph.data, graph.header.id_size
    found = NumberDict[tuple[int, list[int]]]()
    for offset, length in zip(*(array.tolist() for array in graph.dump.records.of(STACK_TRACE)), strict=True):
        if length < 12:
            continue
        serial, thread, count = struct.unpack(">III", bytes(data[offset : offset + 12]))
        count = min(count, (length - 12) // id_size)
        raw = bytes(data[offset + 12 : offset + 12 + count * id_size])
        found[serial] = (
            thread,
            [int.from_bytes(raw[i : i + id_size], "big") for i in range(0, len(raw), id_size)],
        )
    return found


class _FrameTexts:
    """Frames as a thread dump prints them, decoded when asked for.

    Many threads may name one stack and many frames one symbol, so all stacks together get room in proportion to the
    file. What HotSpot writes needs less than a quarter of it: 57 bytes of the file for each frame.
    """

    def __init__(self, graph: ObjectGraph) -> None:
        self._data = graph.data
        self._id_size = graph.header.id_size
        self._names = graph.dump.names
        offsets, lengths = graph.dump.records.of(STACK_FRAME)
        offsets = offsets[lengths >= 4 * self._id_size + 8]
        ids = big_endian(graph.data, offsets, self._id_size)
        self._offsets = NumberDict(ids, offsets.tolist())
        loaded = graph.dump.loaded
        self._class_names = NumberDict(loaded.serials, loaded.name_ids.tolist())
        self._texts = NumberDict[str]()
        self._room = _LEAST_ROOM + _ROOM_PER_BYTE * graph.data.size

    def texts(self, frame_ids: list[int]) -> tuple[str, ...]:
        """A stack, which ends early with a line that says so where the room is used up."""
        found: list[str] = []
        for frame_id in frame_ids:
            if self._room <= 0:
                found.append(f"({len(frame_ids) - len(found)} more frames)")
                break
            found.append(self._text(frame_id))
            self._room -= len(found[-1]) + _FRAME_ROOM
        return tuple(found)

    def _text(self, frame_id: int) -> str:
        if frame_id not in self._texts:
            self._texts[frame_id] = self._decode(frame_id)
        return self._texts[frame_id]

    def _decode(self, frame_id: int) -> str:
        offset = self._offsets.get(frame_id)
        if offset is None:
            return f"unknown frame 0x{frame_id:x}"
        size = self._id_size
        raw = bytes(self._data[offset : offset + 4 * size + 8])
        method, _, source = (int.from_bytes(raw[i * size : (i + 1) * size], "big") for i in range(1, 4))
        serial, line = struct.unpack(">Ii", raw[4 * size :])
        class_name = self._names.java(self._class_names[serial]) if serial in self._class_names else "?"
        place = _LINE_NOTES.get(line)
        if place is None or place == "":
            file = self._names.get(source) if source else None
            place = f"({file}:{line})" if file and line > 0 else f"({file})" if file else "(Unknown Source)"
        return f"{class_name}.{self._names.text(method)}{place}"
