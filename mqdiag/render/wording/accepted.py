"""Findings that a team lives with, and those with which it does no longer, in sentences."""

from __future__ import annotations

from mqdiag.findings import Acceptance, Lapsed
from mqdiag.text import say


def accepted_line(acceptance: Acceptance) -> str:
    """Why it does not count, for how long, and who says so."""
    until = "" if acceptance.until is None else say(", until {until}", until=acceptance.until.isoformat())
    return f"{acceptance.reason} ({acceptance.source}{until})"


def lapsed_line(lapsed: Lapsed) -> str:
    """What became of something that was accepted."""
    acceptance = lapsed.acceptance
    name = lapsed.rule if lapsed.fingerprint is None else f"{lapsed.rule} {lapsed.fingerprint}"
    ended = "" if acceptance.until is None else say(" on {until}", until=acceptance.until.isoformat())
    what = {
        "expired": say("has expired{ended} and counts again", ended=ended),
        "gone": say("does not occur any more; take the entry out"),
        "worse": say("is of a worse severity than was accepted, and counts"),
    }[lapsed.why]
    return f"{name} {what}: {acceptance.reason} ({acceptance.source})"
