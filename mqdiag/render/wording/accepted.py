"""Findings that a team accepts, and acceptances that no longer have an effect, in sentences."""

from __future__ import annotations

from mqdiag.findings import Acceptance, Lapsed
from mqdiag.text import NOTHING, Text, say


def accepted_line(acceptance: Acceptance) -> Text:
    """Why it does not count, for how long, and who says so."""
    if acceptance.until is None:
        return say("{reason} ({source})", reason=acceptance.reason, source=acceptance.source)
    return say(
        "{reason} ({source}, until {until})",
        reason=acceptance.reason,
        source=acceptance.source,
        until=acceptance.until.isoformat(),
    )


def lapsed_line(lapsed: Lapsed) -> Text:
    """Why an acceptance no longer has an effect."""
    acceptance = lapsed.acceptance
    name = lapsed.rule
    if lapsed.fingerprint is not None:
        name = f"{lapsed.rule} {lapsed.fingerprint}"
    ended = NOTHING if acceptance.until is None else say(" on {until}", until=acceptance.until.isoformat())
    what = {
        "expired": say("expired{ended} and counts again", ended=ended),
        "gone": say("does not occur any more; remove the entry"),
        "worse": say("is now of a worse severity than the accepted one, and counts"),
    }[lapsed.why]
    return say(
        "{name} {what}: {reason} ({source})",
        name=name,
        what=what,
        reason=acceptance.reason,
        source=acceptance.source,
    )
