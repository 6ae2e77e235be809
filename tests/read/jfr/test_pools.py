"""Constants of checkpoints: where groups begin, which nothing tells but the records before them."""

from __future__ import annotations

import numpy as np

from mqdiag.read.jfr.described import Programs
from mqdiag.read.jfr.header import ChunkHead
from mqdiag.read.jfr.kernels.decode import MOST_NESTED
from mqdiag.read.jfr.metadata import Field, JfrType
from mqdiag.read.jfr.pools import list_constants

LONG, TEXT, POINT, DEEP, UNKNOWN = range(1, 6)
ROOM = 1 << 11


def field(name: str, kind: int, *, is_array: bool = False) -> Field:
    return Field(name, kind, is_constant=False, is_array=is_array, unit=None, is_timestamp=False)


def types() -> dict[int, JfrType]:
    """Among them one that has arrays in arrays as deep as any may."""
    found = {
        LONG: JfrType(LONG, "long", None, ()),
        TEXT: JfrType(TEXT, "java.lang.String", None, ()),
        POINT: JfrType(POINT, "Point", None, (field("x", LONG), field("name", TEXT))),
    }
    inner = LONG
    for number in range(20, 20 + MOST_NESTED + 1):
        found[number] = JfrType(number, f"Deep{number}", None, (field("inner", inner, is_array=True),))
        inner = number
    return found | {DEEP: found[inner]._replace(type_id=DEEP)}


A_POINT = b"\x07\x09\x03\x02ab"  # key, x, name
A_DEEP = b"\x08" + b"\x01" * MOST_NESTED + b"\x02\x7f\x7f"  # two longs in arrays of one
OF_POINTS = bytes((POINT, 2)) + A_POINT * 2
OF_DEEP = bytes((DEEP, 3)) + A_DEEP * 3


def listed(*checkpoints: tuple[int, bytes]) -> tuple[list[tuple[int, int, int]], list[int]]:
    """((type, byte of the first record, records) of each group, byte of each problem)."""
    data, starts, ends = b"", [], []
    for pools, groups in checkpoints:
        starts.append(len(data))
        data += b"\x01\x01\x01\x00" + bytes((pools & 0x7F | 0x80, pools >> 7)) + groups
        ends.append(len(data))
    head = ChunkHead(0, len(data), (2, 1), True, 0, 1, 0, 10**9, is_open=False, is_cut=False, body=0)
    damaged: list[int] = []
    found = list_constants(
        np.frombuffer(data, np.uint8),
        head,
        Programs(types()),
        (np.array(starts, np.int64), np.array(ends, np.int64)),
        lambda numbers: numbers,
        lambda at, _: damaged.append(at),
    )
    return list(zip(*found[:3].tolist(), strict=True)), damaged


def test_groups_of_all_checkpoints() -> None:
    first = 6 + len(OF_DEEP) + len(OF_POINTS)
    assert listed((2, OF_DEEP + OF_POINTS), (3, OF_POINTS + bytes((DEEP, 0)) + OF_DEEP)) == (
        [
            (DEEP, 8, 3),
            (POINT, 8 + len(OF_DEEP), 2),
            (POINT, first + 8, 2),
            (DEEP, first + 8 + len(OF_POINTS) + 2, 3),
        ],
        [],
    )


def test_more_groups_than_one_call_lists() -> None:
    many = ROOM + 10
    groups, damaged = listed((many, OF_POINTS * many), (1, OF_POINTS))
    assert (len(groups), damaged) == (many + 1, [])
    assert groups[many - 1][1] == 8 + len(OF_POINTS) * (many - 1)


def test_a_type_that_is_not_described_costs_the_rest_of_its_checkpoint() -> None:
    undescribed = bytes((UNKNOWN, 1)) + A_POINT
    size = 6 + 2 * len(OF_POINTS) + len(undescribed)
    groups, damaged = listed((3, OF_POINTS + undescribed + OF_POINTS), (1, OF_POINTS))
    assert (groups, damaged) == ([(POINT, 8, 2), (POINT, size + 8, 2)], [0])
    groups, damaged = listed((2, OF_POINTS + undescribed))
    assert ([group[0] for group in groups], damaged) == ([POINT, UNKNOWN], [])


def test_damage_costs_the_rest_of_its_checkpoint() -> None:
    no_text = bytes((POINT, 2)) + A_POINT + b"\x07\x09\x06"
    groups, damaged = listed((2, no_text + OF_POINTS), (2, OF_POINTS), (1, bytes((POINT, 99))), (1, OF_POINTS))
    second = 6 + len(no_text) + len(OF_POINTS)
    third = second + 6 + len(OF_POINTS)
    assert [group[:2] for group in groups] == [(POINT, 8), (POINT, second + 8), (POINT, third + 8 + 8)]
    assert damaged == [8 + len(A_POINT), third, third + 6]
