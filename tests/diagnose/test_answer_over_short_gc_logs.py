"""The end of a GC log is often all that is at hand: a full heap in it is no all-clear, however short it is."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.findings import Answer
from mqdiag.language import english
from tests.layers import one_in_each_run

LOGS = Path(__file__).parents[2] / "fixtures" / "logs"


def answer(text: str, folder: Path) -> Answer:
    log = folder / "gc.log"
    log.write_text(text)
    given = diagnose_incident([log]).report.answer
    assert given is not None
    return given


def tail(log: str, lines: int) -> str:
    return "".join(
        gzip.decompress((LOGS / log / "gc.log.gz").read_bytes()).decode().splitlines(keepends=True)[-lines:]
    )


@one_in_each_run(4)
@pytest.mark.parametrize(
    ("log", "lines", "state"),
    [
        ("client-gc-thrashing-4.9.7/g1-58m", 4000, "fault"),
        ("client-gc-thrashing-4.9.7/g1-58m", 2000, "fault"),
        ("client-gc-thrashing-4.9.7/g1-58m", 200, "undecided"),
        ("client-gc-thrashing-4.9.7/g1-58m", 20, "undecided"),
        ("client-gc-thrashing-4.9.7/g1-jdk11-58m", 500, "undecided"),
        ("client-gc-thrashing-4.9.7/g1-jdk11-58m", 200, "undecided"),
        ("client-out-of-memory-4.9.7/g1", 500, "fault"),
        ("client-out-of-memory-4.9.7/g1", 200, "undecided"),
        ("client-out-of-memory-4.9.7/parallel", 500, "undecided"),
        ("client-out-of-memory-5.3.3/parallel", 500, "fault"),
        ("client-out-of-memory-5.3.3/parallel", 200, "fault"),
        ("client-out-of-memory-5.3.3/parallel", 20, "undecided"),
    ],
)
def test_the_end_of_a_log_with_a_full_heap(log: str, lines: int, state: str, tmp_path: Path) -> None:
    given = answer(tail(log, lines), tmp_path)
    assert given.state == state
    if state == "undecided":
        assert "too short to decide whether its heap stays full" in english()(given.reason)


def test_the_time_that_was_seen_is_told(tmp_path: Path) -> None:
    given = answer(tail("client-gc-thrashing-4.9.7/g1-58m", 200), tmp_path)
    reason = english()(given.reason)
    assert "gc.log spans 115 ms" in reason
    assert "took 77 % of that time" in reason
    assert not given.margins, "no limit was kept"


@one_in_each_run(6)
@pytest.mark.parametrize("process", sorted(log.parent for log in LOGS.glob("healthy-*/*/gc.log.gz")))
@pytest.mark.parametrize("lines", [20, 50, 10_000])
def test_a_short_log_of_a_healthy_process(process: Path, lines: int, tmp_path: Path) -> None:
    assert answer(tail(str(process.relative_to(LOGS)), lines), tmp_path).state == "healthy"


def test_a_few_young_pauses_that_leave_much_free(tmp_path: Path) -> None:
    young = "[0.{0}00s][info][gc] GC({0}) Pause Young (Normal) (G1 Evacuation Pause) 24M->5M(256M) 4.500ms\n"
    given = answer("".join(young.format(number) for number in range(1, 7)), tmp_path)
    assert given.state == "healthy"


def test_a_full_collection_that_somebody_asked_for(tmp_path: Path) -> None:
    young = "[0.{0}00s][info][gc] GC({0}) Pause Young (Normal) (G1 Evacuation Pause) 24M->5M(256M) 4.500ms\n"
    asked = "[0.800s][info][gc] GC(8) Pause Full (System.gc()) 5M->5M(256M) 6.000ms\n"
    text = "".join(young.format(number) for number in range(1, 7)) + asked
    assert answer(text, tmp_path).state == "healthy"


def lines(*texts: str) -> str:
    return "".join(f"[{2 * number}.000s][info][gc] GC({number}) {text}\n" for number, text in enumerate(texts))


@pytest.mark.parametrize(
    ("text", "state", "reason"),
    [
        (lines(*["Pause Full (Allocation Failure) 61M->60M(61M) 217.4ms"] * 4), "fault", ""),
        (
            "[Full GC (Ergonomics) [PSYoungGen: 140722K->140712K(232960K)] [ParOldGen: 699038K->699038K(699392K)]"
            " 839760K->839750K(932352K), [Metaspace: 2768K->2768K(1056768K)], 2.1019108 secs]\n" * 2,
            "fault",
            "",
        ),
        (
            lines(*["Garbage Collection (Allocation Rate) 58M(91%)->58M(91%)"] * 4),
            "undecided",
            "91 % of the heap",
        ),
        (
            lines(*["Garbage Collection (Allocation Rate) 58M(91%)->58M(91%)"] * 4)
            + "[9.000s][info][gc] Allocation Stall (main) 0.005ms\n" * 3,
            "fault",
            "",
        ),
        (
            lines(*[f"Pause Young (Normal) {used + 4}M->{used}M(64M) 9.0ms" for used in (30, 40, 50, 59)]),
            "undecided",
            "92 % of the heap were in use",
        ),
        (
            lines(*["Pause Full (System.gc()) 90M->40M(100M) 1900.000ms"] * 4),
            "undecided",
            "Pauses of the collector took 96 %",
        ),
        (
            lines(
                *[f"Pause Young (Normal) {used + 90}M->{used}M(1000M) 9.0ms" for used in range(340, 580, 30)]
            ),
            "undecided",
            "the heap is full in 30 s",
        ),
        (
            "".join(
                f"[GC (Allocation Failure)  62408{n}K->38814{n}K(1428680K), 0.06{n} secs]\n" for n in range(5)
            ),
            "healthy",
            "",
        ),
        (
            "[GC (Allocation Failure)  6240876K->3881448K(14286848K), 0.6168450 secs]\n" * 9,
            "undecided",
            "its lines have no times",
        ),
        (
            lines(*[f"Pause Young (Normal) {used + 90}M->{used}M(1000M) 9.0ms" for used in range(10, 250, 30)]),
            "healthy",
            "",
        ),
    ],
    ids=[
        "filled",
        "old generation filled",
        "zgc alone",
        "zgc with stalls",
        "nearly full",
        "asked for",
        "fills",
        "untimed",
        "untimed and long",
        "starts",
    ],
)
def test_a_log_that_ends_without_room(text: str, state: str, reason: str, tmp_path: Path) -> None:
    given = answer(text, tmp_path)
    assert given.state == state
    assert reason in english()(given.reason)
