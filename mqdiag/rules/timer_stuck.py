"""A broker's timer wheel does not move: timed messages wait, by its counters or its own progress lines."""

from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.findings import Confidence, Subject
from mqdiag.log_events import by_broker, events, is_set, of_broker
from mqdiag.rules.rule import Draft, Findings, Limits, Rule
from mqdiag.rules.shared.broker_status import counters

RULE = Rule("timer-stuck")
PROGRESS = "timer-progress"
STOPS = {"timerStopDequeue": "out", "timerStopEnqueue": "in"}
"""settings that stop one side of the wheel, by the side: what it gives out, what it takes in"""


@RULE.sees("admin")
def in_admin(facts: Facts, limits: Limits) -> Findings:
    """One finding for each broker whose counters say that a side of the wheel stands."""
    for one in counters(facts):
        out_s, waiting = (one.number(name) for name in ("timerReadBehind", "timerOffsetBehind"))
        given, taken = (_number(one.status.values.get(name)) for name in ("timerDequeueTps", "timerEnqueueTps"))
        found = _side(out_s if given == 0 else None, waiting if taken == 0 else None, limits)
        if found is not None:
            stops = [name for name in STOPS if _set_in_admin(facts, name)]
            yield _case(found, out_s, waiting, stops, subject=one.subject)


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
                stops = [name for name in STOPS if is_set(logs, name, "true")]
                draft = _case(found, out_s, waiting, stops, subject=of_broker(logs))
                yield draft


def _side(out_s: int | None, waiting: int | None, limits: Limits) -> str | None:
    if out_s is not None and out_s >= limits["out_behind_s"]:
        return "out"
    return "in" if waiting is not None and waiting >= limits["in_behind"] else None


def _case(side: str, out_s: int | None, waiting: int | None, stops: list[str], subject: Subject) -> Draft:
    stop = next((name for name in stops if STOPS[name] == side), None)
    return RULE.case(
        "stopped-by-setting" if stop else "behind",
        subject=subject,
        evidence={
            "setting": stop,
            "out_behind_s": out_s if side == "out" else None,
            "in_behind": waiting if side == "in" else None,
        },
        words={"gives_none": side == "out", "takes_none": side == "in"},
        confidence=Confidence.HIGH if stop else Confidence.MEDIUM,
    )


def _set_in_admin(facts: Facts, name: str) -> bool:
    configs = () if facts.admin is None else facts.admin.broker_configs
    in_logs = facts.logs is not None and is_set(facts.logs, name, "true")
    return in_logs or any(config.settings.get(name) == "true" for config in configs)


def _number(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None
