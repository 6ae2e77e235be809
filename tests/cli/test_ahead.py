"""Imports beside the reading: none before it begins, and all of them done when it ends."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from mqdiag.cli.common.ahead import imports_ahead
from mqdiag.progress import Progress, Silent

SAMPLE = Path(__file__).parents[2] / "fixtures/heap/stuck-one-5.3.3/dump.hprof.gz"
SCRIPT = """
import sys
from mqdiag.cli.common.progress import NotesOnly
at_first_phase = []
def phase(self, name):
    later = ("mqdiag.rules.consumer_cache_exceeds_heap", "mqdiag.render.text")
    at_first_phase.append([name for name in sys.modules if name.startswith(later)])
NotesOnly.phase = phase
from mqdiag.cli import run
run(["heap", "--quick", sys.argv[1]])
print(at_first_phase[0], file=sys.stderr)
"""


class Listening(Silent):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[object] = []

    def phase(self, name: str) -> None:
        self.told.append(name)

    def advance(self, share: float) -> None:
        self.told.append(share)

    def note(self, text: str) -> None:
        self.told.append(text)


def read(progress: Progress) -> None:
    progress.note("long")
    progress.phase("reading")
    progress.advance(0.5)
    progress.phase("walking")


def test_everything_is_handed_on_and_the_imports_run_once_in_a_thread_of_their_own() -> None:
    listening, threads = Listening(), []
    with imports_ahead(listening, lambda: threads.append(threading.current_thread())) as progress:
        read(progress)
    assert listening.told == ["long", "reading", 0.5, "walking"]
    assert len(threads) == 1
    assert threads[0] is not threading.current_thread()
    assert not threads[0].is_alive()


def test_nothing_is_imported_where_nothing_is_read() -> None:
    imported: list[int] = []
    with imports_ahead(Silent(), lambda: imported.append(1)) as progress:
        progress.note("no dump")
    assert imported == []


def test_an_import_that_fails_is_left_to_who_needs_it(capsys: pytest.CaptureFixture[str]) -> None:
    def broken() -> None:
        raise ImportError("no such module")

    with imports_ahead(Silent(), broken) as progress:
        progress.phase("reading")
    assert capsys.readouterr() == ("", "")


def test_a_dump_is_being_read_before_rules_and_renderers_are_imported() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(SAMPLE)], capture_output=True, text=True, check=True, timeout=300
    )
    assert done.stderr.strip().splitlines()[-1] == "[]"
