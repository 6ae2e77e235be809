"""How collections leave a heap: full one after the other, or a little more each time."""

from __future__ import annotations

from mqdiag.logs.collection_rows import Room

FULL, MIB = 0.99, 1 << 20


def seen(*shares: float, full: bool = False) -> Room:
    room = Room()
    for second, share in enumerate(shares):
        room.see(float(second), share, 100 * MIB, full=full, fills=False)
    return room


def test_collections_that_each_leave_more_are_counted_from_the_first() -> None:
    room = seen(0.5, 0.6, 0.7)
    assert (room.rises, round(room.risen, 3), room.since_s) == (2, 0.2, 0.0)
    room.see(3.0, 0.7, None, full=False, fills=False)
    assert (room.rises, room.risen, room.since_s) == (0, 0.0, 3.0)
    room.see(4.0, 0.8, None, full=False, fills=False)
    assert (room.rises, round(room.risen, 3), room.since_s) == (1, 0.1, 3.0)


def test_a_full_collection_and_a_clock_that_goes_back_begin_anew() -> None:
    room = seen(0.5, 0.6)
    room.see(9.0, 0.7, None, full=True, fills=False)
    assert (room.rises, room.since_s) == (0, None)
    room = seen(0.5, 0.6)
    room.see(-1.0, 0.7, None, full=False, fills=False)
    assert (room.rises, room.since_s) == (0, -1.0)
    room.see(None, 0.8, None, full=False, fills=False)
    assert (room.rises, room.since_s) == (0, None)


def test_collections_that_find_no_room_are_counted_while_the_heap_is_as_large() -> None:
    room = Room()
    for old in (True, True, False):
        room.see(1.0, FULL, 100 * MIB, full=True, fills=True, fills_old=old)
    assert (room.filled, room.old_filled) == (3, 0)
    room.see(2.0, FULL, 100 * MIB, full=True, fills=True, fills_old=True)
    assert (room.filled, room.old_filled) == (4, 1)
    room.see(3.0, FULL, 200 * MIB, full=True, fills=True, fills_old=True)
    assert (room.filled, room.old_filled, room.capacity) == (1, 1, 200 * MIB)
    room.see(4.0, FULL, 200 * MIB, full=False, fills=False)
    assert (room.filled, room.old_filled) == (1, 1)
    room.see(5.0, 0.1, 200 * MIB, full=False, fills=False)
    assert (room.filled, room.old_filled) == (0, 0)
