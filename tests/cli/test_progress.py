"""The progress line: only on a terminal, only for long work, gone at the end."""

from __future__ import annotations

import io

import pytest

from mqdiag import progress as notes
from mqdiag.cli.common import progress
from mqdiag.cli.common.progress import ERASE, TerminalProgress, terminal_progress
from mqdiag.cli.common.progress import note as write_note
from mqdiag.language import english
from mqdiag.text import Text, say
from tests.waiting import wait_until


class Terminal(io.StringIO):
    """Says that it is one."""

    def isatty(self) -> bool:
        return True


def test_long_work_shows_phase_and_percentage_and_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE_S", 0.01)
    monkeypatch.setattr(progress, "REDRAW_S", 0.01)
    stream = Terminal()
    shown = TerminalProgress(stream, english())
    shown.phase(say("reading records"))
    shown.advance(0.42)
    wait_until(lambda: "42%" in stream.getvalue(), "the share")
    shown.close()
    assert "reading records 42%" in stream.getvalue()
    assert stream.getvalue().endswith(ERASE)
    assert "\n" not in stream.getvalue()


def test_short_work_shows_nothing() -> None:
    stream = Terminal()
    shown = TerminalProgress(stream, english())
    shown.phase(say("reading records"))
    shown.close()
    assert stream.getvalue() == ""


def test_a_share_stays_within_its_bounds_and_a_new_phase_starts_without() -> None:
    shown = TerminalProgress(Terminal(), english())
    shown.advance(7.0)
    assert shown.line() == "starting 100%"
    shown.phase(say("next"))
    assert shown.line() == "next"
    shown.close()


def test_no_terminal_no_progress_but_notes(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr("sys.stderr", stream)
    with terminal_progress("en") as given:
        given.phase(say("reading records"))
        given.advance(0.5)
        given.note(say("compiling kernels"))
    assert stream.getvalue() == "mqdiag: compiling kernels\n"


def test_the_line_is_erased_when_the_work_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE_S", 0.0)
    stream = Terminal()
    monkeypatch.setattr("sys.stderr", stream)

    def work() -> None:
        with terminal_progress("en"):
            wait_until(stream.getvalue, "a line")
            raise RuntimeError("inside")

    with pytest.raises(RuntimeError, match="inside"):
        work()
    assert stream.getvalue().endswith(ERASE)


def test_a_note_goes_to_the_listener_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notes, "_noted", set())
    heard: list[Text] = []
    note = say("the disk is slow")
    with notes.notes_heard_by(heard.append):
        notes.note_once(note)
        notes.note_once(note)
    assert heard == [note]


def test_a_note_is_written_in_the_language_of_the_user(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "writer", lambda language: lambda text: f"{text.template} in {language}")
    write_note(say("interrupted"), "zh")
    assert capsys.readouterr().err == "mqdiag: interrupted in zh\n"
