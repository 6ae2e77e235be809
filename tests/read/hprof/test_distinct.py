"""Arrays as sets, compared with the functions of numpy that they stand for."""

from __future__ import annotations

import numpy as np
import pytest

from mqdiag.read.hprof.distinct import distinct, is_in


@pytest.mark.parametrize("size", [0, 1, 50, 1 << 17])
@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.int64, np.uint64])
def test_they_find_what_numpy_finds(size: int, dtype: type) -> None:
    random = np.random.default_rng(size)
    numbers = random.integers(0, 200, size).astype(dtype)
    others = random.integers(0, 200, 60).astype(dtype)
    assert (distinct(numbers) == np.unique(numbers)).all()
    assert (is_in(numbers, others) == np.isin(numbers, others)).all()


@pytest.mark.parametrize("others", [(), [], (7,), [3, 250, 3]])
def test_the_others_may_be_a_list(others: list[int]) -> None:
    numbers = np.array([3, 7, 250, 8], np.uint8)
    assert is_in(numbers, others).tolist() == [number in others for number in numbers.tolist()]
