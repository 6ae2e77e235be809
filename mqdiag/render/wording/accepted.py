"""Findings that a team accepts, and acceptances that no longer have an effect, in sentences."""

from __future__ import annotations

from mqdiag.acceptance import Acceptance, Lapsed
from mqdiag.text import Text, say


def accepted_line(acceptance: Acceptance) -> Text:
    """Why it does not count, for how long, and who says so."""
    if acceptance.until is None:
        return say("{reason} ({source})", acceptance)
    return say("{reason} ({source}, until {until})", acceptance, until=acceptance.until.isoformat())


def lapsed_line(lapsed: Lapsed) -> Text:
    """Why an acceptance no longer has an effect."""
    template = {
        "expired": say("{fault} expired on {until} and counts again: {reason} ({source})"),
        "gone": say("{fault} does not occur any more; remove the entry: {reason} ({source})"),
        "worse": say("{fault} is more severe now than what was accepted, and counts: {reason} ({source})"),
    }[lapsed.why]
    acceptance = lapsed.acceptance
    return template.filled(
        {
            "fault": lapsed.rule if lapsed.fingerprint is None else f"{lapsed.rule} {lapsed.fingerprint}",
            "until": None if acceptance.until is None else acceptance.until.isoformat(),
            "reason": acceptance.reason,
            "source": acceptance.source,
        }
    )
