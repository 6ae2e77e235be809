"""A healthy capture is OK only if all of it is there: an all-clear must not rest on what was not taken, or got lost."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.language import english
from tests.layers import one_in_each_run

HEALTHY = Path(__file__).parents[2] / "fixtures" / "drills" / "executor-each" / "healthy.tar.xz"


def _answer(folder: Path) -> tuple[str, str]:
    answer = diagnose_incident([folder]).report.answer
    return answer.state, english()(answer.reason)


def _rewritten(folder: Path, change: Callable[[dict], None]) -> None:
    manifest = folder / "taken" / "manifest.json"
    content = json.loads(manifest.read_text())
    change(content)
    manifest.write_text(json.dumps(content, indent=1))


def _interrupted(folder: Path) -> None:
    _rewritten(folder, lambda content: content.update(complete=False))


def _without_a_dump(folder: Path) -> None:
    def failed(content: dict) -> None:
        content["steps"][1]["result"] = "failed: the JVM did not answer within 30 s"

    (folder / "taken" / "stacks" / "01.txt").unlink()
    _rewritten(folder, failed)


def _without_its_heap_dump(folder: Path) -> None:
    step = {"what": "heap dump", "command": None, "result": "not done: no room on /tmp"}
    _rewritten(folder, lambda content: content["steps"].append(step))


def _without_a_file(folder: Path) -> None:
    (folder / "taken" / "stacks" / "05.txt").unlink()


@one_in_each_run(2)
@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (_without_a_file, "1 file that it took is not there, the first is stacks/05.txt (thread dump 5)"),
        (_interrupted, "it ended before all was taken"),
        (_without_a_dump, "it lacks the thread dump 1: failed: the JVM did not answer"),
        (_without_its_heap_dump, "it lacks the heap dump: not done: no room on /tmp"),
    ],
)
def test_no_all_clear_over_a_capture_that_is_not_whole(
    tmp_path: Path, damage: Callable[[Path], None], says: str
) -> None:
    with tarfile.open(HEALTHY) as packed:
        packed.extractall(tmp_path, filter="data")
    assert _answer(tmp_path)[0] == "healthy"
    damage(tmp_path)
    state, reason = _answer(tmp_path)
    assert state == "undecided"
    assert says in reason


def test_a_capture_without_a_dump_names_its_process_in_the_next_command(tmp_path: Path) -> None:
    with tarfile.open(HEALTHY) as packed:
        packed.extractall(tmp_path, filter="data")
    _interrupted(tmp_path)
    for dump in (tmp_path / "taken" / "stacks").iterdir():
        dump.unlink()
    report = diagnose_incident([tmp_path]).report
    assert report.answer.next is not None
    assert english()(report.answer.next.command) == "mqdiag capture 22380"
