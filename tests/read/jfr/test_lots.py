"""Events that have values in common, against the same events decoded value by value."""

from __future__ import annotations

import lzma
import random
from itertools import accumulate

import numpy as np
import pytest

from mqdiag.read.jfr.decoding import decode_listed
from mqdiag.read.jfr.header import ChunkHead
from mqdiag.read.jfr.lots import InCommon, in_common
from mqdiag.read.jfr.program import in_runs, program_of
from mqdiag.read.jfr.recording import chunks
from mqdiag.recordings.spans import COLUMNS
from tests.folded import folded
from tests.kernel.called import RECORDING
from tests.layers import CHECK, one_in_each_run
from tests.read.jfr.test_values import DOUBLE, INT, LONG, TEXT, TYPES, compressed, field

FIELDS = (
    field("startTime", LONG),
    field("host", TEXT),
    field("port", INT),
    field("unread", LONG),
    field("ids", INT, is_array=True),
    field("bytesRead", LONG),
    field("share", DOUBLE),
    field("thread", LONG),
)
OWN, COMMON = ("startTime", "bytesRead"), ("host", "port", "ids", "share", "thread")
Event = tuple[int, tuple[str, int, tuple[int, ...], bytes, int], int]


def written(event: Event) -> bytes:
    start, (host, port, ids, share, thread), size = event
    text = b"\x03" + compressed(len(host), 4) + host.encode()
    array = compressed(len(ids), 4) + b"".join(compressed(one, 4) for one in ids)
    return b"".join(
        (
            compressed(start, 8),
            text,
            compressed(port, 4),
            compressed(start * 3, 8),
            array,
            compressed(size, 8),
            share,
            compressed(thread, 8),
        )
    )


def events(seed: int, kinds: int, count: int) -> list[Event]:
    rng = random.Random(seed)
    common = [
        (
            f"host-{rng.randrange(kinds)}",
            rng.randrange(1 << 16),
            (7,) * rng.randrange(3),
            rng.randbytes(8),
            number,
        )
        for number in range(kinds)
    ]
    return [(rng.randrange(1 << 50), rng.choice(common), rng.randrange(1 << 20)) for _ in range(count)]


def read(made: list[bytes]) -> tuple[np.ndarray, InCommon, int | None, bytes]:
    data = b"".join(made)
    ends = np.array(list(accumulate(map(len, made))), np.int64)
    starts = ends - np.array([len(one) for one in made], np.int64)
    head = ChunkHead(0, len(data), (2, 1), True, 0, 1, 0, 10**9, is_open=False, is_cut=False, body=0)
    program = in_runs(program_of(TYPES, FIELDS, {*OWN, *COMMON}.__contains__), COMMON)
    array = np.frombuffer(data, np.uint8)
    listed = decode_listed(array, head, program, starts, ends)
    return listed.rows, in_common(array, head, program, listed), listed.stopped_at, data


@CHECK
@one_in_each_run(4)
@pytest.mark.parametrize(("kinds", "count"), [(1, 1), (3, 700), (1500, 4000), (1, 0)])
def test_lots_have_the_values_of_their_events(kinds: int, count: int) -> None:
    """Also where their first table has no room for so many."""
    made = events(kinds, kinds, count)
    rows, common, stopped_at, data = read([written(one) for one in made])
    assert stopped_at is None
    assert rows[:, 0].tolist() == [one[0] for one in made]
    assert rows[:, 1].tolist() == [one[2] for one in made]
    # each once, in the order in which they come
    assert len(common.rows) == len({one[1] for one in made})
    assert common.numbers.tolist() == [
        list(dict.fromkeys(one[1] for one in made)).index(one[1]) for one in made
    ]
    at = {name: column.place for name, column in common.program.columns.items()}
    for lot, (host, port, ids, share, thread) in zip(
        common.rows.tolist(), dict.fromkeys(one[1] for one in made), strict=True
    ):
        begin = lot[at["host"]]
        assert data[begin + 2 : begin + 2 + len(host)] == host.encode()
        assert (lot[at["port"]], lot[at["ids"] + 1], lot[at["thread"]]) == (port, len(ids), thread)
        assert lot[at["share"]] == int.from_bytes(share, "big", signed=True)


@folded("seed", range(20))
def test_a_damaged_event_ends_them_and_no_lot_is_empty(seed: int) -> None:
    """As it ends the reading of all values, whichever of them is damaged."""
    rng = random.Random(seed)
    made = [written(one) for one in events(seed, 40, 60)]
    damaged = rng.randrange(len(made))
    made[damaged] = made[damaged][: rng.randrange(len(made[damaged]))]
    rows, common, stopped_at, _ = read(made)
    assert stopped_at == sum(map(len, made[:damaged]))
    assert len(rows) == len(common.numbers) == damaged
    assert set(common.numbers.tolist()) == set(range(len(common.rows)))


def test_what_events_have_in_common_is_decoded_once() -> None:
    with lzma.open(RECORDING) as file:
        data = np.frombuffer(file.read(), np.uint8)
    found = 0
    for chunk in chunks(data, []):
        for name, columns in COLUMNS.items():
            lots, plain = chunk.lots(name, columns), chunk.events(name)
            if lots is None or plain is None:
                continue
            assert set(lots.own.columns).isdisjoint(lots.common.columns)
            for column in ("eventThread", "stackTrace", "port"):
                if plain.has(column):
                    assert (
                        lots.common.integers(column)[lots.numbers].tolist() == plain.integers(column).tolist()
                    )
            if plain.has("host"):
                hosts = lots.common.texts("host")
                assert [hosts[number] for number in lots.numbers.tolist()] == plain.texts("host")
            assert lots.own.integers("duration").tolist() == plain.integers("duration").tolist()
            found += len(plain) > 2 * len(lots.common)
    assert found >= 2
