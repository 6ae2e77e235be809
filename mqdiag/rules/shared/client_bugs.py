"""Bugs of the RocketMQ client that only some versions have."""

from __future__ import annotations

from mqdiag.knowledge.words import Words
from mqdiag.text import Text

WORDS = Words("client_bugs")


def numbers(version: str | None) -> tuple[int, ...] | None:
    """4.9.8 as (4, 9, 8); None for an unknown or unusual one."""
    parts = (version or "").partition("-")[0].split(".")
    return tuple(map(int, parts)) if all(part.isdigit() for part in parts) else None


def has_bug(version: str | None, affected: Text, since: tuple[int, ...], fixed: tuple[int, ...]) -> Text:
    """Whether a client has a bug, in one or two sentences.

    Args:
        version: of the client.
        affected: a sentence that names the versions with the bug and the one that fixes it.
        since: first version with the bug.
        fixed: first version without it.
    """
    known = numbers(version)
    if known is None:
        return WORDS.say("version-unknown", affected=affected)
    which = "has-bug" if since <= known < fixed else "other-version"
    return WORDS.say(which, version=version, affected=affected)
