"""Writes a heap dump of any number of objects, the same bytes each time.

    python -m tests.bench.many_objects 200 objects-200m.hprof     200 million objects, 8.1 GB

An order has a text (a string and its bytes) and an array with two lines, which refer back to it. Eight orders are a
chain, tables have the first order of each chain, and a static field has the tables: 1.4 references for each object.
"""

from __future__ import annotations

import struct
import sys
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from tests.writers import hprof_records as hprof
from tests.writers.hprof_records import BYTE, INT, LONG, OBJECT
from tests.writers.hprof_writer import DumpWriter

OBJECTS_OF_ORDER = 6
CHAIN = 8
"""orders"""
BLOCK = 1 << 16
"""orders of a table, which are one segment"""
_DIGITS = 16
_TEXT, _BODY, _LINES, _FIRST_LINE, _SECOND_LINE, _ORDER_BYTES = 32, 56, 88, 112, 136, 160
"""where the objects of an order are behind it in memory, with compressed references"""


def write_dump(path: Path, objects: int, block: int = BLOCK) -> int:
    """Write a dump of about so many objects; returns how many it has, class objects included.

    Args:
        path: the file.
        objects: at least one block is written, and whole blocks only.
        block: orders of a table.
    """
    blocks = max(objects // (OBJECTS_OF_ORDER * block + 1), 1)
    dump = DumpWriter(closed=False)
    dump.known("java/lang/Class")
    text = dump.known("java/lang/String", "java/lang/Object", value=OBJECT, hash=INT, coder=BYTE)
    dump.known("[B")
    array = dump.known("[Ljava/lang/Object;")
    order = dump.known("app/Order", "java/lang/Object", next=OBJECT, text=OBJECT, lines=OBJECT, number=LONG)
    line = dump.known("app/Line", "java/lang/Object", order=OBJECT, amount=INT)
    store = dump.java_class("app/Store", statics={"TABLES": (OBJECT, 0)}, superclass=order.superclass)
    table_bytes = dump.jvm.array(OBJECT, block // CHAIN)
    tables = dump.object_array(array, [0] * blocks)
    # The address behind the last object of the writer is that of the first table.
    first = tables + dump.sizes[tables]
    addresses = [first + at * (table_bytes + block * _ORDER_BYTES) for at in range(blocks)]
    dump.items = [item for item in dump.items if getattr(item, "id", None) != tables]
    dump.items.append(dump.encode.object_array_dump(tables, array.id, addresses))
    store.statics["TABLES"] = (OBJECT, tables)
    dump.root(hprof.STICKY_CLASS, store.id)
    template = _template(dump, order.id, text.id, array.id, line.id)
    with path.open("wb") as file:
        file.write(dump.to_bytes())
        for number, table in enumerate(addresses):
            orders = table + table_bytes + _ORDER_BYTES * np.arange(block, dtype=np.uint64)
            heads = dump.encode.object_array_dump(table, array.id, orders[::CHAIN].tolist())
            _segment(file, heads, _orders(template, orders, number * block))
        file.write(hprof.record(hprof.HEAP_DUMP_END, b""))
    return blocks * (OBJECTS_OF_ORDER * block + 1) + len(dump.classes) + 1


def _template(dump: DumpWriter, order: int, text: int, array: int, line: int) -> bytes:
    """One order with all of its objects; ids that differ from order to order are 0."""
    encode = dump.encode
    return b"".join(
        (
            encode.instance_dump(0, order, encode.id(0, 0, 0) + bytes(8)),
            encode.instance_dump(0, text, encode.id(0) + bytes(5)),
            encode.primitive_array_dump(0, BYTE, bytes(_DIGITS)),
            encode.object_array_dump(0, array, [0, 0]),
            encode.instance_dump(0, line, encode.id(0) + struct.pack(">i", 1)),
            encode.instance_dump(0, line, encode.id(0) + struct.pack(">i", 2)),
        )
    )


def _orders(template: bytes, orders: NDArray[np.uint64], first_number: int) -> NDArray[np.uint8]:
    """uint8[orders, bytes of the template]: the template with the ids and texts of each order."""
    rows = np.tile(np.frombuffer(template, np.uint8), (orders.size, 1))

    def put(at: int, ids: NDArray[np.uint64]) -> None:
        rows[:, at : at + 8] = ids.astype(">u8").view(np.uint8).reshape(-1, 8)

    following = orders + np.uint64(_ORDER_BYTES)
    following[CHAIN - 1 :: CHAIN] = 0
    instance, text, body, lines, line = 25, 57, 95, 129, 170
    for at, ids in (
        (1, orders),
        (instance, following),
        (instance + 8, orders + np.uint64(_TEXT)),
        (instance + 16, orders + np.uint64(_LINES)),
        (text + 1, orders + np.uint64(_TEXT)),
        (text + instance, orders + np.uint64(_BODY)),
        (body + 1, orders + np.uint64(_BODY)),
        (lines + 1, orders + np.uint64(_LINES)),
        (lines + 25, orders + np.uint64(_FIRST_LINE)),
        (lines + 33, orders + np.uint64(_SECOND_LINE)),
        (line + 1, orders + np.uint64(_FIRST_LINE)),
        (line + instance, orders),
        (line + 37 + 1, orders + np.uint64(_SECOND_LINE)),
        (line + 37 + instance, orders),
    ):
        put(at, ids)
    number = first_number + np.arange(orders.size, dtype=np.uint64)
    for digit in range(_DIGITS):
        power = np.uint64(10 ** (_DIGITS - 1 - digit))
        rows[:, body + 18 + digit] = ord("0") + number // power % np.uint64(10)
    return rows


def _segment(file: BinaryIO, head: bytes, rows: NDArray[np.uint8]) -> None:
    file.write(struct.pack(">BII", hprof.HEAP_DUMP_SEGMENT, 0, len(head) + rows.size))
    file.write(head)
    file.write(rows.data)


if __name__ == "__main__":
    print(write_dump(Path(sys.argv[2]), int(float(sys.argv[1]) * 1e6)))
