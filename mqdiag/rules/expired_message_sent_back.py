"""Listeners hold messages for longer than consumeTimeout."""

from __future__ import annotations

from mqdiag.facts.logs import LogsFacts
from mqdiag.findings import Subject
from mqdiag.log_events import by_group, most_frequent, only, when
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.time_ranges import ranges_of

RULE = Rule("expired-message-sent-back")


@RULE.logs
def in_logs(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for each group; one for all lines that name none, as those of 4.x clients."""
    for group, parts in by_group(logs, "expired-sent-back").items():
        event = max(parts, key=lambda part: part.count)
        yield RULE.case(
            "stuck-listener",
            event,
            subject=Subject(group=group, topic=only(event, "topic")),
            events=[event],
            evidence={"messages": event.count},
            words={"when": when(event), "subjects": most_frequent(event)},
            when=tuple(ranges_of(parts)),
        )
