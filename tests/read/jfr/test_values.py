"""Values of a recording: the kernels against plain Python."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable

import numpy as np
import pytest

from mqdiag.read.jfr.decoding import Decoded, decode_arrays, decode_listed
from mqdiag.read.jfr.header import MOST_NS, ChunkHead
from mqdiag.read.jfr.metadata import Field, JfrType
from mqdiag.read.jfr.program import Program, UnknownTypeError, program_of
from mqdiag.read.jfr.values import Cursor, DamagedError
from tests.folded import folded
from tests.layers import one_in_each_run

NAMES = ("long", "int", "short", "byte", "float", "double", "java.lang.String")
TYPES = {number: JfrType(number, name, None, ()) for number, name in enumerate(NAMES, 1)}
LONG, INT, SHORT, BYTE, FLOAT, DOUBLE, TEXT = TYPES


def field(name: str, kind: int, *, is_array: bool = False) -> Field:
    return Field(name, kind, is_constant=False, is_array=is_array, unit=None, is_timestamp=False)


def decoded(data: bytes, program: Program, records: int, *, is_compressed: bool = True) -> Decoded:
    array = np.frombuffer(data, np.uint8)
    head = ChunkHead(0, len(data), (2, 1), is_compressed, 0, 1, 0, 10**9, is_open=False, is_cut=False, body=0)
    return decode_arrays(array, head, program, np.array([0]), np.array([records]), np.array([len(data)]))


def compressed(value: int, width: int) -> bytes:
    """As jdk.jfr.internal.EventWriter writes it."""
    left = value & ((1 << 8 * width) - 1)
    out = bytearray()
    while left >= 0x80 and len(out) < 8:
        out.append(left & 0x7F | 0x80)
        left >>= 7
    return bytes([*out, left])


def fixed(value: int, width: int) -> bytes:
    return (value & ((1 << 8 * width) - 1)).to_bytes(width, "big")


def values(width: int) -> list[int]:
    most = 1 << (8 * width - 1)
    rng = random.Random(width)
    return [0, 1, -1, 127, 128, most - 1, -most, *(rng.randrange(-most, most) for _ in range(50))]


@pytest.mark.parametrize("is_compressed", [True, False])
@pytest.mark.parametrize(("kind", "width"), [(LONG, 8), (INT, 4), (SHORT, 2)])
def test_integers(kind: int, width: int, is_compressed: bool) -> None:
    wanted = values(width)
    write = compressed if is_compressed else fixed
    data = b"".join(write(value, width) for value in wanted)
    cursor = Cursor(data, 0, len(data), is_compressed=is_compressed)
    assert [cursor.integer(width) for _ in wanted] == wanted
    done = decoded(data, program_of(TYPES, (field("value", kind),)), len(wanted), is_compressed=is_compressed)
    assert done.stopped_at is None
    assert done.rows[:, 0].tolist() == wanted


def random_text(rng: random.Random, write: Callable[[int, int], bytes]) -> bytes:
    """One of each encoding, with chars below and beyond ASCII, and one that none has."""
    size = rng.choice((0, 1, 7, 8, 9, 130))
    chars = [rng.choice((0x41, 0x7F, 0x80, 0x20AC)) if rng.random() < 0.1 else 0x61 for _ in range(size)]
    ascii = b"a" * size
    return rng.choice(
        (
            b"\x00",
            b"\x01",
            b"\x02" + write(rng.randrange(1 << 60), 8),
            b"\x03" + write(size, 4) + ascii,
            b"\x04" + write(size, 4) + b"".join(write(char, 2) for char in chars),
            b"\x05" + write(size, 4) + ascii,
            b"\x06\x01a",
        )
    )


@one_in_each_run(2)
@pytest.mark.parametrize("is_compressed", [True, False])
def test_events_by_columns_are_as_by_rows(is_compressed: bool) -> None:
    """Whole ones and cut ones, in more than one block; the last one ends with the file."""
    program = program_of(TYPES, (*(field(str(kind), kind) for kind in TYPES), field("all", INT, is_array=True)))
    rng, write = random.Random(1), compressed if is_compressed else fixed
    events, whole = [], []
    for number in range(900):
        integers = [write(rng.choice(values(width)), width) for width in (8, 4, 2)]
        text, array = random_text(rng, write), write(2, 4) + write(300, 4) + write(-1, 4)
        event = b"".join((*integers, b"\x80", b"1234", b"12345678", text, array))
        cut = rng.randrange(len(event)) if rng.random() < 0.05 else None
        events.append(event[:cut])
        if cut is None and text[0] != 6:
            whole.append(number)
    data = np.frombuffer(b"".join(events), np.uint8)
    ends = np.cumsum([len(event) for event in events])
    starts = ends - [len(event) for event in events]
    head = ChunkHead(0, data.size, (2, 1), is_compressed, 0, 1, 0, 10**9, is_open=False, is_cut=False, body=0)
    for number in range(len(events)):
        own = slice(number, number + 1)
        by_row = decode_arrays(data, head, program, starts[own], np.ones(1, np.int64), ends[own])
        by_column = decode_listed(data, head, program, starts[own], ends[own])
        assert (by_column.rows.tolist(), by_column.stopped_at) == (by_row.rows.tolist(), by_row.stopped_at)
        assert (by_row.stopped_at is None) == (number in whole)
    assert 512 < len(whole) < len(events)
    by_row = decode_arrays(data, head, program, starts[whole], np.ones(len(whole), np.int64), ends[whole])
    assert decode_listed(data, head, program, starts[whole], ends[whole]).rows.tolist() == by_row.rows.tolist()
    damaged = next(number for number in range(len(events)) if number not in whole)
    assert decode_listed(data, head, program, starts, ends).stopped_at == starts[damaged]


def test_arrays_texts_and_floats_are_passed_over_and_kept() -> None:
    types = {**TYPES, 20: JfrType(20, "Line", None, (field("name", TEXT), field("sizes", INT, is_array=True)))}
    fields = (
        field("lines", 20, is_array=True),
        field("ratio", FLOAT),
        field("share", DOUBLE),
        field("end", BYTE),
    )
    program = program_of(types, fields)
    lines = b"".join(
        b"\x03" + compressed(len(name), 4) + name + compressed(2, 4) + compressed(7, 4) + compressed(-7, 4)
        for name in (b"a", b"bc")
    )
    record = compressed(2, 4) + lines + struct.pack(">fd", 0.5, 0.25) + b"\x2a"
    done = decoded(record * 3, program, 3)
    assert (len(done.rows), done.stopped_at) == (3, None)
    columns = program.columns
    assert done.rows[1, columns["lines"].place] == len(record) + 1
    assert done.rows[:, columns["lines"].place + 1].tolist() == [2, 2, 2]
    assert done.rows[:, columns["end"].place].tolist() == [42, 42, 42]
    bits = np.ascontiguousarray(done.rows[:, columns["share"].place])
    assert bits.view(np.float64).tolist() == [0.25] * 3


@pytest.mark.parametrize("cut", [0, 1, 5, 9])
def test_a_record_that_crosses_the_end_is_none(cut: int) -> None:
    program = program_of(TYPES, (field("first", LONG), field("name", TEXT)))
    record = compressed(1 << 40, 8) + b"\x03\x03abc"
    done = decoded((record * 2)[: len(record) + cut], program, 2)
    assert (len(done.rows), done.stopped_at) == (1, len(record))


@folded(
    "data, text",
    [
        (b"\0", None),
        (b"\1", ""),
        (b"\2\x07", 7),
        (b"\3\2\xc3\xa9", "é"),
        (b"\5\1\xe9", "é"),
        (b"\4\2" + compressed(0xD83D, 8) + compressed(0xDE00, 8), "😀"),
    ],
)
def test_texts_in_all_encodings(data: bytes, text: str | int | None) -> None:
    assert Cursor(data, 0, len(data), is_compressed=True).text() == text


@folded("data", [b"", b"\6", b"\3\x05abc", b"\3\xff\xff\xff\xff\x0f", b"\4\2a"])
def test_a_text_that_cannot_be_is_damage(data: bytes) -> None:
    with pytest.raises(DamagedError):
        Cursor(data, 0, len(data), is_compressed=True).text()


def test_a_type_that_holds_itself_has_no_program() -> None:
    types = {**TYPES, 20: JfrType(20, "Node", None, (field("next", 20), field("other", 20)))}
    with pytest.raises(UnknownTypeError):
        program_of(types, types[20].fields)


def test_nanoseconds_of_ticks_are_rounded_as_numpy_does() -> None:
    """Half to even, in both directions, and no further than any clock goes."""
    rng = random.Random(0)
    ticks = np.array(
        [
            0,
            1,
            3,
            5,
            -1,
            -3,
            -5,
            1 << 53,
            -(1 << 53),
            1 << 62,
            *(rng.randrange(-1 << 55, 1 << 55) for _ in range(200)),
        ]
    )
    for rate in (10**9, 2 * 10**9, 3 * 10**8, 1, 1 << 40):
        head = ChunkHead(0, 0, (2, 1), True, 7, 1, 5, rate, is_open=False, is_cut=False, body=0)
        rows = np.arange(len(ticks))[::-1].copy()
        wanted = np.clip(np.rint(ticks / (rate / 1e9)), -MOST_NS, MOST_NS).astype(np.int64)
        assert head.span(ticks, rows).tolist() == wanted[::-1].tolist()
        times = np.clip(np.rint((ticks - 5) / (rate / 1e9)), -MOST_NS, MOST_NS).astype(np.int64) + 7
        assert head.nanoseconds(ticks, rows).tolist() == times[::-1].tolist()
