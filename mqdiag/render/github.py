"""Workflow commands of GitHub Actions: each finding becomes an annotation of the run.

A dump is no file of the repository, so an annotation names no file. GitHub shows ten of a kind; the worst
come first.
"""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.findings import Finding, Report, Severity
from mqdiag.language import Writer
from mqdiag.render import View
from mqdiag.render.wording.accepted import accepted_line, lapsed_line
from mqdiag.render.wording.actions import action_lines
from mqdiag.render.wording.ci_commands import Syntax
from mqdiag.render.wording.safe import safe
from mqdiag.render.wording.totals import totals_line
from mqdiag.text import say

SYNTAX = Syntax.COMMANDS
COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
LONGEST = 4000


def render(report: Report, view: View) -> str:
    """One command a line, the worst first."""
    return "".join(f"{line}\n" for line in _lines(report, view.write))


def _lines(report: Report, write: Writer) -> Iterator[str]:
    for given in report.inputs:
        if given.error is not None:
            yield _command("error", "mqdiag: an input could not be read", f"{given.path}: {write(given.error)}")
    for failed in report.failed:
        yield _command("error", f"mqdiag: rule {failed.rule} crashed", failed.error)
    for found in report.findings:
        if found.accepted is None:
            yield _command(COMMANDS[found.severity], f"{found.rule}: {found.cause}", *_message(found, write))
    for found in report.findings:
        if found.accepted is not None:
            title = write(say("known: {rule}", rule=found.rule))
            yield _command("notice", title, write(found.title), write(accepted_line(found.accepted)))
    for lapsed in report.lapsed:
        yield _command("warning", "mqdiag: accepted no longer", write(lapsed_line(lapsed)))
    totals = say(
        "{totals}; {checked:count} {checked:rule was|rules were} checked",
        totals=totals_line(report),
        checked=len(report.checked),
    )
    yield _command("notice", "mqdiag", write(totals))


def _message(found: Finding, write: Writer) -> Iterator[str]:
    yield write(found.title)
    yield from map(write, found.explanation)
    yield from action_lines(found, write)


def _command(name: str, title: str, *lines: str) -> str:
    """One command; a line break from evidence is shown as an escape, ours is encoded as GitHub wants it."""
    message = "\n".join(safe(line, limit=LONGEST) for line in lines)
    return f"::{name} title={_property(safe(title))}::{_data(message[:LONGEST])}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
