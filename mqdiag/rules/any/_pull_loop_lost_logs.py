"""pull-loop-lost from client logs: a rebalance met queues that nobody had pulled for two minutes."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft
from mqdiag.rules.shared.log_events import by_group, events, most_frequent, only, when
from mqdiag.text import NOTHING, say
from mqdiag.time_ranges import ranges_of


def in_logs(facts: Facts, remedy: tuple[str, ...]) -> Iterator[Draft]:
    """One finding for each group."""
    logs = facts.logs
    if logs is None:
        return
    for group, parts in by_group(logs, "pull-paused").items():
        event = max(parts, key=lambda part: part.count)
        own = {_folder(path) for path in event.files}
        errors, callbacks = (
            sum(one.count for one in events(logs, kind) if own & {_folder(path) for path in one.files})
            for kind in ("out-of-memory", "pull-callback-failed")
        )
        yield _draft(group, event, errors, callbacks, remedy)


def _folder(path: str) -> str:
    """Where a log lies: another process has its own."""
    return path.rpartition("/")[0]


def _draft(
    group: str | None, event: LogEvent, out_of_memory: int, callbacks: int, remedy: tuple[str, ...]
) -> Draft:
    again = any(row.count > 1 for row in event.subjects)
    explained = [
        say(
            "{count:count} lines `[BUG]doRebalance … because pull is pause` {when}: {rows_said}.",
            count=event.count,
            when=when(event),
            rows_said=most_frequent(event),
        ),
        say("The rebalance took each queue away and added it again, so its pulling may have gone on."),
    ]
    if out_of_memory:
        explained.append(
            say(
                "The logs show {out_of_memory:count} OutOfMemoryErrors, which end pull loops.",
                out_of_memory=out_of_memory,
            )
        )
    if callbacks:
        explained.append(
            say("The pull thread or a callback failed {callbacks:count} times.", callbacks=callbacks)
        )
    return Draft(
        severity=Severity.ERROR,
        cause="lost-pull",
        confidence=Confidence.HIGH if again else Confidence.MEDIUM,
        confidence_reason=NOTHING if again else say("once for each queue: the rebalance may have repaired it"),
        title=say(
            "Queues were not pulled for two minutes: {count:count} times a rebalance had to add one again",
            count=event.count,
        ),
        subject=Subject(
            group=group,
            topic=only(event, "topic"),
            broker=only(event, "broker"),
        ),
        evidence={
            "lines": event.count,
            "queues": len(event.subjects) + event.subjects_left_out,
            "out_of_memory_errors": out_of_memory,
        },
        explanation=tuple(explained),
        remedy=remedy,
        rests_on=event.files,
        when=ranges_of([event]),
        weight=0.5,
    )
