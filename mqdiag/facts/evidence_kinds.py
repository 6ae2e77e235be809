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
    "processes": say("dumps of several JVMs or times"),
    "resources": say("files of control groups"),
    "recordings": say("a flight recording"),
    "profiles": say("collapsed stacks of a profiler"),
    "services": say("output of databases or gateways"),
    "fleet": say("a fleet run"),
}
"""by part of `Facts`"""


def evidence_names(kinds: Iterable[str]) -> tuple[Text | str, ...]:
    """The names of kinds of evidence, in their order; an unknown kind of a saved report keeps its name."""
    return tuple(NAMES.get(kind, kind) for kind in kinds)
