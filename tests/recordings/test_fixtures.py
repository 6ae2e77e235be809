"""Recordings of real consumers, each against its truth: the right cause, and nothing besides."""

from __future__ import annotations

import json
import lzma
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mqdiag.cli.common.session import exit_code
from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.errors import EXIT_CLEAN, EXIT_INPUT
from mqdiag.fail_on import FailOn
from mqdiag.findings import Report, Severity
from mqdiag.language import english
from mqdiag.render import View, renderer
from mqdiag.text import NOTHING
from tests.folded import folded
from tests.layers import some_later

FOLDER = Path(__file__).parents[2] / "fixtures" / "recordings"
IN_EACH_RUN = {"stuck-jdk8", "healthy-jdk11", "full-load-jdk17", "gc-bound-jdk21", "leaking-jdk25"}
ALWAYS_FREE = {"idle-consumer"}
"""says of a consumer at rest that it rests"""
CASES = sorted(folder.name for folder in FOLDER.iterdir() if (folder / "truth.json").is_file())
OLDER_CASES = ("gc-bound-jdk8", "healthy-jdk8", "lock-bound-jdk8", "slow-call-jdk8", "stuck-jdk8")
PARTS = ("idle", "running", "native", "socket", "file", "lock", "park", "sleep", "unknown")


def truth_of(case: str) -> dict[str, Any]:
    return json.loads((FOLDER / case / "truth.json").read_text())


@cache
def report_of(case: str) -> Report:
    diagnosis = diagnose_incident([FOLDER / case / "recording.jfr.xz"])
    assert diagnosis.crashes == ()
    return diagnosis.report


@pytest.mark.parametrize("case", some_later(CASES, lambda case: case not in IN_EACH_RUN))
def test_the_cause_is_found_and_nothing_besides(case: str) -> None:
    expected = truth_of(case)["expected"]
    report = report_of(case)
    found = {(one.rule, one.cause) for one in report.findings}
    wanted = {(one["rule"], one["cause"]) for one in expected["findings"]}
    assert wanted <= found
    free = {*ALWAYS_FREE, *expected["tolerated"], *(rule for rule, _ in wanted)}
    assert {rule for rule, _ in found} <= free
    if not {rule for rule, _ in found} - ALWAYS_FREE:
        assert report.answer.state == "healthy"


@pytest.mark.parametrize("case", some_later(OLDER_CASES, lambda case: case not in IN_EACH_RUN))
def test_the_older_form_has_the_same_cause(case: str) -> None:
    """That of Oracle's JDK 7 and 8."""
    report = diagnose_incident([FOLDER.parent / "recordings-older" / f"{case}.jfr.xz"]).report
    expected = truth_of(case)["expected"]
    found = {(one.rule, one.cause) for one in report.findings}
    wanted = {(one["rule"], one["cause"]) for one in expected["findings"]}
    assert wanted <= found
    assert {rule for rule, _ in found} <= {*expected["tolerated"], *(rule for rule, _ in wanted)}
    assert wanted or report.answer.state == "healthy"


@pytest.mark.parametrize("case", some_later(CASES, lambda case: case not in IN_EACH_RUN))
def test_a_budget_sums_to_the_wall(case: str) -> None:
    report = report_of(case)
    assert report.recordings is not None
    (recording,) = report.recordings.recordings
    assert recording.budgets
    for budget in recording.budgets:
        assert sum(getattr(budget, f"{part}_ms") for part in PARTS) == pytest.approx(budget.wall_ms, rel=1e-4)


@folded("case", ["stuck-jdk8", "full-load-jdk17"])
def test_calls_have_the_time_that_the_budget_explains(case: str) -> None:
    """A call that hangs has no event, and is the widest box all the same."""
    report = report_of(case)
    assert report.recordings is not None
    (recording,) = report.recordings.recordings
    (budget,) = recording.budgets
    outermost = [node for node in recording.time_by_call if node.parent is None]
    explained = budget.wall_ms - budget.idle_ms - budget.unknown_ms
    assert sum(node.samples for node in outermost) == pytest.approx(explained, rel=0.02)
    assert {node.doing for node in recording.time_by_call if node.ends > explained / 2} == {"socket-read"}
    page = renderer("html")(report, View())
    assert "Time of consume threads by call" in page
    assert 'class="flame network"' in page


@pytest.mark.parametrize("share", some_later([0.4, 0.5, 0.55, 0.6], lambda share: share != 0.5))
def test_a_cut_recording_blames_no_thread_for_events_that_it_lost(share: float, tmp_path: Path) -> None:
    whole = lzma.decompress((FOLDER / "slow-call-jdk17" / "recording.jfr.xz").read_bytes())
    cut = tmp_path / "recording.jfr"
    cut.write_bytes(whole[: int(len(whole) * share)])
    report = diagnose_incident([cut]).report
    assert report.recordings is not None
    (recording,) = report.recordings.recordings
    assert (recording.standstills, recording.budgets, recording.threads) == ((), (), ())
    assert all(one.severity is not Severity.ERROR for one in report.findings if one.rule != "input-incomplete")


@pytest.mark.parametrize("packed", [False, True])
def test_a_recording_without_one_whole_event_was_not_read(packed: bool, tmp_path: Path) -> None:
    """As a dump without an object, or the head of a thread dump alone."""
    whole = (FOLDER / "stuck-jdk25" / "recording.jfr.xz").read_bytes()
    cut = tmp_path / ("recording.jfr.xz" if packed else "recording.jfr")
    cut.write_bytes(whole[:20_000] if packed else lzma.decompress(whole)[:3_000])
    report = diagnose_incident([cut]).report
    (given,) = report.inputs
    assert not given.was_read
    assert "no event of this flight recording can be read" in english()(given.error or NOTHING)
    assert report.findings == ()
    assert exit_code(report, FailOn()) == EXIT_INPUT


def test_a_recording_in_cut_packed_data_is_one_incomplete_input(tmp_path: Path) -> None:
    whole = (FOLDER / "stuck-jdk25" / "recording.jfr.xz").read_bytes()
    cut = tmp_path / "recording.jfr.xz"
    cut.write_bytes(whole[: len(whole) // 2])
    report = diagnose_incident([cut]).report
    (given,) = report.inputs
    assert given.was_read
    assert not given.complete
    assert "the packed data ends in the middle" in english()(given.problem or NOTHING)
    (found,) = report.findings
    assert (found.rule, found.severity) == ("input-incomplete", Severity.WARNING)
    assert any("JFR.dump" in english()(action) for action in found.remedy)
    assert exit_code(report, FailOn()) == EXIT_CLEAN


def test_the_collector_explains_that_all_threads_are_busy() -> None:
    """More threads would make more objects at a time."""
    found = {one.rule: one for one in report_of("gc-bound-jdk21").findings}
    assert found["workers-saturated"].caused_by == (found["gc-pressure"].fingerprint,)
    assert found["slow-listener"].caused_by == (found["gc-pressure"].fingerprint,)


def test_calls_are_counted_by_peer() -> None:
    """The server answers in 50 to 300 ms, and nearly all calls of ten threads are its."""
    report = report_of("full-load-jdk17")
    assert report.recordings is not None
    first = report.recordings.recordings[0].calls[0]
    assert (first.kind, first.host, first.threads) == ("socket-read", "localhost", 10)
    assert len(first.thread_names) == 10
    assert {name.rpartition("_")[0] for name in first.thread_names} == {
        "ConsumeMessageThread_CID_healthy-jdk17"
    }
    assert 50 <= first.p50_ms <= 300 < first.longest_ms
    assert first.frame == "com.acme.shop.UrlConnection.reserve(line 17)"
