"""The passes over all threads: a judgement keeps its revisions, and the order of the threads changes nothing."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path

import msgspec
import pytest

from mqdiag.cli import run
from mqdiag.read.stacks.reader import read_stacks
from mqdiag.read.stacks.records import Sample
from mqdiag.threads import decide, passes
from mqdiag.threads.decide import judge_tracks
from mqdiag.threads.facts import stacks_facts
from mqdiag.threads.judgement import Judgement, Revision, World
from mqdiag.threads.locks import lock_graphs
from mqdiag.threads.measured_limits import EXACT_BYTES
from mqdiag.threads.passes import PASSES, run_passes
from mqdiag.threads.series import Series, make_series
from mqdiag.threads.stack_meaning import StackMeanings
from mqdiag.threads.tracks import Track, align
from tests.folded import folded
from tests.layers import one_in_each_run
from tests.threads.real_series import CASES


def samples_of(case: str, name: str = "series.tar.gz") -> list[Sample]:
    return list(read_stacks(str(CASES / case / name)).samples)


def histories(samples: list[Sample]) -> dict[str, str]:
    """History of the decisions by thread."""
    series = make_series(samples)
    tracks = align(series, StackMeanings())
    world = World(judge_tracks(tracks, series), lock_graphs(tracks, series), series)
    run_passes(world)
    return {judgement.track.name: judgement.history() for judgement in world.judgements}


@folded(
    "case, history",
    [
        ("convoy-stuck", "stuck by own samples -> blocked by lock owner"),
        ("convoy-progressing", "progressing by own samples"),
        ("business-pool-stuck", "stuck by own samples -> blocked by future"),
        ("apache4-pool-dry", "stuck by own samples -> blocked by connection pool"),
        ("class-init-stuck", "stuck by own samples -> blocked by lock owner"),
        ("deadlock-monitors", "stuck by own samples -> blocked by lock owner -> blocked by deadlock"),
        ("own-queue-stuck", "stuck by own samples"),
        ("idle", "idle by own samples"),
    ],
)
def test_a_judgement_keeps_its_revisions(case: str, history: str) -> None:
    told = [
        decided
        for name, decided in histories(samples_of(case)).items()
        if name.startswith("ConsumeMessageThread")
    ]
    assert history in told


def test_each_pass_has_a_name_and_a_sentence() -> None:
    assert len({one.name for one in PASSES}) == len(PASSES)
    assert all(one.decides.endswith(".") for one in PASSES)


@pytest.mark.parametrize("case", ["broker-stalled", "convoy-stuck", "starved-pool-stuck", "common-pool-stuck"])
def test_the_order_of_threads_in_a_dump_decides_nothing(case: str) -> None:
    samples = samples_of(case)
    decided = {(thread.name, thread.java_id): thread.state for thread in stacks_facts(samples).threads}
    for sample in samples:
        sample.threads.reverse()
    reversed_threads = stacks_facts(samples).threads
    assert decided == {(thread.name, thread.java_id): thread.state for thread in reversed_threads}


def test_debug_shows_the_revisions_on_stderr(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(CASES / "convoy-stuck" / "series.tar.gz")
    run(["stacks", path, "--debug", "--output", str(tmp_path / "report.txt")])
    assert "_1: stuck by own samples -> blocked by lock owner" in capsys.readouterr().err
    run(["stacks", path, "--output", str(tmp_path / "other.txt")])
    assert "by own samples" not in capsys.readouterr().err


def test_threads_that_show_the_same_are_decided_about_once(monkeypatch: pytest.MonkeyPatch) -> None:
    copies = 20
    samples = samples_of("latch-stuck")
    few = _decisions(samples, monkeypatch)
    for sample in samples:
        sample.threads += [
            msgspec.structs.replace(
                thread,
                name=f"{thread.name}{copy:03}",
                java_id=thread.java_id * 1_000 + copy,
                tid=f"{thread.tid}{copy}",
                elapsed_s=thread.elapsed_s - 0.5 * copy,
            )
            for thread in list(sample.threads)
            if thread.java_id is not None and thread.elapsed_s is not None
            for copy in range(1, copies)
        ]
    many = _decisions(samples, monkeypatch)
    assert len(few) <= len(many) <= len(few) + copies


def test_locks_that_a_collector_moves_are_no_reason_to_decide_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The addresses of each copy are its own, and others in each sample."""
    copies = 20
    samples = samples_of("jdk-http-stuck")
    few = _decisions(samples, monkeypatch)
    for place, sample in enumerate(samples):
        sample.threads += [
            msgspec.structs.replace(
                thread,
                name=f"{thread.name}{copy:03}",
                java_id=thread.java_id * 1_000 + copy,
                addresses=tuple(f"{address}-{copy}-{place}" for address in thread.addresses),
            )
            for thread in list(sample.threads)
            if thread.java_id is not None
            for copy in range(1, copies)
        ]
    many = _decisions(samples, monkeypatch)
    assert len(few) <= len(many) <= 2 * len(few)


@one_in_each_run(4)
@pytest.mark.parametrize("shown", ["cpu_ms", "elapsed_s", "allocated_bytes", "addresses", "stack"])
def test_a_decision_for_all_is_the_decision_for_each(shown: str) -> None:
    """Copies of the threads differ in what one of the samples shows, of one kind at a time."""
    for case in ("flag-loop-stuck", "jdk-http-stuck", "latch-stuck"):
        chance = random.Random(case)
        samples = samples_of(case)
        for sample in samples:
            whole = [thread for thread in sample.threads if thread.java_id is not None]
            stacks = [thread.stack for thread in whole]
            for copy, thread in product(range(1, 30), whole):
                assert thread.java_id is not None
                assert thread.cpu_ms is not None
                assert thread.elapsed_s is not None
                values = {
                    "cpu_ms": (None, thread.cpu_ms, thread.cpu_ms + 0.4, thread.cpu_ms + 900.0),
                    "elapsed_s": (thread.elapsed_s, thread.elapsed_s + 6.0),
                    "allocated_bytes": (1_000, 2_000, EXACT_BYTES),
                    "addresses": tuple((letter,) * len(thread.addresses) for letter in "ab"),
                    "stack": (thread.stack, *stacks),
                }
                sample.threads.append(
                    msgspec.structs.replace(
                        thread,
                        name=f"{thread.name}{copy:03}",
                        java_id=thread.java_id * 1_000 + copy,
                        **{shown: chance.choice(values[shown])},
                    )
                )
        series = make_series(samples)
        tracks = align(series, StackMeanings())
        together = [judgement.now for judgement in judge_tracks(tracks, series)]
        assert len(set(map(id, together))) < len(tracks)
        assert together == [decide._decide(track, series) for track in tracks]


def test_passes_look_at_the_threads_that_they_concern(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: dict[str, list[str]] = {}

    def counted(one: passes.Pass) -> passes.Pass:
        seen = looked_at.setdefault(one.name, [])

        def revise(judgement: Judgement, world: World) -> Revision | None:
            seen.append(judgement.track.name)
            return one.revise(judgement, world)

        return msgspec.structs.replace(one, revise=revise)

    monkeypatch.setattr(passes, "PASSES", tuple(map(counted, passes.PASSES)))
    listening = [
        name for name in histories(samples_of("urlconnection-stuck")) if "ConsumeMessageThread" in name
    ]
    assert sorted(looked_at["calls of others"]) == sorted(listening)
    assert not looked_at["connection pool"]
    assert not looked_at["put lock"]
    assert not looked_at["future"]


def _decisions(samples: list[Sample], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the threads that were decided about, one for all that show the same."""
    decided: list[str] = []
    whole = decide._decide

    def count(track: Track, series: Series) -> Revision:
        decided.append(track.name)
        return whole(track, series)

    with monkeypatch.context() as patched:
        patched.setattr(decide, "_decide", count)
        assert len(stacks_facts(samples).threads) >= len(decided)
    return decided
