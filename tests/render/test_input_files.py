"""Files that were left out are told with the reason, and two of one name with their folders."""

from __future__ import annotations

from mqdiag.facts import Input
from mqdiag.findings import Report
from mqdiag.render import View, renderer
from mqdiag.text import say

REASON = say("is empty")


def _text(*paths: str) -> str:
    report = Report(mqdiag="0", inputs=tuple(Input(path=path, skipped=REASON) for path in paths))
    return " ".join(renderer("text")(report, View(width=250)).split())


def test_one_file_and_several_have_their_own_words() -> None:
    assert "- a.log: left out: it is empty" in _text("in/a.log")
    assert "- a.log and b.log: left out: each is empty" in _text("in/a.log", "in/b.log")


def test_two_files_of_one_name_have_their_folders() -> None:
    assert "- one/a.log and two/a.log: left out" in _text("one/a.log", "two/a.log")
