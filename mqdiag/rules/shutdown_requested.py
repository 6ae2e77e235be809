"""Something asked the process to end."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.logs import EXCERPT_LINES, LogEvent, LogsFacts
from mqdiag.facts.recordings import Recording
from mqdiag.findings import Confidence, Subject
from mqdiag.log_events import counted, events, lines_of, when
from mqdiag.log_events.course import lines_after
from mqdiag.rules.rule import Draft, Findings, Limits, Rule
from mqdiag.rules.shared.brokers import brokers_of_logs, subject_of_logs
from mqdiag.rules.shared.standstill import frame_shown
from mqdiag.time_ranges import between, ranges_apart, ranges_of

KILLED, OOM_KILLED = "oom-killer-ran", "container-oom-killed"
SIGNAL = "signal-received"
EXIT_137, EXIT_143 = "exited-with-137", "exited-with-143"
HOOK_RAN, SHUT_DOWN = "shutdown-hook-ran", "group-shut-down"
NOT_SENT, NOT_PULLED = "send-not-connected", "pull-refused-no-group"
"""what clients feel of it; that they try to connect again and again while a broker is restarted is in order"""
AWAY = timedelta(minutes=10)
"""from its shutdown hook on, a broker that comes back is not reached for so long at most"""
SYMPTOMS = "shutdown-requested"
"""the name under which the catalogue counts lines that a stopped store or client writes"""

RULE = Rule("shutdown-requested")


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Findings:
    """One finding for each way in which processes were ended; an end in order is one only with its consequences.

    An excerpt of the end counts too: somebody asks why the process ended.
    """
    logs = facts.logs
    assert logs is not None
    oom = events(logs, KILLED, OOM_KILLED)
    if oom:
        by_kernel = any(event.kind == KILLED for event in oom)
        yield _ended("oom-killer" if by_kernel else "container-killed", logs, [*oom, *events(logs, EXIT_137)])
    elif found := events(logs, EXIT_137):
        yield _ended("exit-code-137", logs, found)
    if found := events(logs, EXIT_143):
        yield _ended("exit-code-143", logs, found)
    if found := events(logs, SIGNAL):
        yield _ended("signal-logged", logs, found)
    stopped = [draft for part in brokers_of_logs(facts) for draft in _stopped_broker(logs, part, limits)]
    yield from stopped
    if stopped:
        return
    followed = _lines_that_follow(logs) > limits["passing_lines"]
    for name, kind in (("hook-ran", HOOK_RAN), ("shut-down", SHUT_DOWN)):
        found = events(logs, kind)
        if found and (followed or (kind == HOOK_RAN and _is_cut_out(logs, found))):
            yield _ended(name, logs, found)
            return


def _stopped_broker(logs: LogsFacts, own: LogsFacts, limits: Limits) -> Iterator[Draft]:
    """A broker that ended although clients needed it.

    Args:
        logs: of all processes.
        own: the part of one broker, or the same.
        limits: of the rule.
    """
    of_brokers = {file.path for file in logs.files if file.kind == "broker"}
    hooks = [event for event in events(own, HOOK_RAN) if of_brokers.intersection(event.files)]
    if not hooks:
        return
    subject = subject_of_logs(own, hooks)
    failed = [event for event in events(logs, NOT_SENT, NOT_PULLED) if _could_mean(event, subject.broker)]
    follow = sum(lines_after(hooks, event, AWAY) for event in failed)
    # clients that failed before as well have another reason, for which somebody may have stopped the broker
    if follow < max(limits["failures_of_clients"], lines_of(failed) / 2):
        return
    same_clock = ranges_apart(ranges_of(failed), ranges_of(hooks)) is False
    yield RULE.case(
        "broker-stopped",
        events=hooks,
        subject=subject,
        evidence={"failures_of_clients": follow, **counted((*hooks, *failed))},
        words={"same_clock": same_clock},
        rows={
            name: tuple({"lines": one.count, "when": when(one)} for one in failed if one.kind == kind)
            for name, kind in (("not_sent", NOT_SENT), ("not_pulled", NOT_PULLED))
        },
        confidence=Confidence.HIGH if same_clock else Confidence.MEDIUM,
    )


def _could_mean(event: LogEvent, broker: str | None) -> bool:
    """Whether lines name this broker, or an address of which no log tells the broker's name."""
    named = {row.broker for row in event.subjects}
    return broker is None or broker in named or all(name is None or ":" in name for name in named)


def _is_cut_out(logs: LogsFacts, found: list[LogEvent]) -> bool:
    """Whether the logs of the hook are a few lines."""
    paths = {path for event in found for path in event.files}
    return 0 < sum(file.lines for file in logs.files if file.path in paths) < EXCERPT_LINES


def _lines_that_follow(logs: LogsFacts) -> int:
    """Warnings of a store or client that was stopped already."""
    lines = logs.level_lines
    return 0 if lines is None else lines.passing.get(SYMPTOMS, 0) + lines.symptoms.get(SYMPTOMS, 0)


def _ended(name: str, logs: LogsFacts, found: list[LogEvent]) -> Draft:
    kinds = {event.kind for event in found}
    resident = max((event.values.get("largest_resident_kib", 0) for event in found), default=0)
    return RULE.case(
        name,
        events=found,
        evidence={
            "resident_bytes": resident * 1024 or None,
            "exit_code": 137 if EXIT_137 in kinds else 143 if EXIT_143 in kinds else None,
            "lines_that_follow": _lines_that_follow(logs) or None,
        },
    )


@RULE.stacks
def in_stacks(stacks: StacksFacts, limits: Limits) -> Findings:
    """One finding while shutdown hooks run."""
    if (shutdown := stacks.shutdown) is not None:
        yield RULE.case(
            RULE.meaning("begun_by")[shutdown.begun_by],
            shutdown,
            subject=Subject(group=shutdown.group, thread=shutdown.thread),
            evidence={
                "shutdown_hooks": tuple(hook.thread for hook in shutdown.hooks),
                "samples": stacks.samples,
            },
        )


@RULE.sees("recordings")
def in_recordings(facts: Facts, limits: Limits) -> Findings:
    """One note where the JVM ended within a recording, unless thread dumps show that its shutdown hooks run."""
    assert facts.recordings is not None
    if facts.stacks is not None and facts.stacks.shutdown is not None:
        return
    for recording in facts.recordings.recordings:
        if recording.shutdown_by is not None:
            yield _recorded(recording, RULE.meaning("recorded_by")[recording.shutdown_by])


def _recorded(recording: Recording, name: str) -> Draft:
    return RULE.case(
        name,
        evidence={"path": recording.path, "reason": recording.shutdown, "frame": recording.shutdown_frame},
        words={"frame": frame_shown(recording.shutdown_frame)},
        rests_on=(recording.path,),
        when=between(recording.ended_at, recording.ended_at),
    )
