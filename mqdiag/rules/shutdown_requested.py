"""Something asked the process to end."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.facts.stacks import Shutdown
from mqdiag.findings import Confidence, Finding, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.brokers import brokers_of_logs, called, subject_of_logs
from mqdiag.rules.shared.excerpts import SHORT_LINES
from mqdiag.rules.shared.log_events import counted, counted_lines, events, files_of, lines_of, when
from mqdiag.text import NOTHING, Text, say
from mqdiag.time_ranges import ranges_apart, ranges_of

KILLED, OOM_KILLED = "oom-killer-ran", "container-oom-killed"
EXIT_137, EXIT_143 = "exited-with-137", "exited-with-143"
HOOK_RAN, SHUT_DOWN = "shutdown-hook-ran", "group-shut-down"
BROKER_STOPPED = "broker-stopped"
NOT_SENT, NOT_PULLED = "send-not-connected", "pull-refused-no-group"
"""what clients feel of it; that they try to connect again and again while a broker is restarted is in order"""
AWAY = timedelta(minutes=10)
"""from its shutdown hook on, a broker that comes back is not reached for so long at most"""
SYMPTOMS = "shutdown-requested"
"""the name under which the catalogue counts lines that a stopped store or client writes"""


def _in_chain(finding: Finding) -> Text:
    if finding.cause == BROKER_STOPPED:
        return say("the broker was asked to end")
    return say("the process was asked to end")


RULE = Rule(
    name="shutdown-requested",
    title="Something asked the process to end",
    why=(
        "A process that ends without a crash was asked to: by a signal (a deploy, docker stop, kubectl delete, kill),"
        " by System.exit in its own code, or by the kernel, which kills the largest process when memory runs out. The"
        " OOM killer and kill -9 leave no line in the process's own logs: a consumer's unfinished messages come again,"
        " and a broker recovers its store at the next start. While the only broker of a topic is stopped, clients can"
        " neither send nor pull, and after its start it knows no group until the next heartbeat."
    ),
    causes=("oom-killer", "signal", "application", BROKER_STOPPED),
    severities=(Severity.ERROR, Severity.WARNING, Severity.INFO),
    remedy=(
        "Look at who ended it: the kernel's log (dmesg -T | grep -i kill), kubectl describe pod, docker inspect, and"
        " the history of deploys.",
        "After the OOM killer: lower -Xmx, or raise the limit of the container. Direct buffers, thread stacks and"
        " metaspace need memory besides the heap.",
        "Look for System.exit in the application, and use an exception instead.",
        "Give each topic queues on two masters at least: clients go to the other one while a broker is restarted.",
    ),
    references=(
        "Linux mm/oom_kill.c: Out of memory: Killed process",
        "BrokerStartup.buildShutdownHook, DefaultMQPushConsumerImpl.shutdown",
        "java.lang.Shutdown, java.lang.Terminator",
    ),
    limits={"passing_lines": 20, "failures_of_clients": 10},
    of_process=True,
    lies_at="any",
    in_chain=_in_chain,
    proven_on=say(
        "thread dumps of real clients in shutdown, and logs of a real broker that was restarted while clients sent;"
        " lines of the kernel and of containers were set by hand"
    ),
)

REMEDIES = {
    "oom-killer": (
        say(
            "Leave a part of the container's memory for what is not heap: -Xmx at most three quarters of the limit, or"
            " -XX:MaxRAMPercentage=75."
        ),
        say(
            "On a broker also limit -XX:MaxDirectMemorySize, and count transientStorePoolSize times the size of a"
            " commit log file."
        ),
        say("Check which processes share the machine: the kernel kills the largest, not the one that grew."),
    ),
    "signal": (
        say(
            "Find who sent the signal: the history of deploys, kubectl describe pod (liveness probes), docker events,"
            " or the operator's shell."
        ),
        say(
            "Give the process more time to end: terminationGracePeriodSeconds, docker stop -t, or stop_grace_period."
        ),
    ),
    "application": (
        say("Find the call of System.exit, or the code that shuts the client down, and what led to it."),
        RULE.remedy[2],
    ),
    BROKER_STOPPED: (
        say(
            "Find out who stopped the broker: the history of deploys, kubectl describe pod, or the operator's shell."
        ),
        say(
            "Give each topic queues on two masters at least, so that clients go to the other one while a broker is"
            " restarted."
        ),
        say(
            "Before you stop a broker, take its write permission away (mqadmin wipeWritePerm), and wait until nobody"
            " sends to it and the consumers have what it holds."
        ),
    ),
}


def _facts(kind: str) -> Facts:
    event = LogEvent(
        kind=kind,
        count=1,
        first="2026-11-21T20:00:01+08:00",
        last="2026-11-21T20:00:01+08:00",
        values={"largest_resident_kib": 3_900_000},
    )
    return Facts(logs=LogsFacts(events=(event,), lines=400))


def fires() -> Facts:
    """The kernel killed a Java process."""
    return _facts(KILLED)


def silent() -> Facts:
    """The application shut its consumer down."""
    return _facts(SHUT_DOWN)


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each way in which processes were ended; an end in order is one only with its consequences.

    An excerpt of the end counts too: somebody asks why the process ended.
    """
    logs = facts.logs
    assert logs is not None
    oom = events(logs, KILLED, OOM_KILLED)
    if oom:
        yield _draft(logs, "oom-killer", [*oom, *events(logs, EXIT_137)])
    elif found := events(logs, EXIT_137):
        yield _draft(logs, "signal", found)
    if found := events(logs, EXIT_143):
        yield _draft(logs, "signal", found)
    stopped = [draft for part in brokers_of_logs(facts) for draft in _stopped_broker(logs, part, limits)]
    yield from stopped
    if stopped:
        return
    followed = _lines_that_follow(logs) > limits["passing_lines"]
    for cause, kind in (("signal", HOOK_RAN), ("application", SHUT_DOWN)):
        found = events(logs, kind)
        if found and (followed or (kind == HOOK_RAN and _is_cut_out(logs, found))):
            yield _draft(logs, cause, found)
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
    follow = sum(_lines_after(hooks, event) for event in failed)
    # clients that failed before as well have another reason, for which somebody may have stopped the broker
    if follow < max(limits["failures_of_clients"], lines_of(failed) / 2):
        return
    same_clock = ranges_apart(ranges_of(failed), ranges_of(hooks)) is False
    yield Draft(
        severity=Severity.WARNING,
        cause=BROKER_STOPPED,
        confidence=Confidence.HIGH if same_clock else Confidence.MEDIUM,
        confidence_reason=NOTHING
        if same_clock
        else say("the logs of the clients do not tell their time zone: their failures may be of another hour"),
        title=say(
            "Something asked {called} to end, and {failures_of_clients:count} {failures_of_clients:call|calls} of"
            " clients failed",
            called=called(subject.broker),
        ),
        subject=subject,
        evidence={
            "lines": lines_of(hooks),
            "failures_of_clients": follow,
            **counted((*hooks, *failed)),
        },
        explanation=(
            *(say("The broker's shutdown hook ran {when}.", when=when(event)) for event in hooks),
            *map(_failed, failed),
        ),
        remedy=REMEDIES[BROKER_STOPPED],
        rests_on=files_of(hooks),
        when=ranges_of(hooks),
        weight=0.6,
    )


def _failed(event: LogEvent) -> Text:
    if event.kind == NOT_PULLED:
        return say(
            "The broker refused {lines:count} {lines:pull|pulls} {when}: after a start it knows a group from the next"
            " heartbeat on.",
            lines=event.count,
            when=when(event),
        )
    return say(
        "{lines:count} {lines:send|sends} did not reach a broker {when}.", lines=event.count, when=when(event)
    )


def _could_mean(event: LogEvent, broker: str | None) -> bool:
    """Whether lines name this broker, or an address of which no log tells the broker's name."""
    named = {row.broker for row in event.subjects}
    return broker is None or broker in named or all(name is None or ":" in name for name in named)


def _lines_after(hooks: list[LogEvent], event: LogEvent) -> int:
    """Lines of clients soon after one of the hooks, by the minute; all of them where their clock is an unknown one."""
    begun = [time for hook in hooks for text in (hook.first, hook.last) if (time := _time(text)) is not None]
    times = [_time(point.at) for point in event.series] or [_time(event.first)]
    counts = [point.count for point in event.series] or [event.count]
    step = timedelta(minutes=event.step_minutes)
    return sum(
        count
        for time, count in zip(times, counts, strict=True)
        if time is None
        or not begun
        or any(
            (hook.tzinfo is None) is not (time.tzinfo is None) or -step < time - hook <= AWAY for hook in begun
        )
    )


def _time(shown: str | None) -> datetime | None:
    try:
        return None if shown is None else datetime.fromisoformat(shown)
    except ValueError:
        return None


def _is_cut_out(logs: LogsFacts, found: list[LogEvent]) -> bool:
    """Whether the logs of the hook are a few lines."""
    paths = {path for event in found for path in event.files}
    return 0 < sum(file.lines for file in logs.files if file.path in paths) < SHORT_LINES


def _lines_that_follow(logs: LogsFacts) -> int:
    """Warnings of a store or client that was stopped already."""
    lines = logs.level_lines
    return 0 if lines is None else lines.passing.get(SYMPTOMS, 0) + lines.symptoms.get(SYMPTOMS, 0)


def _draft(logs: LogsFacts, cause: str, found: list[LogEvent]) -> Draft:
    kinds = {event.kind for event in found}
    resident = max((event.values.get("largest_resident_kib", 0) for event in found), default=0)
    return Draft(
        severity=_severity(cause, kinds),
        cause=cause,
        confidence=Confidence.HIGH if cause == "oom-killer" else Confidence.MEDIUM,
        confidence_reason=_reason(kinds),
        title=_title(kinds, follow=_lines_that_follow(logs) > 0),
        evidence={
            "lines": lines_of(found),
            "resident_bytes": resident * 1024 or None,
            "exit_code": 137 if EXIT_137 in kinds else 143 if EXIT_143 in kinds else None,
            "lines_that_follow": _lines_that_follow(logs) or None,
            **counted(found),
        },
        explanation=tuple(_explained(logs, found)),
        remedy=REMEDIES[cause],
        rests_on=files_of(found),
        when=ranges_of(found),
        weight=0.5,
    )


def _severity(cause: str, kinds: set[str]) -> Severity:
    if cause == "oom-killer":
        return Severity.ERROR
    return Severity.WARNING if EXIT_137 in kinds else Severity.INFO


def _reason(kinds: set[str]) -> Text:
    if kinds & {KILLED, OOM_KILLED}:
        return say("the kernel or the container's runtime says so")
    if EXIT_137 in kinds:
        return say(
            "exit code 137 is SIGKILL: the OOM killer, or a stop that took too long; the code does not tell which"
        )
    if EXIT_143 in kinds:
        return say("exit code 143 is SIGTERM; the code does not tell who sent it")
    if HOOK_RAN in kinds:
        return say("System.exit runs the shutdown hooks too")
    return say("the line does not tell which code called shutdown()")


def _title(kinds: set[str], *, follow: bool) -> Text:
    if KILLED in kinds:
        return say("The kernel's OOM killer ended a Java process")
    if OOM_KILLED in kinds:
        return say("A container was killed because it used all the memory that it may use")
    if EXIT_137 in kinds:
        return say("A process was killed by SIGKILL (exit code 137)")
    if EXIT_143 in kinds:
        return say("A process was ended by SIGTERM (exit code 143)")
    if HOOK_RAN in kinds:
        if not follow:
            return say("The process was asked to end, and ran its shutdown hook")
        return say("The process was asked to end, and requests met what was stopped already")
    return say("The application shut its client down, and requests met what was stopped already")


def _explained(logs: LogsFacts, found: list[LogEvent]) -> Iterator[Text]:
    yield from map(counted_lines, found)
    if any(event.values.get("largest_resident_kib") for event in found):
        yield say("The process had {resident_bytes:bytes} in memory.")
    if _lines_that_follow(logs):
        yield say(
            "{lines_that_follow:count} {lines_that_follow:line|lines} at WARN or ERROR {lines_that_follow:is|are} what"
            " a stopped store or client writes."
        )


@RULE.sees("stacks")
def in_stacks(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding while shutdown hooks run."""
    stacks = facts.stacks
    assert stacks is not None
    if stacks.shutdown is not None:
        yield _ending(stacks, stacks.shutdown)


def _ending(stacks: StacksFacts, shutdown: Shutdown) -> Draft:
    application = shutdown.begun_by == "exit"
    return Draft(
        severity=Severity.INFO,
        cause="application" if application else "signal",
        confidence=Confidence.MEDIUM if shutdown.begun_by == "last-thread" else Confidence.HIGH,
        confidence_reason=say("main returned, or its thread died by an exception; the dump does not tell which")
        if shutdown.begun_by == "last-thread"
        else say("the stack of the thread that runs the shutdown hooks tells it"),
        title=_begun(shutdown),
        subject=Subject(group=shutdown.group, thread=shutdown.thread),
        evidence={
            "frame": shutdown.frame,
            "seconds": shutdown.seconds,
            "shutdown_hooks": tuple(hook.thread for hook in shutdown.hooks),
            "samples": stacks.samples,
        },
        explanation=(
            say("Thread {thread} waits until the shutdown hooks have ended.")
            if shutdown.seconds is None
            else say("Thread {thread} has waited for {seconds:seconds} until the shutdown hooks have ended."),
        ),
        remedy=REMEDIES["application" if application else "signal"],
    )


def _begun(shutdown: Shutdown) -> Text:
    if shutdown.begun_by == "signal":
        return say("A signal asked the JVM to end, and its shutdown hooks run")
    if shutdown.begun_by == "last-thread":
        return say("The last thread that kept the JVM alive has ended, and its shutdown hooks run")
    if shutdown.frame is not None:
        return say("{frame} called System.exit, and the shutdown hooks run")
    return say("A thread called System.exit, and the shutdown hooks run")
