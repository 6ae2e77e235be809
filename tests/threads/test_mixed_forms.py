"""Series of several forms of dumps of one JVM: jstack, and files of Thread.dump_to_file."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from mqdiag.diagnose.stacks import diagnose_stacks
from mqdiag.facts import StacksFacts
from mqdiag.knowledge.own_code import is_hidden
from mqdiag.language import english
from mqdiag.read.stacks.reader import read_stacks
from mqdiag.read.stacks.records import Sample
from mqdiag.threads.facts import stacks_facts
from tests.layers import one_in, one_in_each_run, some_later
from tests.threads.made import HTTP, At, dump, facts
from tests.threads.real_series import CASES, STANDS, truth_of

MIXED = sorted(path.parent for path in CASES.glob("*/dump-json.tar.gz"))
STUCK = [case for case in MIXED if "stuck" in case.name]


def jstacks(case: Path) -> list[Sample]:
    return list(read_stacks(str(case / "series.tar.gz")).samples)


def jsons(case: Path) -> list[Sample]:
    return list(read_stacks(str(case / "dump-json.tar.gz")).samples)


def worker_states(stacks: StacksFacts) -> dict[int | None, str]:
    return {thread.java_id: thread.state for thread in stacks.threads if thread.role == "consume-worker"}


def true_states(case: Path) -> dict[int, str]:
    return {told["java_id"]: told["truth"] for told in truth_of(case)["threads"] if told["java_id"]}


@one_in_each_run(4)
@pytest.mark.parametrize("case", one_in(3, MIXED, name=lambda case: case.name))
@pytest.mark.parametrize(
    ("first", "last"),
    some_later([(0, 5), (4, 5), (0, 1), (0, 3), (2, 4)], lambda part: part not in ((0, 5), (4, 5))),
)
def test_a_second_form_takes_nothing_from_what_jstack_shows(case: Path, first: int, last: int) -> None:
    alone = stacks_facts(jstacks(case))
    both = stacks_facts(jstacks(case) + jsons(case)[first:last])
    stand = {java_id for java_id, state in worker_states(alone).items() if state in STANDS}
    assert stand == {java_id for java_id, state in worker_states(both).items() if state in STANDS}
    assert both.jvms == 1
    shown = {(one.kind, one.cause) for one in both.standstills}
    assert {(one.kind, one.cause) for one in alone.standstills} <= shown


@one_in_each_run(4)
@pytest.mark.parametrize("case", STUCK, ids=lambda case: case.name)
def test_all_stuck_threads_are_found_in_both_forms_together(case: Path) -> None:
    states = {thread.java_id: thread.state for thread in stacks_facts(jstacks(case) + jsons(case)).threads}
    wrong = {
        java_id: truth for java_id, truth in true_states(case).items() if states.get(java_id) not in STANDS
    }
    assert not wrong


@pytest.mark.parametrize("name", ["virtual-stuck-jdk21", "virtual-stuck-jdk25"])
def test_virtual_threads_of_one_form_explain_the_workers_of_the_other(name: str) -> None:
    case = CASES / name
    alone = stacks_facts(jstacks(case))
    both = stacks_facts(jstacks(case) + jsons(case))
    assert set(worker_states(alone).values()) == {"stuck"}
    assert set(worker_states(both).values()) == {"blocked"}
    assert {"socket-read", "wait"} == {one.kind for one in both.standstills}
    assert {thread.role for thread in both.threads if thread.state == "stuck"} >= {"virtual"}


@pytest.mark.parametrize("name", ["lambda-stuck-jdk25", "lambda-stuck-jdk21", "convoy-stuck-jdk25"])
def test_one_sample_of_each_form_shows_the_same_work(name: str) -> None:
    """Their frames differ by hidden ones only, so nothing shows that a thread moved."""
    case = CASES / name
    pair = [jstacks(case)[0], jsons(case)[3]]
    assert worker_states(stacks_facts(pair)).keys() == worker_states(stacks_facts(jstacks(case))).keys()
    assert "progressing" not in worker_states(stacks_facts(pair)).values()


@one_in_each_run(4)
@pytest.mark.parametrize("case", STUCK, ids=lambda case: case.name)
def test_stuck_threads_have_the_same_visible_frames_in_both_forms(case: Path) -> None:
    def visible(sample: Sample) -> dict[int | None, list[str]]:
        return {
            thread.java_id: [method for method in thread.stack.methods if not is_hidden(method)]
            for thread in sample.threads
        }

    one, other = visible(jstacks(case)[2]), visible(jsons(case)[2])
    workers = true_states(case).keys() & one.keys() & other.keys()
    assert workers
    assert {java_id: one[java_id] for java_id in workers} == {java_id: other[java_id] for java_id in workers}


def test_local_times_are_brought_in_line_with_utc() -> None:
    case = CASES / "convoy-stuck-jdk25"
    shifted = jstacks(case)
    for sample in shifted:
        assert sample.captured_local is not None
        day, clock = sample.captured_local.split()
        hour = (int(clock[:2]) + 8) % 24
        sample.captured_local = f"{day} {hour:02}{clock[2:]}"
    plain = stacks_facts(jstacks(case) + jsons(case))
    moved = stacks_facts(shifted + jsons(case))
    assert moved.seconds == plain.seconds
    assert moved.seconds is not None
    assert moved.seconds < 60
    assert [sample.format for sample in moved.series] == [sample.format for sample in plain.series]


def cut_series(tmp_path: Path, whole: int, place: int = -1) -> list[Path]:
    """One sample more than so many of a real series, of which the one in this place is cut in half."""
    with tarfile.open(CASES / "urlconnection-stuck" / "series.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    paths = sorted(tmp_path.rglob("j*.log"))[: whole + 1]
    text = paths[place].read_text()
    paths[place].write_text(text[: text.index('"ConsumeMessageThread_') + 200])
    return paths


@pytest.mark.parametrize("place", [0, 1, 3], ids=["first", "between", "last"])
def test_a_cut_sample_counts_as_no_sample(place: int, tmp_path: Path) -> None:
    paths = cut_series(tmp_path, 3, place)
    others = [path for path in paths if path != paths[place]]
    cut, whole = (diagnose_stacks(given).report.stacks for given in (paths, others))
    assert cut is not None
    assert whole is not None
    assert (cut.samples, cut.cut_samples, whole.samples, whole.cut_samples) == (3, 1, 3, 0)
    assert worker_states(cut) == worker_states(whole)
    assert "stuck" in worker_states(cut).values()


def test_one_whole_and_one_cut_sample_are_no_series(tmp_path: Path) -> None:
    report = diagnose_stacks(cut_series(tmp_path, 1)).report
    stacks = report.stacks
    assert stacks is not None
    assert (stacks.samples, stacks.cut_samples, stacks.not_judged_because) == (1, 1, "one-sample")
    (found,) = [finding for finding in report.findings if finding.rule == "progress-not-judged"]
    assert "1 sample at the end of the series is cut" in " ".join(map(english(), found.explanation))


def test_samples_that_were_all_cut_count(tmp_path: Path) -> None:
    """People paste threads without the last lines of the dump."""
    path = tmp_path / "paste.log"
    samples = [dump([At("ConsumeMessageThread_CID_1", 26, HTTP)], 5.0 * number) for number in range(3)]
    path.write_text("".join(sample.replace("JNI global refs: 18, weak refs: 0\n", "") for sample in samples))
    stacks = diagnose_stacks([path]).report.stacks
    assert stacks is not None
    assert (stacks.samples, stacks.cut_samples) == (3, 0)


def test_equal_stacks_in_different_states_are_listed_apart(tmp_path: Path) -> None:
    samples = [
        [
            At("ConsumeMessageThread_CID_1", 26, HTTP, cpu=1.0),
            At("ConsumeMessageThread_CID_2", 27, HTTP, cpu=1.0 + 20 * number),
        ]
        for number in range(5)
    ]
    groups = facts(tmp_path, samples).groups
    assert {(group.state, group.threads) for group in groups} == {
        ("stuck", ("ConsumeMessageThread_CID_1",)),
        ("progressing", ("ConsumeMessageThread_CID_2",)),
    }
