"""The broker tells senders that it is busy."""

from __future__ import annotations

from mqdiag.facts.logs import LogsFacts
from mqdiag.log_events import lines_of, most_frequent, most_frequent_counted, number_set, when
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared.busy_answers import BUSY_TEXTS, ONLY_PAGE_CACHE, REJECT
from mqdiag.rules.shared.page_cache import DEFAULT_LIMIT_MS
from mqdiag.rules.shared.write_times import writes_fast

RULE = Rule("send-busy")
BY_LIMIT = (REJECT, *ONLY_PAGE_CACHE)
"""answers that depend on osPageCacheBusyTimeOutMills"""


@RULE.broker_logs
def in_logs(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for each broker that senders name."""
    found = [event for event in logs.events if event.kind in BUSY_TEXTS and event.side == "client"]
    if lines_of(found) < limits["answers"]:
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
