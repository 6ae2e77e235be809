"""Decisions and findings on series of real JVMs, against the listeners' own word."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from mqdiag.findings import Finding
from mqdiag.language import english
from tests.accuracy.page import part_of
from tests.folded import folded
from tests.layers import CHECK
from tests.threads.accuracy import without_cpu_times
from tests.threads.real_series import (
    SAME_CALL,
    STANDS,
    confusion,
    diagnosis_of,
    is_without_cpu_times,
    packed_series,
    truth_of,
)


def name_of(series: Path) -> str:
    return f"{series.parent.name}/{series.name}"


SERIES = packed_series()
# Stuck by the listener's word, but not by the samples alone: they need allocated=, or CPU times and objects that
# Thread.dump_to_file of JDK 21 does not have.
UNDECIDABLE = (
    "retry-loop-stuck",
    "regex-stuck/series",
    "flag-loop-stuck/jstack",
    "callback",
    "lambda-stuck-jdk21/dump-json",
    "convoy-stuck-jdk21/dump-json",
    "endless-stuck/series",  # one of its groups loops
    "endless-stuck-jdk21/series",
    "late-stuck",  # three of its groups loop
    "jdk8-regex-stuck/with",  # it computes
)


EITHER = frozenset({"hangs-or-slow", "sleep-in-listener"})
"""causes that dumps without CPU times show of threads that hang and of threads that are slow"""
OF_GROUPS = [path for path in SERIES if "of_groups" in truth_of(path.parent)["expected"]]


def test_there_are_series() -> None:
    assert len(SERIES) >= 16


@folded("path", SERIES, name_of)
def test_no_thread_that_moves_is_called_stuck(path: Path) -> None:
    counts = confusion(path)
    wrong = {pair: count for pair, count in counts.items() if pair[0] not in STANDS and pair[1] in STANDS}
    assert not wrong


# Of the others the samples do not show it.
DECIDABLE = [path for path in SERIES if not name_of(path).startswith(UNDECIDABLE)]


@folded("path", DECIDABLE, name_of)
def test_every_thread_that_stands_is_found(path: Path) -> None:
    found = STANDS | {SAME_CALL} if is_without_cpu_times(path) else STANDS
    missed = {
        pair: count for pair, count in confusion(path).items() if pair[0] in STANDS and pair[1] not in found
    }
    assert not missed


def test_on_jdk_8_the_kernels_times_decide() -> None:
    """Without them nothing that moves is called stuck, and all that stands is stuck or in the same call."""
    with_times, without = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for path in (path for path in SERIES if path.parent.name.startswith("jdk8-")):
        if is_without_cpu_times(path):
            without += confusion(path)
        elif "regex" not in path.parent.name:
            with_times += confusion(path)
    assert {pair for pair in with_times if pair[0] != pair[1]} == set()
    assert sum(with_times.values()) >= 250
    assert {pair[1] for pair in without if pair[0] in STANDS} == {"stuck", "blocked", SAME_CALL}
    assert {pair[1] for pair in without if pair[0] == "progressing"} == {"progressing", "unknown", SAME_CALL}
    decided = sum(count for pair, count in without.items() if pair[0] == pair[1])
    assert decided >= 0.55 * sum(without.values())


def test_on_jdk_8_every_series_that_stands_is_a_fault_without_times() -> None:
    """Stuck, blocked, or "hangs or is slow": never an all-clear, and never nothing."""
    answers = {
        path.parent.name: diagnosis_of(path).report.answer.state
        for path in SERIES
        if is_without_cpu_times(path) and not STANDS.isdisjoint(truth_of(path.parent)["summary"])
    }
    assert len(answers) >= 12
    assert set(answers.values()) == {"fault"}, answers


@CHECK
def test_the_page_has_the_table_without_cpu_times_of_today() -> None:
    assert part_of("without-cpu-times")[1].strip() == without_cpu_times().strip(), "make accuracy writes it"


@CHECK
def test_over_all_series() -> None:
    """The published table: nothing that moves is stuck, and 99 % of what stands is found."""
    total: Counter[tuple[str, str]] = Counter()
    for path in SERIES:
        if not name_of(path).startswith(UNDECIDABLE) and not is_without_cpu_times(path):
            total += confusion(path)
    stands = sum(count for (truth, _), count in total.items() if truth in STANDS)
    found = sum(count for (truth, said), count in total.items() if truth in STANDS and said in STANDS)
    assert found >= 0.99 * stands
    assert not [pair for pair in total if pair[0] not in STANDS and pair[1] in STANDS]


@pytest.mark.parametrize("path", OF_GROUPS, ids=[path.parent.name for path in OF_GROUPS])
def test_findings_of_groups(path: Path) -> None:
    """Each group of the JVM has its own fault, or its healthy twin; frame and advice fit the call."""
    write = english()
    found: dict[tuple[str | None, str, str], Finding] = {}
    for finding in diagnosis_of(path).report.findings:
        found.setdefault((finding.subject.group, finding.rule, finding.cause), finding)
    for group, wanted in truth_of(path.parent)["expected"]["of_groups"].items():
        finding = found[group, wanted["rule"], wanted["cause"]]
        words = " ".join(write(text) for text in (*finding.explanation, *finding.remedy))
        assert wanted["says"] in words, group
        assert wanted.get("frame", "") in str(finding.evidence["frame"]), group


@folded("path", SERIES, name_of, one_in=4)
def test_findings(path: Path) -> None:
    expected = truth_of(path.parent)["expected"]
    report = diagnosis_of(path).report
    assert not report.failed
    said = {(finding.rule, finding.cause) for finding in report.findings if not finding.undecides}
    # what hangs or is slow is not called stuck, whichever of the two it was
    undecided = report.stacks is not None and not report.stacks.has_cpu
    rules = {rule for rule, cause in said if not (undecided and cause in EITHER)}
    absent = set(expected.get("absent_rules", ()))
    if "idle" in truth_of(path.parent)["summary"]:
        absent.discard("idle-consumer")
    assert not rules & absent
    # one that undecides names its cause too
    named = said | {(finding.rule, finding.cause) for finding in report.findings if finding.undecides}
    for wanted in expected["findings"]:
        if name_of(path).startswith(UNDECIDABLE):
            continue
        if any(said == SAME_CALL for _, said in confusion(path)):
            assert wanted["rule"] in {finding.rule for finding in report.findings}
            continue
        accepted = {(wanted["rule"], wanted["cause"])} | {tuple(pair) for pair in wanted.get("accept", ())}
        assert named & accepted, f"{sorted(named)} has none of {sorted(accepted)}"
