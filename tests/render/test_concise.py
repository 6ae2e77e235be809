"""One line for each finding: what it holds, and that evidence makes no line of its own."""

from __future__ import annotations

import msgspec

from mqdiag.language import english
from mqdiag.render import View, renderer
from mqdiag.text import Text
from tests.render import samples


def test_one_line_for_each_finding_and_one_for_their_number() -> None:
    *lines, totals = renderer("concise")(samples.ARTICLE, View()).splitlines()
    path = samples.GIVEN.path
    assert lines == [
        f"{path}: {found.severity.value} {found.rule}: {english()(found.title)}"
        for found in samples.ARTICLE.findings
    ]
    assert totals == "2 errors, 1 info"


def test_a_known_finding_is_counted_only() -> None:
    written = renderer("concise")(samples.GATED, View())
    assert len([line for line in written.splitlines() if " config-not-in-force: " in line]) == 1
    assert "consumer-cache-exceeds-heap" not in written
    assert written.endswith("1 error, 1 info, 1 known\n")
    assert "other dump.hprof: is empty\n" in written


def test_a_line_break_in_evidence_is_shown_and_makes_no_line() -> None:
    found = msgspec.structs.replace(samples.OVERSIZED, title=Text("{group}", {"group": "a\nb.hprof: error"}))
    (line, _) = renderer("concise")(
        msgspec.structs.replace(samples.ARTICLE, findings=(found,)), View()
    ).splitlines()
    assert "a\\nb.hprof: error" in line
