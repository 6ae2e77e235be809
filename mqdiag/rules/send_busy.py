"""The broker tells senders that it is busy."""

from __future__ import annotations

from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.log_events import (
    events,
    lines_of,
    most_frequent,
    most_frequent_counted,
    number_set,
    seconds_between,
    when,
)
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared.busy_answers import BUSY_TEXTS, ONLY_PAGE_CACHE, REJECT
from mqdiag.rules.shared.page_cache import DEFAULT_LIMIT_MS
from mqdiag.rules.shared.write_times import writes_fast

RULE = Rule("send-busy")
WAITED = "busy-timeout-clean"
PASSED_S = 30
"""for which the logs go on without such an answer"""
FIRST_TO_SEND_AGAIN = 50_300
"""client 5.3.0, whose retryResponseCodes have SYSTEM_BUSY; those before it throw, though they log "resend at once" """
BY_LIMIT = (REJECT, *ONLY_PAGE_CACHE)
"""answers that depend on osPageCacheBusyTimeOutMills"""


@RULE.broker_logs
def in_logs(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for each broker that senders name."""
    found = [event for event in logs.events if event.kind in BUSY_TEXTS and event.side == "client"]
    if lines_of(found) < limits["answers"]:
        if _passed(logs, found):
            yield RULE.case(
                "busy-for-a-moment" if _sent_again(logs, found) else "not-sent-again",
                logs=logs,
                events=found,
                evidence={"answers": lines_of(found)},
            )
        return
    limit = number_set(logs, "osPageCacheBusyTimeOutMills")
    short = limit is not None and limit < DEFAULT_LIMIT_MS and any(event.kind in BY_LIMIT for event in found)
    waits = [event.values["longest_wait_ms"] for event in found if "longest_wait_ms" in event.values]
    yield RULE.case(
        "broker-busy",
        logs=logs,
        events=found,
        evidence={
            "answers": lines_of(found),
            **{event.kind.replace("-", "_"): event.count for event in found},
            "longest_wait_ms": max(waits, default=None),
            **({"osPageCacheBusyTimeOutMills": limit, "default_limit_ms": DEFAULT_LIMIT_MS} if short else {}),
            **most_frequent_counted(found[0]),
        },
        words={
            "subjects": most_frequent(found[0]),
            "writes_fast": writes_fast(logs.pagecachert),
            "short_limit": short,
        },
        rows={
            "answers": tuple(
                {
                    "lines": event.count,
                    "answer": BUSY_TEXTS[event.kind],
                    "when": when(event),
                    "meaning": RULE.word(event.kind),
                }
                for event in found
            )
        },
    )


def _passed(logs: LogsFacts, found: list[LogEvent]) -> bool:
    """Whether few sends waited too long for a thread of the broker, no client gave one up, and it is over."""
    waited = bool(found) and all(event.kind == WAITED for event in found)
    return (
        waited
        and not logs.is_excerpt
        and not events(logs, "send-given-up")
        and all(_since(logs, event) >= PASSED_S for event in found)
    )


def _sent_again(logs: LogsFacts, found: list[LogEvent]) -> bool:
    """Whether all were synchronous sends of clients that send again what a broker was too busy for."""
    made = [
        event.values.get("smallest_version", 0)
        for event in events(logs, "client-made")
        if all(set(one.files) <= set(event.files) for one in found)
    ]
    return min(made, default=0) >= FIRST_TO_SEND_AGAIN and all(
        event.values.get("smallest_of_sync_sends") for event in found
    )


def _since(logs: LogsFacts, event: LogEvent) -> float:
    """Seconds from the last of these lines to the end of all logs: a producer that is in order logs nothing."""
    return max((seconds_between(event.last, file.last) for file in logs.files if file.last), default=0.0)
