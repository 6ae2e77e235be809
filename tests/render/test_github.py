"""Workflow commands: GitHub's own escapes, one command a line, no command made by evidence."""

from __future__ import annotations

import re

import msgspec

from mqdiag.findings import Report
from mqdiag.language import english
from mqdiag.render import View, renderer
from mqdiag.text import Text
from tests.render import samples
from tests.render.samples import EVIL

COMMAND = re.compile(r"::(?P<name>error|warning|notice) title=(?P<title>[^\n:,]*)::(?P<message>[^\n\r]*)")


def commands(report: Report) -> list[tuple[str, str, str]]:
    """What the runner makes of the output: it undoes the escapes."""
    found = []
    for line in renderer("github")(report, View()).splitlines():
        command = COMMAND.fullmatch(line)
        assert command, line
        found.append((command["name"], undone(command["title"]), undone(command["message"])))
    return found


def undone(text: str) -> str:
    for escape, char in (("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
        text = text.replace(escape, char)
    return text


def test_findings_become_annotations_with_all_that_they_say() -> None:
    found = commands(samples.ARTICLE)
    assert [(name, title) for name, title, _ in found] == [
        ("error", "consumer-cache-exceeds-heap: oversized-thresholds"),
        ("error", "config-not-in-force: config-override"),
        ("notice", "out-of-memory-thread: out-of-memory"),
        ("notice", "mqdiag"),
    ]
    message = found[0][2].splitlines()
    assert message[0] == english()(samples.OVERSIZED.title)
    assert message[1 : 1 + len(samples.OVERSIZED.explanation)] == list(
        map(english(), samples.OVERSIZED.explanation)
    )
    assert f"1. {english()(samples.OVERSIZED.remedy[0])}" in message
    assert found[-1][2] == "2 errors, 1 info; 3 rules were checked"


def test_what_is_known_is_a_notice_after_what_is_new() -> None:
    found = commands(samples.GATED)
    assert [(name, title) for name, title, _ in found] == [
        ("error", "mqdiag: an input could not be read"),
        ("error", "config-not-in-force: config-override"),
        ("notice", "out-of-memory-thread: out-of-memory"),
        ("notice", "known: consumer-cache-exceeds-heap"),
        ("warning", "mqdiag: accepted no longer"),
        ("warning", "mqdiag: accepted no longer"),
        ("notice", "mqdiag"),
    ]
    assert "the heap is doubled in May (mqdiag-baseline.toml, until 2027-05-31)" in found[3][2]
    assert "1 error, 1 info, 1 known" in found[-1][2]


def test_a_name_from_a_dump_starts_no_command_and_ends_no_property() -> None:
    title = "a\n::error title=x::y\r::stop-commands::z, 100 %25 %0A"
    report = msgspec.structs.replace(
        samples.HOSTILE,
        findings=(msgspec.structs.replace(samples.OVERSIZED, title=Text(title), rule="r,file=/etc/passwd::x"),),
    )
    (found, *_) = [one for one in commands(report) if "accept" not in one[1] and "crashed" not in one[1]]
    assert found[1] == "r,file=/etc/passwd::x: oversized-thresholds"
    assert found[2].splitlines()[0] == title.replace("\n", "\\n").replace("\r", "\\r")


def test_hostile_text_is_shown_as_escapes() -> None:
    text = renderer("github")(samples.HOSTILE, View())
    assert not set(EVIL) & {"\x1b", "\x07", "\u202e", "\r", "\x00", "\ud800"} & set(text)
    text.encode()


def test_a_long_name_does_not_make_a_long_message() -> None:
    report = msgspec.structs.replace(
        samples.ARTICLE, findings=(msgspec.structs.replace(samples.OVERSIZED, title=Text("%" * 100_000)),)
    )
    assert len(renderer("github")(report, View())) < 20_000


def test_without_any_finding_it_says_so() -> None:
    assert commands(samples.HEALTHY) == [("notice", "mqdiag", "no fault found; 2 rules were checked")]
