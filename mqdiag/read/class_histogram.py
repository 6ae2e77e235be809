"""The class histogram of a JVM as text: `jmap -histo PID` and `jcmd PID GC.class_histogram`, of HotSpot and OpenJ9."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from mqdiag.errors import InputError
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.text import Text, say

MOST_CLASSES = 1_000_000
_LINES_BEFORE = 20
"""a prompt, the command, the line "12345:" of jcmd"""
_HEAD = lazy_pattern(
    r"\s*num\s+#?(?:instances|object count)\s+#?(?:bytes|total size)\s+class name(?:\s+\(module\))?\s*$"
)
_ROW = lazy_pattern(
    r"\s*\d{1,9}:\s+(?P<instances>\d{1,15})\s+(?P<bytes>\d{1,18})\s+(?P<name>\S{1,4096})(?:\s+\([^()]{0,200}\))?\s*$"
)
_TOTAL = lazy_pattern(r"\s*Total\s+(?P<instances>\d{1,18})\s+(?P<bytes>\d{1,20})\s*$")


class CountedClass(msgspec.Struct, frozen=True):
    """One class name, summed over its loaders."""

    name: str
    loaders: int
    instances: int
    shallow_bytes: int


class ClassHistogram(msgspec.Struct, frozen=True):
    """What the JVM counted; `problem` says what is missing where the text is cut."""

    classes: tuple[CountedClass, ...]
    problem: Text | None


def is_class_histogram(text: str) -> bool:
    """Whether a text begins with the head of a histogram, a few lines of a shell before it allowed."""
    return any(_HEAD.match(line) for line in text.split("\n", _LINES_BEFORE)[:_LINES_BEFORE])


def read_class_histogram(path: str, lines: Iterable[str]) -> ClassHistogram:
    """Read the rows up to the total; what follows is left alone.

    Args:
        path: the file, for messages.
        lines: of the file, without their ends.

    Raises:
        InputError: not one row can be read.
    """
    # Here, not above: this import takes numpy with it, and every text is asked whether it is a histogram.
    from mqdiag.read.hprof.names import java_name

    found: dict[str, CountedClass] = {}
    problem: Text | None = say("the line with the total is missing: the text is cut")
    begun = False
    instances = total_bytes = 0
    for line in lines:
        begun = begun or _HEAD.match(line) is not None
        row = _ROW.match(line) if begun else None
        if row is not None and len(found) < MOST_CLASSES:
            name = java_name(row["name"])
            known = found.get(name, CountedClass(name, 0, 0, 0))
            own = int(row["instances"]), int(row["bytes"])
            instances, total_bytes = instances + own[0], total_bytes + own[1]
            found[name] = CountedClass(
                name, known.loaders + 1, known.instances + own[0], known.shallow_bytes + own[1]
            )
            continue
        total = _TOTAL.match(line) if begun else None
        if total is not None:
            rows_missing = (int(total["instances"]), int(total["bytes"])) != (instances, total_bytes)
            problem = say("rows are missing: they do not add up to the total") if rows_missing else None
            break
    if not found:
        raise InputError(
            path,
            say("a class histogram without a row"),
            hint=say("take it again: jcmd PID GC.class_histogram > FILE"),
        )
    rows = sorted(found.values(), key=lambda one: (-one.shallow_bytes, one.name))
    return ClassHistogram(tuple(rows), problem)
