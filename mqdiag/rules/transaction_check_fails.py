"""A producer does not say how its transactions ended when the broker asks."""

from __future__ import annotations

from mqdiag.facts.logs import LogsFacts
from mqdiag.findings import Subject
from mqdiag.log_events import events, files_of, lines_of, only, when
from mqdiag.rules.rule import Findings, Limits, Rule

RULE = Rule("transaction-check-fails")
KINDS = (
    "transaction-check-threw",
    "transaction-check-unknown",
    "transaction-check-not-sent",
    "transaction-dropped",
)


@RULE.logs
def in_logs(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for all producers."""
    threw, unknown, not_sent, dropped = (events(logs, kind) for kind in KINDS)
    lines = lines_of([*threw, *unknown, *not_sent])
    if not dropped and lines < limits["lines"]:
        if not lines:
            yield from _answered(logs, limits)
        return
    thrown = [row for row in logs.listener_exceptions if row.of == "transactions"]
    top = thrown[0] if thrown else None
    groups = {only(event, "group") for event in (*unknown, *not_sent)} - {None}
    # both ends log the same check
    sides = [[event for event in unknown if event.side == side] for side in ("client", "broker")]
    found = [*threw, *unknown, *not_sent, *dropped]
    yield RULE.case(
        "check-throws" if threw else "check-unanswered" if not_sent and not unknown else "check-unknown",
        subject=Subject(group=groups.pop() if len(groups) == 1 else None),
        events=found,
        evidence={
            "exception": None if top is None else top.exception,
            "exception_cause": None if top is None else top.cause,
            "frame": None if top is None else top.frame,
            "threw_lines": lines_of(threw) or None,
            "unknown_lines": max(map(lines_of, sides)) or None,
            "not_sent_lines": lines_of(not_sent) or None,
            "dropped_messages": lines_of(dropped) or None,
        },
        words={"when": when(found[0])},
        rests_on=files_of(found),
    )


def _answered(logs: LogsFacts, limits: Limits) -> Findings:
    """That transactions whose outcome their producers did not know at first were answered later, if nearly all were."""
    began, answered = events(logs, "transaction-open"), events(logs, "transaction-answered")
    if began and lines_of(answered) >= limits["answered_share"] * lines_of(began):
        yield RULE.case(
            "answered-later",
            events=[*began, *answered],
            evidence={"open_lines": lines_of(began), "answered_lines": lines_of(answered)},
            rests_on=files_of([*began, *answered]),
        )
