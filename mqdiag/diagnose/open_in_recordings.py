"""What recordings leave open, where no rule found a fault in them."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.recordings import RecordedThread, Recording, RecordingsFacts
from mqdiag.findings import Report
from mqdiag.text import Text, say

MOST_UNKNOWN = 0.5
"""share of the time of a group's threads that may be unexplained"""
LONGEST_BLIND_SECONDS = 10.0
"""time without any event, sample or thread dump in which a thread may hang"""
LEAST_SECONDS = 10.0
"""a shorter recording shows neither a backlog nor a leak"""


def open_in_recordings(report: Report, recordings: RecordingsFacts) -> Iterator[Text]:
    """Why they do not prove that all is well; nothing where they do."""
    for recording in recordings.recordings:
        yield from _of_one(recording)
        if not recording.budgets and report.heap is None and report.stacks is None and report.logs is None:
            yield say("{path} shows no consume thread of RocketMQ.", path=recording.path)


def _blind(recording: Recording) -> dict[str, list[RecordedThread]]:
    """Consume threads of each group of which nothing at all is known for long: a call that hangs looks so."""
    found: dict[str, list[RecordedThread]] = {}
    for thread in recording.threads:
        if thread.blind_ms >= 1000 * min(LONGEST_BLIND_SECONDS, MOST_UNKNOWN * recording.seconds):
            found.setdefault(thread.group or "", []).append(thread)
    return found


def _unseen(recording: Recording, group: str, threads: list[RecordedThread]) -> Text:
    return say(
        "{path} shows nothing of {threads:count} consume {threads:thread|threads} of group {group} for up to"
        " {blind:seconds}: {threads:it rests, or hangs|they rest, or hang} in a call whose end alone makes an event;"
        " {without:and} of that time would show it.",
        path=recording.path,
        threads=len(threads),
        group=group or None,
        blind=max(one.blind_ms for one in threads) / 1000,
        without=(say("thread dumps"), say("samples of native code")),
    )


def _of_one(recording: Recording) -> Iterator[Text]:
    if recording.seconds < LEAST_SECONDS:
        yield say("{path} is {seconds:seconds} long only.", recording)
    if recording.not_recorded:
        yield say(
            "{path} has no events of {events:and}; docs/recordings.md has the settings that record them.",
            path=recording.path,
            events=recording.not_recorded,
        )
    if recording.lost_bytes:
        yield say("The JVM could not write all events of {path}.", path=recording.path)
    blind = _blind(recording)
    yield from (_unseen(recording, group, threads) for group, threads in sorted(blind.items()))
    for budget in recording.budgets:
        if budget.group in blind:
            continue
        unknown = budget.unknown_ms / budget.wall_ms if budget.wall_ms else 0.0
        if unknown > MOST_UNKNOWN:
            yield say(
                "No event and no sample explains {unknown:percent} of the time of the consume threads of group"
                " {group}.",
                unknown=unknown,
                group=budget.group,
            )
