"""Equal texts and rows, against plain Python."""

from __future__ import annotations

import random

import numpy as np
import pytest

from mqdiag.read.jfr.distinct import distinct
from mqdiag.read.jfr.kernels.numbers import TAGGED
from mqdiag.read.jfr.kernels.texts import number_texts


@pytest.mark.parametrize("seed", range(4))
def test_rows_are_numbered_in_their_order(seed: int) -> None:
    rng = random.Random(seed)
    size, most = [(0, 1), (1, 1), (500, 3), (4000, 1 << 62)][seed]
    columns = [
        np.array([rng.randrange(-most, most) for _ in range(size)], np.int64) for _ in range(1 + seed % 3)
    ]
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    known = {row: number for number, row in enumerate(dict.fromkeys(rows))}
    first, numbers = distinct(*columns)
    assert numbers.tolist() == [known[row] for row in rows]
    assert [rows[at] for at in first.tolist()] == list(known)


def test_texts_with_the_same_bytes_have_one_number() -> None:
    """Of all encodings; a damaged one, and one that crosses the end, are as one."""
    texts = [
        b"\x03\x02ab",
        b"\x04\x02ab",
        b"\x00",
        b"\x01",
        b"\x02\x81\x01",
        b"\x03\x02ab",
        b"\x07",
        b"\x00",
        b"\x03\x7f",
    ]
    data = np.frombuffer(b"".join(texts), np.uint8)
    places = np.cumsum([0, *map(len, texts[:-1])]).astype(np.int64)
    firsts, lengths, numbers = (np.zeros(len(texts), np.int64) for _ in range(3))
    found = number_texts(
        data, places, data.size, True, TAGGED, np.full(32, -1, np.int64), firsts, lengths, numbers
    )
    assert numbers.tolist() == [0, 1, 2, 3, 4, 0, 5, 2, 5]
    assert firsts[:found].tolist() == [places[at] for at in (0, 1, 2, 3, 4, 6)]
    assert lengths[:found].tolist() == [4, 4, 1, 1, 3, 0]
