"""The forms in which records begin: by a time, by a thread or a level before one, or without any.

Source: the defaults of log4j 1 and 2, Logback, java.util.logging, Tomcat's OneLineFormatter, WildFly and slf4j-simple.
"""

from __future__ import annotations

from functools import lru_cache

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.logs.heads import begin_of
from mqdiag.read.logs.levels import ANY
from mqdiag.read.logs.stamps import Stamp, StampReader

LONGEST_HEAD = 200
"""characters in which the form of a record shows"""
LEVEL_ALONE = "LEVEL:"
"""the form of the second line of a record of java.util.logging: the line above it has the time and the logger"""
_TIME = lazy_pattern(r"\W{0,3}\d[\d:.,/TZ+ -]{7,40}")
_LEVEL = rf"\[?{ANY}\]?"
_GROUP = r"\[[^\[\]\n]{1,120}\]"
_CLOCK = r"\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?(?:[ \u202f][AP]M)?"
_LATER_TIME = lazy_pattern(
    rf"(?P<before>(?:(?:{_GROUP} ){{1,2}}|{_LEVEL}[ :|-]{{1,6}}|(?:time|ts|t|timestamp|@timestamp)=\"?)?[\[(]?)"
    rf"(?P<time>\d{{4}}[-/]\d\d[-/]\d\d[T ]{_CLOCK}(?:Z| ?[+-]\d\d:?\d\d)?"
    rf"|\d{{1,2}}[-/ ][A-Z][a-z]{{2}}[-/ ]\d{{4}}[ :]{_CLOCK}|[A-Z][a-z]{{2}} \d{{1,2}}, \d{{4}} {_CLOCK}"
    rf"|{_CLOCK}|1\d{{9}}(?:\d{{3}}|\.\d{{1,9}})?(?=\]? ))(?![\w.])"
)
"""a time of a form that does not begin with digits and marks alone, or that stands behind a thread, a level or a key"""
_EPOCH = lazy_pattern(r"1\d{9}(?:(\d{3})|\.\d{1,9})?\Z")
_CLASS = r"(?:[a-z_][\w$]*\.)+[\w$.-]+"
_WITHOUT_A_TIME = (
    ("LEVEL []", lazy_pattern(rf"{_LEVEL} {{1,3}}{_GROUP} ")),
    ("[] LEVEL", lazy_pattern(rf"{_GROUP} {{1,2}}{_LEVEL} {{1,3}}\S")),
    ("LEVEL name", lazy_pattern(rf"{_LEVEL} {{1,3}}{_CLASS} {{0,40}}(?:-|:) ")),
    ("9 []", lazy_pattern(rf"\d{{1,12}} {{1,2}}{_GROUP} {{1,2}}{_LEVEL} ")),
    (LEVEL_ALONE, lazy_pattern(rf"{ANY}: \S")),
)
_NUMBER = lazy_pattern(r"\d+")
_VARIABLE = (
    (lazy_pattern(_GROUP), "[]"),
    (lazy_pattern(ANY), "LEVEL"),
    (lazy_pattern(r"[A-Z][a-z]{2}(?=\W)"), "Mon"),
    (lazy_pattern(r"\b[AP]M\b"), "AM"),
    (_NUMBER, "9"),
)


def leading_time_of(text: str) -> str | None:
    """The form of the time with which a line begins; None of a line that begins with anything else."""
    found = _TIME.match(text) or _TIME.match(text, begin_of(text))
    return None if found is None or ":" not in found[0] else _NUMBER.sub("9", found[0].rstrip())


def layout_of(text: str) -> str | None:
    """The form in which a line begins as a record; None of a line that begins as none does."""
    return leading_time_of(text) or _later_layout(text[begin_of(text) :][:LONGEST_HEAD])


def stamp_of_head(text: str, stamps: StampReader) -> Stamp | None:
    """The time with which a record begins; None without one, whatever times its message has.

    Args:
        text: the record, whose form is known.
        stamps: reads times.
    """
    if leading_time_of(text) is not None:
        return stamps.of_line(text.encode())
    found = _LATER_TIME.match(text, begin_of(text))
    if found is None:
        return None
    epoch = _EPOCH.match(found["time"])
    if epoch is not None:
        return Stamp(int(epoch[0]) if epoch[1] else int(float(epoch[0]) * 1000), 0, True)
    return stamps.of_line(found["time"].encode())


@lru_cache(maxsize=1024)
def _later_layout(head: str) -> str | None:
    found = _LATER_TIME.match(head)
    if found is not None:
        form = found[0]
        for pattern, name in _VARIABLE:
            form = pattern.sub(name, form)
        return form
    return next((name for name, pattern in _WITHOUT_A_TIME if pattern.match(head) is not None), None)
