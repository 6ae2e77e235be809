"""The step from one sub-record to the next, against a plain reading of the manual; no second table of widths."""

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np
import pytest

from mqdiag.kernel import kernel
from mqdiag.read.hprof.kernels.step import CROSSES_END, UNKNOWN_TAG, next_place, sub_record_end
from mqdiag.read.hprof.types import DTYPES, NAMES, PRIMITIVE_BYTES, REFERENCE, WIDTHS, unpack, width_of
from tests.layers import one_in_each_run

PACKAGE = Path(__file__).parents[3] / "mqdiag"
MANUAL_WIDTHS = {4: 1, 5: 2, 6: 4, 7: 8, 8: 1, 9: 2, 10: 4, 11: 8}
BEHIND_ID = {
    # tag: (ids, other bytes) of a sub-record of fixed length, behind its tag
    0xFF: (1, 0), 0x01: (2, 0), 0x02: (1, 8), 0x03: (1, 8), 0x04: (1, 4), 0x05: (1, 0), 0x06: (1, 4), 0x07: (1, 0),
    0x08: (1, 8), 0x89: (1, 0), 0x8A: (1, 0), 0x8B: (1, 0), 0x8C: (1, 0), 0x8D: (1, 0), 0x8E: (1, 8), 0x90: (1, 0),
    0xC3: (1, 9), 0xFE: (1, 4),
}  # fmt: skip


@kernel
def all_places(data, end, id_size, found):
    """What the step says at each place."""
    for at in range(end):
        found[at] = next_place(data, at, end, id_size)


class Ends(Exception):
    """The bytes do not suffice."""


def manual_end(data: bytes, at: int, end: int, id_size: int) -> int:
    """The end of a sub-record as the manual describes it, field by field."""

    def number(width: int) -> int:
        nonlocal at
        at += width
        if at > end:
            raise Ends
        return int.from_bytes(data[at - width : at], "big")

    def value(kind: int) -> None:
        if kind not in (*MANUAL_WIDTHS, 2):
            raise ValueError
        number(id_size if kind == 2 else MANUAL_WIDTHS[kind])

    tag = number(1)
    if tag in BEHIND_ID:
        ids, others = BEHIND_ID[tag]
        number(ids * id_size + others)
    elif tag == 0x21:
        number(2 * id_size + 4)
        number(number(4))
    elif tag == 0x22:
        number(id_size + 4)
        length = number(4)
        number(id_size)
        number(length * id_size)
    elif tag == 0x23:
        number(id_size + 4)
        length, kind = number(4), number(1)
        if kind not in MANUAL_WIDTHS:
            raise ValueError
        number(length * MANUAL_WIDTHS[kind])
    elif tag == 0x20:
        number(7 * id_size + 8)
        for _ in range(number(2)):
            number(2)
            value(number(1))
        for _ in range(number(2)):
            number(id_size)
            value(number(1))
        for _ in range(number(2)):
            number(id_size + 1)
    else:
        raise ValueError
    return at


@one_in_each_run(2)
@pytest.mark.parametrize("id_size", [4, 8])
def test_every_step_ends_where_the_manual_says(id_size: int) -> None:
    chance = random.Random(11)
    seen: dict[int, int] = {}
    for size in [*range(1, 60), 400, 20_000]:
        data = np.zeros(size, np.uint8)
        # Mostly zeros, so that lengths and counts are small and many sub-records fit.
        for byte in (0x20, 0x21, 0x22, 0x23, *BEHIND_ID, *range(2, 13), chance.randrange(256)):
            data[chance.choices(range(size), k=max(size // 200, 1))] = byte
        found = np.empty(size, np.int64)
        all_places(data, size, id_size, found)
        for at in range(size):
            try:
                expected = manual_end(data.tobytes(), at, size, id_size)
            except Ends:
                expected = CROSSES_END
            except ValueError:
                expected = UNKNOWN_TAG
            assert found[at] == expected, (size, at, hex(data[at]))
            kind = int(data[at]) if expected > 0 else expected
            seen[kind] = seen.get(kind, 0) + 1
        assert sub_record_end(data, 0, size, id_size) == found[0]
    assert {0x20, 0x21, 0x22, 0x23, *BEHIND_ID, CROSSES_END, UNKNOWN_TAG} <= set(seen)


def test_widths_are_those_of_the_manual_in_every_form() -> None:
    assert WIDTHS == MANUAL_WIDTHS
    assert {kind: dtype.itemsize for kind, dtype in DTYPES.items()} == MANUAL_WIDTHS
    assert {kind: int(size) for kind, size in enumerate(PRIMITIVE_BYTES) if size} == MANUAL_WIDTHS
    assert [width_of(kind, 8) for kind in (REFERENCE, 0, 3, 12)] == [8, 0, 0, 0]
    assert [unpack(kind, b"\0" * (width - 1)) for kind, width in WIDTHS.items()] == [None] * len(NAMES)


# A table of widths by number or by name, a list of them in the order of the types, or a record's length by its tag.
SECOND_TABLES = (
    re.compile(r"\b5: ?2, 6: ?4, 7: ?8\b"),
    re.compile(r"\b1, 2, 4, 8, 1, 2, 4, 8\b"),
    re.compile(r"""["']char(\[\])?["']: ?2\b"""),
    re.compile(r"0x22:.*id_size"),
)
ALLOWED = {"testing/hprof_records.py"}
"""the writer of test dumps, which shares nothing with the reader on purpose"""


def second_tables(source: str) -> list[str]:
    return [line for line in source.splitlines() for table in SECOND_TABLES if table.search(line)]


def test_widths_of_types_are_written_once() -> None:
    found = {
        str(file.relative_to(PACKAGE)): lines
        for file in sorted(PACKAGE.rglob("*.py"))
        if (lines := second_tables(file.read_text()))
    }
    assert set(found) <= ALLOWED, found


@pytest.mark.parametrize(
    "line",
    [
        "_WIDTHS = {4: 1, 5: 2, 6: 4, 7: 8, 8: 1, 9: 2, 10: 4, 11: 8}",
        "np.array([0, 0, 0, 0, 1, 2, 4, 8, 1, 2, 4, 8])",
        '"boolean[]": 1, "char[]": 2, "float[]": 4',
        "{0x21: 0, 0x22: id_size}",
    ],
)
def test_the_search_finds_a_second_table(line: str) -> None:
    assert second_tables(line)
