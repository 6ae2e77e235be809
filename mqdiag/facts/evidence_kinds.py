"""The kinds of evidence of an incident, as people call them."""

from __future__ import annotations

from collections.abc import Iterable

from mqdiag.text import Text, say

NAMES = {
    "heap": say("a heap dump"),
    "stacks": say("thread dumps"),
    "logs": say("logs"),
    "stores": say("store folders"),
    "admin": say("mqadmin output"),
    "crash": say("a crash report of the JVM"),
    "fleet": say("a fleet run"),
}
"""by part of `Facts`"""


def evidence_names(kinds: Iterable[str]) -> tuple[Text | str, ...]:
    """The names of kinds of evidence, in their order; a kind of a saved report that is not known stands for itself."""
    return tuple(NAMES.get(kind, kind) for kind in kinds)
