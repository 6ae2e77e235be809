"""A POP consumer's position, or the record of a message that it has, was lost."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.logs import LogsFacts
from mqdiag.findings import Subject
from mqdiag.rules.rule import Rule
from mqdiag.rules.said import Limits, Said
from mqdiag.rules.shared.brokers import subject_of_logs
from mqdiag.rules.shared.log_events import by_group, events, most_frequent, only, when

RULE = Rule("pop-offset-lost")
MOVES = {
    "pop-offset-beyond-queue": "offset-beyond-queue",
    "pop-offset-deleted": "messages-deleted",
    "pop-offset-without-answer": "store-without-answer",
}
NOT_KEPT = {"pop-record-dropped": "record-dropped", "pop-not-stored": "not-stored"}


@RULE.broker_logs
def in_logs(logs: LogsFacts, limits: Limits) -> Iterator[Said]:
    """One finding for each broker, group and cause; one line is enough."""
    for kind, case in MOVES.items():
        for group, found in by_group(logs, kind).items():
            gap = max(event.values.get("largest_gap", 0) for event in found)
            topics = {only(event, "topic") for event in found}
            yield RULE.case(
                case,
                logs=logs,
                events=found,
                subject=Subject(
                    group=group,
                    topic=topics.pop() if len(topics) == 1 else None,
                    broker=subject_of_logs(logs, found).broker,
                ),
                evidence={"largest_gap": gap or None},
                rows={
                    "moves": tuple(
                        {
                            "lines": event.count,
                            "when": when(event),
                            "subjects": most_frequent(event) or RULE.word("not-named"),
                        }
                        for event in found
                    )
                },
            )
    for kind, case in NOT_KEPT.items():
        if found := events(logs, kind):
            yield RULE.case(case, logs=logs, events=found)
