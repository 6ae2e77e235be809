"""Inputs that could not be read, and those that were left alone."""

from __future__ import annotations

from mqdiag.findings import Report
from mqdiag.render.text.page import Page
from mqdiag.text import say

NAMES_SHOWN = 3


def show_unreadable(page: Page, report: Report) -> None:
    """Each with its reason; an incomplete one is a finding of its own. Those left alone by the reason they share."""
    lost = [given for given in report.inputs if given.error is not None]
    if lost:
        page.heading(say("Not read"))
        page.bullets(f"{given.path}: {given.error}" for given in lost)
    left: dict[str, list[str]] = {}
    for given in report.inputs:
        if given.skipped is not None:
            left.setdefault(given.skipped, []).append(given.path)
    if left:
        page.heading(say("Left alone"))
        page.bullets(f"{_some(paths)}: {reason}" for reason, paths in left.items())


def _some(paths: list[str]) -> str:
    shown = ", ".join(paths[:NAMES_SHOWN])
    return (
        shown
        if len(paths) <= NAMES_SHOWN
        else say("{shown} and {paths} more", shown=shown, paths=len(paths) - NAMES_SHOWN)
    )
