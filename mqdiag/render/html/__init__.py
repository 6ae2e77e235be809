"""The report as one page that opens offline: the answer in plain words, pictures, and all numbers in tables.

Everything is in the page without its script, which only sorts and filters tables, copies code, and
opens the folded part that a link leads to. The page loads nothing.
"""

from __future__ import annotations

from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.html.lead_picture import with_lead_picture
from mqdiag.render.html.template import render_page
from mqdiag.render.sections import sections_of
from mqdiag.render.sections.glossary import glossary_section
from mqdiag.render.wording.ci_commands import Syntax

SYNTAX = Syntax.MARKUP


def render(report: Report, view: View) -> str:
    """A whole HTML document."""
    sections = with_lead_picture(sections_of(report, view), report)
    return render_page(report, [*sections, glossary_section()], view.language)
