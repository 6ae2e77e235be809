"""The name server does not know a topic."""

from __future__ import annotations

from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.findings import Subject
from mqdiag.log_events import enough, events, lines_of, most_frequent, only, when
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.text import Value

RULE = Rule("no-route")


@RULE.logs
def in_logs(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for all topics: sends that failed, and answers of the name server to clients that asked."""
    asked_for_traces = events(logs, "trace-route-not-known")
    lasting_traces = [one for one in asked_for_traces if _lasts(one)]
    if trace := [*events(logs, "trace-not-sent"), *lasting_traces]:
        yield RULE.case(
            "trace-topic-missing",
            subject=Subject(topic=only(trace[0], "topic")),
            events=trace,
            rows={"events": _rows(trace)},
        )
    if unknown := events(logs, "broker-address-unknown"):
        yield RULE.case(
            "broker-not-registered",
            subject=Subject(broker=only(unknown[0], "broker")),
            events=unknown,
            rows={"events": _rows(unknown)},
        )
    failed, asked = events(logs, "send-no-route"), events(logs, "route-not-known")
    # many senders of a new topic ask within one minute; a topic that is missing is asked for again and again
    lasting = [event for event in asked if _lasts(event) or logs.is_excerpt]
    if not failed and not enough(logs, lines_of(lasting), limits["lines"]):
        return
    found = [*failed, *asked]
    topics = {only(event, "topic") for event in found}
    lost = logs.count("name-server-not-connected", "name-server-not-set", "name-server-no-answer")
    yield RULE.case(
        "wrong-name-server" if lost else "topic-not-created",
        subject=Subject(topic=topics.pop() if len(topics) == 1 else None),
        events=found,
        evidence={"name_server_lines": lost},
        rows={"events": _rows(found)},
    )


def _lasts(event: LogEvent) -> bool:
    """Whether there are more lines than those of one minute, that of the start, in the log of each process."""
    return event.count > (event.peak_per_minute or 0) * max(len(event.files), 1)


def _rows(found: list[LogEvent]) -> tuple[dict[str, Value], ...]:
    return tuple(
        {
            "lines": one.count,
            "when": when(one),
            "subjects": most_frequent(one) or RULE.word("topic-not-named"),
        }
        for one in found
    )
