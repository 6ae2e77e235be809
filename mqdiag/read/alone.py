"""Whether a text without what was around its lines is understood by itself."""

from __future__ import annotations

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.admin.recognise import is_admin_output

_ENDS_OF_DOCUMENTS = ("}", "]", "}]")
OWN_TIME = lazy_pattern(
    r"[\[(<]?(?:\d{2,4}[-/](?:\d\d|[A-Z][a-z]{2})[-/]\d{2,4}[T ,]|[A-Z][a-z]{2} [ \d]\d |\d\d:\d\d:\d\d|\d{10,13}\b"
    r"|\d+[.,]\d{3}(?:s|: ))"
)
"""how a line begins that has a time of its own"""
_UNTIMED = lazy_pattern(
    r"# A fatal error has been detected|# There is insufficient memory|Full thread dump|Found one Java-level deadlock"
    r"|\s*\"threadDump\"\s*:|#\d{1,18} \"[^\n]{0,300}\""
    r"|\"[^\n]{1,300} (?:#\d+ |daemon |prio=)|   java\.lang\.Thread\.State: | num +#instances"
)
"""what is evidence by itself, and whose lines have no times"""


def whole_lines(sample: str) -> list[str]:
    """Its lines; the last one is cut where the sample is, but for the end of a document."""
    lines = sample.split("\n")
    return lines[:-1] if len(lines) > 2 and lines[-1].strip() not in _ENDS_OF_DOCUMENTS else lines


def stands_alone(inner: str) -> bool:
    """Whether a text without its wrapper is understood: its records have times of their own, or it needs none."""
    lines = [line for line in whole_lines(inner) if line.strip()][:400]
    records = [line for line in lines if not line[0].isspace()]
    own = sum(OWN_TIME.match(line) is not None for line in records)
    if own * 2 >= len(records) > 0 or any(map(_UNTIMED.match, lines)):
        return True

    return is_admin_output(inner)
