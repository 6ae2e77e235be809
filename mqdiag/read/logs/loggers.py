"""Loggers in the heads of records, and whether code is of the program that they are named after."""

from __future__ import annotations

from collections.abc import Iterable

from mqdiag.knowledge.own_code import is_own
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.logs.heads import END_OF_HEAD, begin_of, head_of
from mqdiag.read.logs.levels import ANY

LONGEST_HEAD = 400
PARTS_OF_A_PACKAGE = 2
"""parts of a package by which code is told to be of one program"""
_BRACKETS = lazy_pattern(r"(?:\[[^\[\]\n]{1,120}\] ?){2,8}")
"""a head whose parts stand in brackets"""
_NAME = r"((?:[a-z_][\w$]*\.)+[\w$]+)"
_CLOCK = r"\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?"
_WITHOUT_A_MARK = lazy_pattern(
    # Tomcat, the class and its method
    rf"\d\d-[A-Z][a-z]{{2}}-\d{{4}} {_CLOCK} {ANY} \[[^\[\]\n]{{1,120}}\] {_NAME}\.[\w$<>]+(?: |\Z)"
    # java.util.logging, the first line of a record
    rf"|[A-Z][a-z]{{2}} \d{{1,2}}, \d{{4}} {_CLOCK}[ \u202f][AP]M {_NAME}(?: [\w$<>]+)?\s*\Z"
    # WildFly, the thread behind the logger
    rf"|(?:\d{{4}}-\d\d-\d\d )?{_CLOCK} {ANY} {{1,2}}\[{_NAME}\] \([^()\n]{{1,120}}\) "
    # a key before each part
    rf"|(?:time|ts|t|timestamp|@timestamp)=\"?[\w:.,+ -]{{1,40}}\"? level=\"?\w{{1,10}}\"? "
    rf"(?:(?!msg=|logger=)\w{{1,40}}=[\w./:-]{{1,100}} ){{0,4}}logger=\"?{_NAME}\"? "
)
"""heads of which no mark shows where they end"""
_ENDS_OF_HEAD = (END_OF_HEAD, " : ")


def logger_of(text: str) -> str | None:
    """The logger of a record; None where its head names none."""
    text = text[:LONGEST_HEAD]
    named = _WITHOUT_A_MARK.match(text, begin_of(text))
    if named is not None:
        return named[named.lastindex or 0]
    for end in _ENDS_OF_HEAD:
        at = text.find(end)
        while at >= 0:
            head = head_of(text[: at + len(end)])
            if head is None:
                break
            if head.logger is not None:
                return head.logger
            at = text.find(end, at + len(end))
    brackets = _BRACKETS.match(text, begin_of(text))
    head = None if brackets is None else head_of(text[: brackets.end()])
    return None if head is None else head.logger


def program_of(logger: str | None) -> tuple[str, ...]:
    """First parts of the package of a logger, shortened where the logger is; () of none."""
    return () if logger is None else tuple(logger.split(".")[:-1][:PARTS_OF_A_PACKAGE])


def is_of_program(method: str, loggers: Iterable[tuple[str, ...]]) -> bool:
    """Whether a method is of the user's code in a package of one of the loggers."""
    if not is_own(method):
        return False
    package = method.split(".", PARTS_OF_A_PACKAGE)
    return any(len(parts) < len(package) and all(map(str.startswith, package, parts)) for parts in loggers)


def is_of_class(logger: str, classes: Iterable[str]) -> bool:
    """Whether a logger is one of some classes, as layouts print it: whole, with a shortened package or without one.

    A class that is given without its package is RocketMQ's: a logger in a package of somebody else is not of it.
    """
    package, _, name = logger.rpartition(".")
    name = name.partition("#")[0]
    for one in classes:
        own, _, simple = one.rpartition(".")
        if simple == name and (not package or (own and _may_be_short_for(package, own))):
            return True
    return False


def _may_be_short_for(package: str, whole: str) -> bool:
    """Whether a package is another one, shortened, and cut at its beginning where a layout has no more room."""
    parts, names = package.lstrip(".").split("."), whole.split(".")
    return PARTS_OF_A_PACKAGE <= len(parts) <= len(names) and all(
        map(str.startswith, reversed(names), reversed(parts))
    )
