"""Inputs that could not be read, when others could."""

from __future__ import annotations

from mqdiag.findings import Report
from mqdiag.render.text.page import Page


def show_unreadable(page: Page, report: Report) -> None:
    """Each with its reason; an incomplete one is a finding of its own."""
    lost = [given for given in report.inputs if given.error is not None]
    if lost:
        page.heading("Not read")
        page.bullets(f"{given.path}: {given.error}" for given in lost)
