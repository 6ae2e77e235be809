"""A summary for pull requests and job pages: the answer, a table of the findings, and what to change."""

from __future__ import annotations

from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.markdown.writer import MarkdownWriter
from mqdiag.render.sections.run_summary import summary_sections
from mqdiag.render.wording.ci_commands import Syntax

SYNTAX = Syntax.PLAIN


def render(report: Report, view: View) -> str:
    """The whole summary."""
    writer = MarkdownWriter(view)
    return (
        "\n\n".join(block for section in summary_sections(report, view) for block in writer.section(section))
        + "\n"
    )
