"""Arrays lie where earlier ones were, and never where one still is."""

from __future__ import annotations

import gc
import resource
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from mqdiag.read import reused_memory as reused_memory_module
from mqdiag.read.reused_memory import ReusedMemory, reused_memory

PAGE = resource.getpagesize()


def place(array: np.ndarray) -> int:
    return int(array.ctypes.data)


def taken(memory: ReusedMemory, pages: int, *, at_end: bool = False) -> np.ndarray:
    found = memory.empty(pages * PAGE, np.uint8, at_end=at_end)
    assert found is not None
    return found[0]


def test_an_array_takes_the_place_of_one_that_nobody_refers_to() -> None:
    memory = ReusedMemory(16 * PAGE)
    first, second = taken(memory, 4), taken(memory, 4)
    view = first[10:20]
    begin = place(first)
    del first
    assert place(taken(memory, 4)) == begin + 8 * PAGE, "a view still refers to the first"
    del view
    again = taken(memory, 3)
    assert place(again) == begin
    assert place(second) == begin + 4 * PAGE
    assert memory.peak_bytes == 12 * PAGE


def test_places_that_touch_are_one() -> None:
    memory = ReusedMemory(8 * PAGE)
    arrays = [taken(memory, 2) for _ in range(4)]
    begin = place(arrays[0])
    assert memory.empty(1, np.uint8) is None
    del arrays[1], arrays[1]
    assert memory.empty(5 * PAGE, np.uint8) is None
    assert place(taken(memory, 4)) == begin + 2 * PAGE
    arrays.clear()
    assert place(taken(memory, 8)) == begin


def test_what_was_left_before_new_places_goes_with_them() -> None:
    memory = ReusedMemory(8 * PAGE)
    begin = place(taken(memory, 2))
    found = memory.empty(6 * PAGE, np.uint8)
    assert found is not None
    array, is_clear = found
    assert place(array) == begin
    assert not is_clear
    assert memory.peak_bytes == 6 * PAGE


def test_new_places_at_the_end_part_no_others() -> None:
    memory = ReusedMemory(16 * PAGE - 100)
    first = taken(memory, 2)
    late = taken(memory, 4, at_end=True)
    second = taken(memory, 2)
    assert place(second) == place(first) + 2 * PAGE
    assert place(late) == place(first) + 12 * PAGE
    assert memory.peak_bytes == 8 * PAGE
    begin = place(late)
    del late
    assert place(taken(memory, 3)) == begin


def test_memory_goes_with_the_last_array() -> None:
    memory = ReusedMemory(1 << 26)
    array = taken(memory, (16 << 20) // PAGE)
    array[:] = 1
    full = _anonymous_bytes()
    gc.disable()
    try:
        del memory
        assert array.all()
        del array
        assert _anonymous_bytes() < full - (12 << 20)
    finally:
        gc.enable()


def test_only_new_places_are_clear() -> None:
    memory = ReusedMemory(8 * PAGE)
    found = memory.empty(PAGE, np.uint8)
    assert found is not None
    array, is_clear = found
    assert is_clear
    assert not array.any()
    array[:] = 7
    del found, array
    found = memory.empty(PAGE // 4, np.uint32)
    assert found is not None
    assert not found[1]
    assert (found[0] == 0x07070707).all()


def test_closed_memory_hands_out_nothing_and_gives_back_what_is_left() -> None:
    memory = ReusedMemory(1 << 26)
    kept, left, later = (taken(memory, (16 << 20) // PAGE) for _ in range(3))
    for array in (kept, left, later):
        array[:] = 1
    full = _anonymous_bytes()
    del array, left
    memory.close()
    assert memory.empty(1, np.uint8) is None
    assert _anonymous_bytes() < full - (12 << 20)
    del later
    assert _anonymous_bytes() < full - (28 << 20)
    assert kept.all()


def test_threads_never_share_a_place() -> None:
    memory = ReusedMemory(1 << 26)

    def use(number: int) -> bool:
        for turn in range(100):
            array = taken(memory, 1 + (number + turn) % 7)
            array[:] = number
            if turn == 50:
                gc.collect()
            if not (array == number).all():
                return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(use, range(8)))
    assert memory.peak_bytes <= 2 * 8 * 7 * PAGE


def test_no_range_where_addresses_count_as_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    assert reused_memory(1 << 20) is not None
    assert reused_memory(1 << 62) is None, "no system has so many addresses"
    monkeypatch.setattr(resource, "getrlimit", lambda limit: (1 << 30, 1 << 30))
    assert reused_memory(1 << 20) is None


@pytest.mark.parametrize(("mode", "is_there"), [("0\n", True), ("1\n", True), ("2\n", False)])
def test_no_range_where_the_system_promises_no_more_than_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str, is_there: bool
) -> None:
    file = tmp_path / "overcommit_memory"
    file.write_text(mode)
    monkeypatch.setattr(reused_memory_module, "_OVERCOMMIT", file)
    assert (reused_memory(1 << 20) is not None) is is_there


def _anonymous_bytes() -> int:
    (line,) = (
        line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("RssAnon:")
    )
    return int(line.split()[1]) << 10
