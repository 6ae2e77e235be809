"""What helps most where the answer is undecided: one action, with its command."""

from __future__ import annotations

from mqdiag.causes.missing_evidence import missing_evidence
from mqdiag.facts import Facts
from mqdiag.findings import Action, Report

_WHOLE_LOGS, _BACKLOG, _SAMPLES = "whole_logs", "progress", "take_stacks"
"""names of actions of knowledge/actions.toml"""


def next_step(report: Report) -> Action | None:
    """What a finding that undecides asks for; else the evidence that is missing, by the kinds that were given."""
    if (
        report.show is not None
        or report.secrets is not None
        or report.fleet is not None
        or report.diff is not None
    ):
        return None
    for found in report.findings:
        if found.undecides and found.now:
            return found.now[0]
    kinds = {given.kind for given in report.inputs if given.was_read}
    if kinds == {"stacks"} or kinds == {"heap"}:
        return _shared(_SAMPLES, report)
    if "log" in kinds and not kinds & {"stacks", "heap", "store"}:
        return _shared(_WHOLE_LOGS, report)
    if kinds == {"admin"}:
        return _shared(_BACKLOG, report)
    for missing in missing_evidence(report, ()):
        if missing.commands:
            return Action(
                text=missing.what, command=missing.commands[0].lines[0], risk=missing.caution, rule=""
            )
    return None


def _shared(name: str, report: Report) -> Action | None:
    # Here, not above: a decided run needs none of it.
    from mqdiag.rules.shared.actions import shared

    return next(shared(name, facts_of(report), ""), None)


def facts_of(report: Report) -> Facts:
    """The facts of a report that tell the names in commands."""
    return Facts(
        inputs=report.inputs,
        heap=report.heap,
        stacks=report.stacks,
        logs=report.logs,
        admin=report.admin,
        pid=None if report.process is None else report.process.pid,
    )
