"""A gRPC client does not reach its proxy."""

from __future__ import annotations

from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.findings import Severity, Subject
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.log_events import busiest, enough, events, lines_of, seconds_between, when
from mqdiag.log_events.course import goes_on
from mqdiag.rules.rule import Draft, Findings, Limits, Rule

RULE = Rule("proxy-unreachable")
CLOSED = "proxy-closed"
PORT = lazy_pattern(r":\d{1,5}\Z")
AT_START = "at-start-"
"""begins the kinds of lines that a client writes while it starts"""


@RULE.logs
def in_logs(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for each cause."""
    cases = RULE.meaning("by_kind")
    by_case: dict[str, list[LogEvent]] = {}
    closed = [event for event in logs.events if _kind(event) == CLOSED]
    closed_at_start = _failed_start(closed, limits)
    for event in events(logs, *cases, *(f"{AT_START}{kind}" for kind in cases)):
        ended = closed_at_start and event in closed
        by_case.setdefault("connection-closed" if ended else cases[_kind(event)], []).append(event)
    for case, found in by_case.items():
        # a proxy that ends connections is one that restarts, unless it lasts or new connections fail, too
        ended_only = case == "unreachable" and not any(
            _kind(event) != CLOSED or goes_on(event, limits["lasting_s"]) for event in found
        )
        if enough(logs, lines_of(found), limits["lines"]) and not ended_only:
            yield _not_reached(logs, case, found, limits)


def _kind(event: LogEvent) -> str:
    return event.kind.removeprefix(AT_START)


def _failed_start(found: list[LogEvent], limits: Limits) -> bool:
    """Whether all these lines are of a start: none comes long before the first line of it, or long after the last."""
    starts = [event for event in found if event.kind.startswith(AT_START)]
    return bool(starts) and not any(
        max(seconds_between(event.first, start.first), seconds_between(start.last, event.last))
        >= limits["lasting_s"]
        for start in starts
        for event in found
        if event not in starts
    )


def _not_reached(logs: LogsFacts, case: str, found: list[LogEvent], limits: Limits) -> Draft:
    failed_start = _failed_start(found, limits)
    lasting = failed_start or any(
        seconds_between(one.first, other.last) >= limits["lasting_s"]
        for one in found
        for other in found
        if _kind(one) == _kind(other)
    )
    received = [event.last for event in events(logs, "grpc-messages-received")]
    address = next((name for event in found if (name := busiest(event, "broker"))), None)
    again = any(all(seconds_between(event.last, time) > 0 for event in found) for time in received)
    passed = Severity.INFO if again else Severity.WARNING
    return RULE.case(
        case,
        subject=Subject(resource=address),
        events=found,
        severity=Severity.ERROR if lasting else passed,
        evidence={"address": address, "host": None if address is None else PORT.sub("", address)},
        words={"failed_start": failed_start, "received_again": again},
        given={
            "what_happened": tuple(
                RULE.word(
                    "at-start" if event.kind.startswith(AT_START) else "later",
                    what=RULE.word(_kind(event)),
                    lines=event.count,
                    when=when(event),
                )
                for event in found
            )
        },
    )
