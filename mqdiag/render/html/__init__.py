"""The report as one page that opens offline: the verdict in plain words, pictures, and all numbers in tables.

Everything stands in the page without its script, which only sorts and filters tables. Nothing is loaded.
"""

from __future__ import annotations

from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.html.page.template import render_page
from mqdiag.render.html.sections import evidence_sections, story_sections


def render(report: Report, view: View) -> str:
    """A whole HTML document."""
    return render_page(report, story_sections(report, view), evidence_sections(report, view))
