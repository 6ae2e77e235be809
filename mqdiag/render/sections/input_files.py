"""The files that were given, and how much of each could be read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mqdiag.facts.inputs import Input
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import Bullets, Section
from mqdiag.render.tables import Tables
from mqdiag.text import Text, say

TABLES = Tables("input_files")

_MOST_PROBLEMS, _MOST_NAMES = 4, 3


def inputs_section(report: Report, view: View) -> Iterator[Section]:
    """One row for each input; those that were not read come first, and the short form has only them."""
    if not report.inputs:
        return
    given = sorted(report.inputs, key=_problem, reverse=True)
    table = TABLES.table("inputs", given, taken=_taken, read=_read)
    problems = Bullets(_problems(given), shown=_MOST_PROBLEMS, short=True)
    yield Section(name="inputs", title=say("Inputs"), parts=(table, problems), wide=not problems.lines)


def _problems(inputs: Sequence[Input]) -> list[Text]:
    """Files that were not read whole, by what they have in common."""
    by_reason: dict[Text, list[Input]] = {}
    for given in inputs:
        if _problem(given):
            by_reason.setdefault(_reason(given), []).append(given)
    return [
        _named(_reason(alike[0], files=len(alike)), [given.path for given in alike])
        for alike in by_reason.values()
    ]


def _reason(given: Input, files: int = 1) -> Text:
    """Why it was not read whole, in words for so many files."""
    if given.error is not None:
        return say("could not be read: {error}", error=given.error)
    return _read(given, files)


def _named(reason: Text, paths: list[str]) -> Text:
    names = tuple(path.rpartition("/")[2] or path for path in paths[:_MOST_NAMES])
    if len(set(names)) < len(names):
        names = tuple(paths[:_MOST_NAMES])
    if len(paths) > _MOST_NAMES:
        return say(
            "{names} and {more:count} more: {reason}", names=names, more=len(paths) - _MOST_NAMES, reason=reason
        )
    return say("{names:and}: {reason}", names=names, reason=reason)


def _problem(given: Input) -> int:
    """3 for an input that could not be read, 2 for an incomplete one, 1 for one that was left out."""
    return 3 if given.error else 1 if given.skipped else 0 if given.complete else 2


def _taken(given: Input) -> str | None:
    return given.captured_at or given.captured_at_local


def _read(given: Input, files: int = 1) -> Text:
    if given.error is not None:
        return say("no: {error}", error=given.error)
    if given.skipped is not None:
        return say("left out: {files:it|each} {skipped}", files=files, skipped=given.skipped)
    if given.complete:
        return say("whole")
    problem = given.problem or say("it is not complete")
    if given.stopped_at_byte is None:
        return say("in part: {problem}", problem=problem)
    return say("to byte {byte:count}: {problem}", byte=given.stopped_at_byte, problem=problem)
