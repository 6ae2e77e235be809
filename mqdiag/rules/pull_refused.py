"""The broker refuses the pulls of a group."""

from __future__ import annotations

from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.findings import Subject
from mqdiag.log_events import by_group, enough, events, lines_of, only, seconds_between
from mqdiag.log_events.course import quiet_for
from mqdiag.rules.rule import Findings, Limits, Rule

RULE = Rule("pull-refused")
AT_BROKER = "subscription-not-latest"
PASSES_WITHIN_S = 60
"""the heartbeat that renews a subscription at the broker comes every 30 s"""

SILENT_S = 30
"""longer than a client waits after a refusal: 3 s by default (pullTimeDelayMillsWhenException), 20 s at most"""
START_S, PAUSE_S = 10, 5
"""refusals that begin so soon after a start end with the first heartbeat; longer than the default wait"""


@RULE.logs
def in_logs(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for each group and cause."""
    passing, by_heartbeat = RULE.meaning("passing"), RULE.names("by_heartbeat")
    for kind, case in RULE.meaning("by_kind").items():
        for group, found in by_group(logs, kind).items():
            passes, lines = all(map(_passes, found)), lines_of(found)
            if passes and not logs.is_excerpt:
                continue  # a start
            # a long log that has few of them shows that it passed
            if case in passing and not enough(logs, lines, limits["lines"]):
                continue
            passes = passes or (case in by_heartbeat and all(_went_on(logs, event) for event in found))
            if any(event.values.get("without_topic") for event in found):
                case = "topic-not-subscribed"
            lasts = case not in passing or (lines >= limits["lines"] and not passes)
            topics = {only(event, "topic") for event in found}
            topic = topics.pop() if case == "no-topic" and len(topics) == 1 else None
            yield RULE.case(
                case if lasts else passing[case],
                subject=Subject(group=group, topic=topic),
                events=found,
                evidence={"topic": topic},
            )


def _passes(event: LogEvent) -> bool:
    """Whether the broker's own lines end before the next heartbeat must have come; a client's do not tell."""
    if event.kind != AT_BROKER or event.first is None or event.last is None:
        return False
    return seconds_between(event.first, event.last) <= PASSES_WITHIN_S


def _went_on(logs: LogsFacts, event: LogEvent) -> bool:
    """Whether the refusals ended as soon, and the log goes on without: a client that is refused tries again at once."""
    if event.first is None or event.last is None or seconds_between(event.first, event.last) > PASSES_WITHIN_S:
        return False
    starts = [one.last for one in events(logs, "client-started") if one.last is not None]
    started = any(0 <= seconds_between(start, event.first) <= START_S for start in starts)
    return quiet_for(logs, event) >= (PAUSE_S if started else SILENT_S)
