"""The template filled in: every string escaped, style and script inlined from their own files."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from mqdiag.findings import EvidenceValue, Finding, Report, Severity
from mqdiag.language import TAGS
from mqdiag.render.html.page.parts import Cell, Section
from mqdiag.render.wording.about import about_line
from mqdiag.render.wording.accepted import accepted_line, lapsed_line
from mqdiag.render.wording.safe import safe
from mqdiag.render.wording.sizes import size
from mqdiag.render.wording.totals import totals_line
from mqdiag.render.wording.unexplained import unexplained
from mqdiag.render.wording.words import word
from mqdiag.text import say

_FOLDER = Path(__file__).parent
_LONGEST = 4000


def render_page(report: Report, before: Sequence[Section], after: Sequence[Section]) -> str:
    """The document.

    Args:
        report: for the verdict and the findings.
        before: what stands between the two.
        after: what follows them.
    """
    return _template().render(
        report=report,
        before=before,
        after=after,
        headline=_headline(report),
        totals=totals_line(report),
        titles={finding.fingerprint: finding.title for finding in report.findings},
        Cell=Cell,
        language=TAGS["en"],
    )


@cache
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # Control characters and reversed writing are shown, not obeyed, as on a terminal.
        finalize=_shown,
    )
    environment.globals.update(asset=_asset, say=say)
    environment.filters.update(
        about=about_line,
        accepted=accepted_line,
        lapsed=lapsed_line,
        evidence=evidence_rows,
        anchor=anchor,
        word=word,
        code=_code,
    )
    return environment.get_template("report.html.j2")


def _shown(value: object) -> object:
    return safe(value, limit=_LONGEST) if isinstance(value, str) and not isinstance(value, Markup) else value


def _asset(name: str) -> Markup:
    return Markup((_FOLDER / name).read_text(encoding="utf-8"))  # our own file, shipped in the package


def _code(lines: str) -> Markup:
    """Lines stay lines; each is made safe by itself."""
    return Markup("\n").join(safe(line, limit=_LONGEST) for line in lines.split("\n"))


def anchor(finding: Finding) -> str:
    """The id of a finding's part of the page."""
    return f"finding-{finding.fingerprint}"


def evidence_rows(finding: Finding) -> list[tuple[str, str]]:
    """The evidence as names and values, sizes in readable units too."""
    rows = []
    for key, value in finding.evidence.items():
        if value is not None:
            rows.append((key.replace("_", " "), _value(key, value)))
    return rows


def _value(key: str, value: EvidenceValue) -> str:
    if isinstance(value, bool):
        return say("yes") if value else say("no")
    if isinstance(value, int) and key.endswith("_bytes"):
        return f"{value:,} ({size(value)})"
    if isinstance(value, int):
        return f"{value:,}" if abs(value) >= 10_000 and "offset" not in key else str(value)
    if isinstance(value, tuple | list):
        return ", ".join(map(str, value))
    return str(value)


def _headline(report: Report) -> tuple[str, str]:
    """(how it is, in a word that styles it; the sentence that says it)."""
    if all(given.error is not None for given in report.inputs):
        return "unknown", say("No input could be read")
    open_findings = [finding for finding in report.findings if finding.accepted is None]
    if open_findings and open_findings[0].severity is not Severity.INFO:
        return open_findings[0].severity.value, open_findings[0].title
    heap = report.heap
    without_view = heap is not None and heap.process_queues is None
    without_series = heap is None and report.stacks is not None and not report.stacks.judged
    if without_view or without_series or not report.checked:
        return "unknown", say("No verdict: this evidence does not suffice")
    why = unexplained(report)
    return ("healthy", say("No fault found")) if why is None else ("unknown", why)
