"""A broker's timer wheel stands, or stays behind: timed messages wait, by its counters or its progress lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogsFacts
from mqdiag.findings import Subject
from mqdiag.log_events import by_broker, events, is_set, of_broker
from mqdiag.rules.rule import Draft, Findings, Limits, Rule
from mqdiag.rules.shared.broker_status import Counters, counters, is_slave

RULE = Rule("timer-stuck")
PROGRESS = "timer-progress"
STOP = "timerStopEnqueue"
"""stops what the wheel takes in; timerStopDequeue has no setter in 5.0.0 to 5.5.0, and no effect"""


@RULE.sees("admin")
def in_admin(facts: Facts, limits: Limits) -> Findings:
    """One finding for each broker whose counters say that a side of the wheel stands; a slave's rests."""
    for one in _asked(facts):
        out_s, waiting = (one.number(name) for name in ("timerReadBehind", "timerOffsetBehind"))
        given, taken = (_number(one.status.values.get(name)) for name in ("timerDequeueTps", "timerEnqueueTps"))
        found = _side(out_s if given == 0 else None, waiting if taken == 0 else None, limits)
        if found is not None:
            yield _case(found, out_s, waiting, stopped=_stopped(facts, facts.logs), subject=one.subject)


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Findings:
    """The same by the lines of progress, where no counters are there; and a side that moves and stays behind."""
    assert facts.logs is not None
    if any("timerReadBehind" in one.status.values for one in _asked(facts)):
        return
    for logs in by_broker(facts.logs):
        for event in events(logs, PROGRESS):
            values, stopped = event.values, _stopped(facts, logs)
            out_s, waiting = _late_out(values, limits), _late_in(values, limits, stopped=stopped)
            found = _side(out_s, waiting, limits)
            if found is not None:
                stands = (
                    values.get("last_out_stands")
                    if found == "out"
                    else not values.get("last_taken_in", 0 if stopped else 1)
                )
                subject = of_broker(logs)
                yield _case(found, out_s, waiting, stopped=stopped, subject=subject, moves=not stands)


def _asked(facts: Facts) -> Iterator[Counters]:
    return (one for one in counters(facts) if facts.admin is None or not is_slave(facts.admin, one.status))


def _late_out(values: Mapping[str, int], limits: Limits) -> int | None:
    """Seconds that the way out is behind, unless it catches up."""
    behind = values.get("last_out_behind_s")
    ends = _catches_up(behind, values.get("last_out_caught_up_s"), values.get("last_seconds"), limits)
    return None if ends else behind


def _late_in(values: Mapping[str, int], limits: Limits, *, stopped: bool) -> int | None:
    """Messages before the way in, unless it takes them in soon; one line alone does not show how fast that is."""
    waiting, seconds = values.get("last_in_behind"), values.get("last_seconds")
    taken = values.get("last_taken_in")
    if waiting is None or seconds is None or taken is None:
        many = waiting is not None and waiting >= limits["in_behind"] * limits["out_behind_s"]
        return waiting if stopped or many else None
    soon = waiting * seconds < limits["out_behind_s"] * taken
    ends = soon or _catches_up(waiting, values.get("last_in_caught_up"), seconds, limits)
    return None if ends else waiting


def _catches_up(behind: int | None, caught_up: int | None, seconds: int | None, limits: Limits) -> bool:
    """Whether what is behind is gone within a sensible time, as fast as it became less in the last minute."""
    if behind is None or caught_up is None or seconds is None:
        return False
    return behind * seconds <= caught_up * limits["catches_up_s"]


def _side(out_s: int | None, waiting: int | None, limits: Limits) -> str | None:
    if out_s is not None and out_s >= limits["out_behind_s"]:
        return "out"
    return "in" if waiting is not None and waiting >= limits["in_behind"] else None


def _case(
    side: str, out_s: int | None, waiting: int | None, *, stopped: bool, subject: Subject, moves: bool = False
) -> Draft:
    by_setting = stopped and side == "in" and not moves
    return RULE.case(
        "stopped-by-setting" if by_setting else "behind",
        subject=subject,
        evidence={
            "setting": STOP if by_setting else None,
            "out_behind_s": out_s if side == "out" else None,
            "in_behind": waiting if side == "in" else None,
        },
        words={"gives_none": side == "out" and not moves, "takes_none": side == "in" and not moves},
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
