"""Findings as they are shown."""

from __future__ import annotations

from pathlib import Path

from mqdiag.diagnose.stacks import diagnose_stacks
from mqdiag.language import english
from mqdiag.notebook.findings import Findings

SERIES = Path(__file__).parents[2] / "fixtures" / "stacks" / "apache4-stuck" / "series.tar.gz"


def test_findings_are_shown_as_a_table() -> None:
    found = Findings(diagnose_stacks([str(SERIES)]).report.findings)
    head, first, *rest = repr(found).splitlines()
    assert head.split() == ["severity", "rule", "cause", "title"]
    assert first.split()[:2] == [found[0].severity.value, found[0].rule]
    assert english()(found[0].title)[:30] in first
    assert len(rest) == len(found) - 1
    assert found._repr_html_().count("<tr>") == len(found) + 1
    assert repr(Findings()) == "severity  rule  cause  title"
