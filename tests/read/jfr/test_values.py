"""Values of a recording: the kernels against plain Python."""

from __future__ import annotations

import random
import struct

import numpy as np
import pytest

from mqdiag.read.jfr.decoding import Decoded, decode_arrays
from mqdiag.read.jfr.header import ChunkHead
from mqdiag.read.jfr.metadata import Field, JfrType
from mqdiag.read.jfr.program import Program, UnknownTypeError, program_of
from mqdiag.read.jfr.values import Cursor, DamagedError

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
    assert (len(done.rows), done.stopped_at, done.end) == (3, None, 3 * len(record))
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


@pytest.mark.parametrize(
    ("data", "text"),
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


@pytest.mark.parametrize("data", [b"", b"\6", b"\3\x05abc", b"\3\xff\xff\xff\xff\x0f", b"\4\2a"])
def test_a_text_that_cannot_be_is_damage(data: bytes) -> None:
    with pytest.raises(DamagedError):
        Cursor(data, 0, len(data), is_compressed=True).text()


def test_a_type_that_holds_itself_has_no_program() -> None:
    types = {**TYPES, 20: JfrType(20, "Node", None, (field("next", 20), field("other", 20)))}
    with pytest.raises(UnknownTypeError):
        program_of(types, types[20].fields)
