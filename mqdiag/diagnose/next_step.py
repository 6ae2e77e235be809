"""What helps most where the answer is undecided: one action, with its command."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mqdiag.causes.missing_evidence import missing_evidence
from mqdiag.diagnose.open_reason import Open, mends
from mqdiag.facts import Facts
from mqdiag.facts.known import NO_NAMES
from mqdiag.findings import Action, Report
from mqdiag.rules.shared.actions import shared
from mqdiag.text import say

_CAPTURE, _LATER, _BACKLOG = "take_stacks", "later_samples", "progress"
"""names of actions of knowledge/actions.toml"""


def next_step(report: Report, reasons: Iterable[Open]) -> Action | None:
    """The action of the first reason that has one; else the evidence that is missing, by the kinds that were given."""
    if report.inputs and not any(given.was_read for given in report.inputs):
        return _for_unread(report)
    for reason in reasons:
        action = reason.does if reason.does is not None else _shared(reason.wants, report, reason.named)
        if action is not None:
            return action
    kinds = {given.kind for given in report.inputs if given.was_read}
    if kinds <= {"stacks", "heap"}:
        is_series = report.stacks is not None and report.stacks.judged
        return _shared(_LATER if is_series else _CAPTURE, report)
    if kinds == {"admin"}:
        return _shared(_BACKLOG, report)
    for missing in missing_evidence(report, ()):
        if missing.commands:
            what = say("Get {what}.", what=missing.what)
            return Action(text=what, command=missing.commands[0].lines[0], risk=missing.caution, rule="")
    return None


def _for_unread(report: Report) -> Action | None:
    """The file once more where it is of a known kind and damaged; else the logs that an excerpt is a part of.

    Where the input itself is not at fault, its error says what to do.
    """
    for given in report.inputs:
        if given.error is not None:
            of_known_kind = given.kind is not None or given.lack is not None
            return _shared(mends(given) if of_known_kind else "whole_logs", report, {"path": given.path})
    return None


def _shared(name: str, report: Report, named: Mapping[str, str | None] = NO_NAMES) -> Action | None:
    if not name:
        return None
    path = named.get("path")
    if path is not None:
        # what can be copied is the archive, not a member of it
        whole = path.partition("!")[0]
        named = {**named, "path": whole, "whole": whole}
    return next(shared(name, facts_of(report), "", named), None)


def facts_of(report: Report) -> Facts:
    """The facts of a report that tell the names in commands."""
    return Facts(
        inputs=report.inputs,
        heap=report.heap,
        stacks=report.stacks,
        logs=report.logs,
        admin=report.admin,
        pid=None if report.process is None else report.process.pid,
        host=None if report.process is None else report.process.host,
    )
