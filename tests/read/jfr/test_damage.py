"""Recordings that are cut, damaged or made up: read as far as they go, in memory and time that the file bounds."""

from __future__ import annotations

import lzma
import random
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from mqdiag.read.jfr import recording
from mqdiag.read.jfr.chunk import Problem
from mqdiag.read.jfr.header import HEAD_BYTES, NoChunkError
from mqdiag.read.jfr.recording import chunks
from mqdiag.recordings.collect import read_recording
from tests.folded import folded
from tests.layers import CHECK, one_in

FIELDS = (
    "startTime", "activeCount", "javaName", "method", "throwables", "weight", "duration", "eventThread", "stackTrace",
    "sampledThread", "loadedClassCount", "memoryUsed", "lineNumber", "value", "result", "string",
)  # fmt: skip
FIXTURES = Path(__file__).parents[3] / "fixtures" / "recordings"


@cache
def whole(case: str) -> bytes:
    return lzma.decompress((FIXTURES / case / "recording.jfr.xz").read_bytes())


def read(data: bytes) -> list[Problem]:
    """Read everything; the problems."""
    return read_recording("r.jfr", np.frombuffer(data, np.uint8)).problems


def test_several_chunks_are_one_recording() -> None:
    one = whole("idle-jdk17")
    alone = read_recording("r.jfr", np.frombuffer(one, np.uint8))
    twice = read_recording("r.jfr", np.frombuffer(one + one, np.uint8))
    assert (alone.problems, twice.problems) == ([], [])
    assert (twice.facts.chunks, twice.facts.events) == (2, 2 * alone.facts.events)


def test_equal_metadata_is_read_once() -> None:
    read_types = [chunk.types for chunk in chunks(np.frombuffer(whole("idle-jdk17") * 3, np.uint8), [])]
    assert len(read_types) == 3
    assert len({id(types) for types in read_types}) == 1


def test_a_chunk_of_other_types_is_listed_by_its_own() -> None:
    def dumps(*cases: str) -> list[int]:
        data = np.frombuffer(b"".join(map(whole, cases)), np.uint8)
        return [len(chunk.events("jdk.ThreadDump") or ()) for chunk in chunks(data, [])]

    alone = dumps("idle-jdk17"), dumps("stuck-jdk8")
    assert all(alone[0] + alone[1])
    assert dumps("idle-jdk17", "stuck-jdk8", "idle-jdk17") == alone[0] + alone[1] + alone[0]


class SecondFirst(ThreadPoolExecutor):
    """Begins with the second task that it is given, as threads of a busy machine may."""

    _first: tuple[Any, ...] | None = None

    def submit(self, *task: Any) -> Future[Any]:  # type: ignore[override]
        if self._first is None:
            self._first = task, Future[Any]()
            return self._first[1]
        begun = super().submit(*task)
        given, told = self._first
        if not told.done() and not told.running():
            told.set_running_or_notify_cancel()
            super().submit(*given).add_done_callback(lambda done: told.set_result(done.result()))
        return begun


def test_chunks_come_in_their_order_whichever_thread_is_first(monkeypatch: pytest.MonkeyPatch) -> None:
    given = [SimpleNamespace(problems=[], place=place) for place in range(5)]
    monkeypatch.setattr(recording, "_chunks", lambda *_: iter([*((one, None) for one in given), (None, None)]))
    monkeypatch.setattr(recording, "ThreadPoolExecutor", SecondFirst)
    for _ in range(20):
        assert list(chunks(np.zeros(0, np.uint8), [])) == given


@pytest.mark.parametrize("share", one_in(4, [0.3, 0.5, 0.7, 0.9, 0.99]))
def test_a_cut_one_is_read_to_its_end(share: float) -> None:
    data = whole("stuck-jdk8")
    cut = data[: int(len(data) * share)]
    problems = read(cut)
    assert problems
    assert max(problem.offset for problem in problems) <= len(cut)


def test_bytes_between_chunks_are_passed_over() -> None:
    one = whole("idle-jdk17")
    problems: list[Problem] = []
    found = list(chunks(np.frombuffer(one + b"FLRoo" * 50 + one, np.uint8), problems))
    assert len(found) == 2
    assert [problem.offset for problem in problems] == [len(one)]


@pytest.mark.parametrize("length", [3, 67])
def test_less_than_a_head_is_no_recording(length: int) -> None:
    with pytest.raises(NoChunkError):
        read(whole("idle-jdk17")[:length])


@CHECK
@folded("field", FIELDS)
def test_a_field_of_another_name_costs_its_events_alone(field: str) -> None:
    """As a JDK to come may have it."""
    data = whole("idle-jdk17").replace(field.encode(), field[:-1].encode() + b"_")
    done = read_recording("r.jfr", np.frombuffer(data, np.uint8))
    assert any(field in str(problem.reason) for problem in done.problems)
    assert done.facts.events > 1000
    assert (done.facts.budgets == ()) is (field == "javaName")


@pytest.mark.parametrize("seed", one_in(6, range(24)))
def test_random_damage_raises_nothing(seed: int) -> None:
    rng = random.Random(seed)
    data = bytearray(whole(rng.choice(["stuck-jdk8", "idle-jdk17"])))
    for _ in range(rng.choice([1, 5, 50, 2000])):
        data[rng.randrange(HEAD_BYTES, len(data))] = rng.choice([0, 0x7F, 0x80, 0xFF, rng.randrange(256)])
    read(bytes(data))


@folded("change", [(32, 1 << 63), (32, -1), (40, 1 << 62), (56, 0), (56, 1 << 41)])
def test_a_head_with_times_that_no_clock_has_is_refused(change: tuple[int, int]) -> None:
    """Begin, duration and ticks a second: sums of them must stay numbers of 8 bytes."""
    at, value = change
    data = bytearray(whole("idle-jdk17"))
    data[at : at + 8] = (value & (2**64 - 1)).to_bytes(8, "big")
    with pytest.raises(NoChunkError, match=r"damaged|clock"):
        read(bytes(data))


def test_a_duration_beyond_any_is_cut_off() -> None:
    data = bytearray(whole("idle-jdk17"))
    data[48:56] = bytes(8)  # the begin in ticks
    data[56:64] = (1).to_bytes(8, "big")
    assert [problem.of_one_type for problem in read(bytes(data))] == [True]  # its clock contradicts its events


def test_a_chunk_without_metadata_says_so() -> None:
    head = whole("idle-jdk17")[:HEAD_BYTES]
    (problem,) = read(head[:8] + HEAD_BYTES.to_bytes(8, "big") + head[16:])
    assert "no metadata" in problem.reason.template
