"""Version 0.9, the form of Oracle's JDK 7 and 8: the same recordings in both forms say the same."""

from __future__ import annotations

import contextlib
import lzma
import random
import struct
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from mqdiag.facts.recordings import Recording
from mqdiag.read.jfr.chunk import Problem
from mqdiag.read.jfr.header import NoChunkError
from mqdiag.read.jfr.recording import chunks
from mqdiag.recordings.collect import Collected, read_recording
from tests.folded import folded
from tests.layers import one_in
from tests.read.jfr.older_writer import CASES, FOLDER, as_older

HEAD = b"FLR\0\0\0\0\x09"
EVENT = "java/socket_read"


@cache
def older(case: str) -> bytes:
    return lzma.decompress((FOLDER / "recordings-older" / f"{case}.jfr.xz").read_bytes())


@cache
def later(case: str) -> bytes:
    return lzma.decompress((FOLDER / "recordings" / case / "recording.jfr.xz").read_bytes())


def read(data: bytes) -> Collected:
    return read_recording("r.jfr", np.frombuffer(data, np.uint8))


def same_in_both(recording: Recording) -> dict[str, object]:
    """What does not hang on samples of native code, nor on the last millisecond."""
    names = (
        "jvm", "began_at", "calls", "locks", "hot_methods", "errors", "thrown", "allocations", "collections", "pauses",
        "heap", "heap_bytes", "cpu_share", "threads_first", "threads_last", "allocated_bytes_per_second", "classes",
    )  # fmt: skip
    return {name: getattr(recording, name, None) for name in names}


@folded("case", CASES)
def test_both_forms_have_the_same_facts(case: str) -> None:
    one, other = read(older(case)), read(later(case))
    assert one.problems == []
    assert same_in_both(one.facts) == same_in_both(other.facts)
    assert len(one.dumps) == len(other.dumps) > 0
    assert [sample.captured_at for sample in one.dumps] == [sample.captured_at for sample in other.dumps]
    assert one.facts.not_recorded == ()


def test_threads_have_one_key_whether_named_by_the_system_or_by_java() -> None:
    (lock,) = (one for one in read(older("lock-bound-jdk8")).facts.locks if one.kind == "monitor")
    assert lock.previous_owner is not None
    assert lock.previous_owner.startswith("ConsumeMessageThread_")
    assert lock.previous_owners > 1


def test_settings_are_those_of_the_recording() -> None:
    thresholds = read(older("stuck-jdk8")).facts.thresholds_ms
    assert thresholds == {
        name: took for name, took in read(later("stuck-jdk8")).facts.thresholds_ms.items() if name in thresholds
    }
    assert thresholds["jdk.SocketRead"] == 10.0
    assert "jdk.CPULoad" not in thresholds


def test_several_chunks_of_both_forms_are_one_recording() -> None:
    done = read(older("stuck-jdk8") + b"\1\2" + later("stuck-jdk8") + older("stuck-jdk8"))
    assert done.facts.chunks == 3
    assert len(done.problems) == 1


def test_what_is_written_is_what_the_fixture_has() -> None:
    assert as_older(later("stuck-jdk8")) == older("stuck-jdk8")


@pytest.mark.parametrize("share", [0.01, 0.5, 0.97])
def test_a_cut_chunk_lacks_what_describes_it(share: float) -> None:
    data = older("stuck-jdk8")
    cut = data[: int(len(data) * share)]
    with pytest.raises(NoChunkError, match=r"ends before what describes|metadata"):
        read(cut)
    done = read(data + cut)
    assert (done.facts.chunks, len(done.problems)) == (1, 1)


@pytest.mark.parametrize("seed", one_in(10, range(40)))
def test_random_damage_raises_nothing_else(seed: int) -> None:
    """Damage of events and constants leaves the chunk; that of its description may end it."""
    rng = random.Random(seed)
    data = bytearray(older("stuck-jdk8"))
    (description,) = struct.unpack_from(">q", data, 8)
    begin, end = rng.choice([(16, description), (description, len(data))])
    for _ in range(rng.choice([1, 5, 50, 2000])):
        data[rng.randrange(begin, end)] = rng.choice([0, 0x7F, 0x80, 0xFF, rng.randrange(256)])
    with contextlib.nullcontext() if begin == 16 else contextlib.suppress(NoChunkError):
        read(bytes(data))


def described(payload: bytes) -> bytes:
    """A chunk without events, and with this description."""
    return HEAD + struct.pack(">qii", 16, len(payload) + 8, 0) + payload


def producer(structures: bytes, events: bytes) -> bytes:
    return struct.pack(">ii", 1, 1) + bytes(6) + bytes(4) + structures + events


def test_a_structure_that_all_events_name_is_no_bomb() -> None:
    value = bytes(6) + struct.pack(">bbiii", 0, 5, 0, 0, 0)
    event = struct.pack(">i", 3) + bytes(6) + bytes(4) + bytes(8)
    bomb = producer(struct.pack(">ii", 1, 4000) + value * 4000, struct.pack(">i", 4000) + event * 4000)
    with pytest.raises(NoChunkError, match="metadata is damaged"):
        read(described(bomb + bytes(64)))


@folded("count", [-1, 1 << 30, (1 << 31) - 1])
def test_counts_beyond_the_chunk_are_refused(count: int) -> None:
    counted = (
        struct.pack(">i", count),
        producer(struct.pack(">i", count), b""),
        producer(struct.pack(">ii", 1, count), b""),
        producer(struct.pack(">i", 0), struct.pack(">i", count)),
    )
    for payload in counted:
        with pytest.raises(NoChunkError, match="metadata is damaged"):
            read(described(payload + bytes(200)))


def test_a_description_that_names_a_later_one_of_its_types_is_read() -> None:
    """Producers describe constants for each other."""
    problems: list[Problem] = []
    (chunk,) = chunks(np.frombuffer(older("stuck-jdk8"), np.uint8), problems)
    kind = chunk.type_named("jdk.SocketRead")
    assert kind is not None
    assert [field.name for field in kind.fields][:4] == ["duration", "startTime", "eventThread", "stackTrace"]
    assert (problems, chunk.head.version) == ([], (0, 9))


def test_where_the_fixtures_are() -> None:
    assert sorted(path.name for path in Path(FOLDER / "recordings-older").glob("*.xz")) == sorted(
        f"{case}.jfr.xz" for case in CASES
    )
