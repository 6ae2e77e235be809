"""flow-control from client logs: one line stands for up to a thousand held-back pulls."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import structs

from mqdiag.facts import Facts
from mqdiag.facts.logs import FlowControlFacts, LogsFacts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits
from mqdiag.rules.shared.log_events import between, by_group, most_frequent
from mqdiag.text import NOTHING, say
from mqdiag.time_ranges import between as spell_between
from mqdiag.time_ranges import joined

LOGGED_ONE_IN = 1000
QUEUES_SAID = 5
_REMEDIES = {
    "count": say("Make the listener faster, or raise consumeThreadMin; consumeThreadMax has no effect."),
    "size": say("Look at the largest messages: mqdiag heap on a dump of the client shows them."),
    "span": say(
        "Find the message that is stuck: mqdiag stacks on five thread dumps, or mqdiag heap on a dump."
    ),
    "pop": say("Make the listener faster: messages wait to be acknowledged."),
    "waiting-requests": say(
        "Call poll() more often, or lower pullBatchSize: what was pulled waits for the application."
    ),
}
_LITE = say("Call poll() more often, or from more threads: what was pulled waits for the application.")
_UNITS = {"size": " MiB"}
_OVER = {
    "count": say("messages were cached"),
    "size": say("of bodies were cached"),
    "span": say("offsets lay between the first and the last cached message"),
    "pop": say("messages waited to be acknowledged"),
    "waiting-requests": say("requests waited for poll()"),
}


def in_logs(facts: Facts, limits: Limits, remedy: str) -> Iterator[Draft]:
    """One finding for each group and reason: of several clients the one that was held back most."""
    logs = facts.logs
    if logs is None:
        return
    for group, kind in dict.fromkeys((row.group, row.kind) for row in logs.flow_control):
        rows = [row for row in logs.flow_control if (row.group, row.kind) == (group, kind)]
        yield _draft(rows, _queues(logs, group, kind), limits, remedy)


def title_of(group: str | None, kind: str, times: int) -> str:
    """The finding in a sentence."""
    return say(
        "{group} held back {pulls} or more, by {kind}",
        group=say("Group {group}", group=group) if group else say("A lite pull consumer"),
        pulls=say("{number:count} {number:pull|pulls}", number=times),
        kind=say(kind.replace("-", " ")),
    )


def _queues(logs: LogsFacts, group: str | None, kind: str) -> str:
    """The queues that the group's lines name most, in words."""
    found = by_group(logs, f"flow-control-{kind}").get(group, [])
    rows = [structs.replace(row, group=None) for event in found for row in event.subjects]
    if not rows:
        return ""
    return most_frequent(
        structs.replace(max(found, key=lambda event: event.count), subjects=tuple(rows)), QUEUES_SAID
    )


def _draft(rows: list[FlowControlFacts], queues: str, limits: Limits, remedy: str) -> Draft:
    row = max(rows, key=lambda one: (one.occurrences, one.lines))
    held = row.queues_held_back
    lasting = row.seconds is not None and row.seconds * 1000 >= limits["continuous_after_ms"]
    continuous = held is not None and lasting and held >= limits["continuous_queues"]
    explained = [
        say(
            (
                "{lines} {between}; the client logs one in {logged_one_in:count}, and its counter says"
                " {pulls} at least."
            ),
            lines=say("{number:count} {number:line|lines}", number=row.lines),
            between=between(row.first, row.last),
            logged_one_in=LOGGED_ONE_IN,
            pulls=say("{number:count} {number:pull|pulls}", number=row.occurrences),
        )
    ]
    if held is not None and row.seconds is not None:
        explained.append(
            say(
                "At 50 ms each that is {held:decimal} queues held back at once, as a mean over {seconds:ms}.",
                held=held,
                seconds=row.seconds * 1000,
            )
        )
    unit = _UNITS.get(row.kind, "")
    if row.largest is not None:
        limit = (
            ""
            if row.threshold is None
            else say(
                ", with {threshold:count}{unit} as the threshold in force", threshold=row.threshold, unit=unit
            )
        )
        explained.append(
            say(
                "At most {largest:count}{unit} {over}{limit}.",
                largest=row.largest,
                unit=unit,
                over=_OVER[row.kind],
                limit=limit,
            )
        )
    if queues:
        explained.append(say("The queues that its lines name most: {queues}.", queues=queues))
    if len(rows) > 1:
        explained.append(
            say("{rows} logs have such lines; these numbers are of {path}.", rows=len(rows), path=row.path)
        )
    return Draft(
        severity=Severity.WARNING if continuous else Severity.INFO,
        cause=row.kind,
        confidence=Confidence.HIGH if held is not None else Confidence.MEDIUM,
        confidence_reason=NOTHING if held is not None else say("one line does not tell for how long"),
        title=title_of(row.group, row.kind, row.occurrences),
        subject=Subject(group=row.group, topic=row.topics[0] if len(row.topics) == 1 else None),
        evidence={
            "times": row.occurrences,
            "lines": row.lines,
            "queues_held_back": held,
            "seconds": row.seconds,
            "threshold": row.threshold,
            "largest": row.largest,
            "topics": row.topics,
            "queues": row.queues or None,
        },
        explanation=tuple(explained),
        # only lite pull names no group, and it has no listener
        remedy=(_LITE if row.group is None and row.kind == "count" else _REMEDIES[row.kind], remedy),
        when=joined([period for one in rows for period in spell_between(one.first, one.last)]),
        weight=min(held or 0.0, 1.0) / 10,
    )
