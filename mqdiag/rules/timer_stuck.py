"""A broker's timer wheel does not move: timed messages wait, by its counters or its own progress lines."""

from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogsFacts
from mqdiag.findings import Subject
from mqdiag.log_events import by_broker, events, is_set, of_broker
from mqdiag.rules.rule import Draft, Findings, Limits, Rule
from mqdiag.rules.shared.broker_status import counters

RULE = Rule("timer-stuck")
PROGRESS = "timer-progress"
STOP = "timerStopEnqueue"
"""stops what the wheel takes in; timerStopDequeue has no setter in 5.0.0 to 5.5.0, and no effect"""


@RULE.sees("admin")
def in_admin(facts: Facts, limits: Limits) -> Findings:
    """One finding for each broker whose counters say that a side of the wheel stands."""
    for one in counters(facts):
        out_s, waiting = (one.number(name) for name in ("timerReadBehind", "timerOffsetBehind"))
        given, taken = (_number(one.status.values.get(name)) for name in ("timerDequeueTps", "timerEnqueueTps"))
        found = _side(out_s if given == 0 else None, waiting if taken == 0 else None, limits)
        if found is not None:
            yield _case(found, out_s, waiting, stopped=_stopped(facts, facts.logs), subject=one.subject)


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Findings:
    """The same by the lines of progress, where no counters are there."""
    assert facts.logs is not None
    if any("timerReadBehind" in one.status.values for one in counters(facts)):
        return
    for logs in by_broker(facts.logs):
        for event in events(logs, PROGRESS):
            out_s, waiting = event.values.get("out_behind_s"), event.values.get("in_behind")
            found = _side(out_s, waiting, limits)
            if found is not None and not event.values.get("catches_up"):
                yield _case(found, out_s, waiting, stopped=_stopped(facts, logs), subject=of_broker(logs))


def _side(out_s: int | None, waiting: int | None, limits: Limits) -> str | None:
    if out_s is not None and out_s >= limits["out_behind_s"]:
        return "out"
    return "in" if waiting is not None and waiting >= limits["in_behind"] else None


def _case(side: str, out_s: int | None, waiting: int | None, *, stopped: bool, subject: Subject) -> Draft:
    by_setting = stopped and side == "in"
    return RULE.case(
        "stopped-by-setting" if by_setting else "behind",
        subject=subject,
        evidence={
            "setting": STOP if by_setting else None,
            "out_behind_s": out_s if side == "out" else None,
            "in_behind": waiting if side == "in" else None,
        },
        words={"gives_none": side == "out", "takes_none": side == "in"},
    )


def _stopped(facts: Facts, logs: LogsFacts | None) -> bool:
    configs = () if facts.admin is None else facts.admin.broker_configs
    printed = logs is not None and is_set(logs, STOP, "true")
    return printed or any(config.settings.get(STOP) == "true" for config in configs)


def _number(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None
