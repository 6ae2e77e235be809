"""A process cannot open another file or socket."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts, LogSubject
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.brokers import brokers_of_logs, subject_of_logs
from mqdiag.rules.shared.excerpts import surest
from mqdiag.rules.shared.log_events import (
    counted,
    events,
    files_of,
    lines_of,
    most_frequent,
    most_frequent_counted,
    when,
)
from mqdiag.text import Text, say
from mqdiag.time_ranges import ranges_of

EXHAUSTED, STARTED, SHUT_DOWN = "descriptors-exhausted", "client-started", "client-shut-down"

RULE = Rule(
    name="file-descriptors-exhausted",
    title="A process cannot open another file or socket",
    why=(
        "'Too many open files' means that the process has as many files and sockets open as its limit (ulimit -n), or"
        " the machine as many as fs.file-max. A broker has one descriptor for each connection and for each file of its"
        " commit log and consume queues. An application has several for each client, and loses them when it makes"
        " clients and does not shut them down. Neither the Java heap nor the network is at fault."
    ),
    causes=("client-leak", "many-store-files", "limit-of-machine", "limit-too-low"),
    severities=(Severity.ERROR,),
    remedy=(
        "Raise the limit: LimitNOFILE=655350 of a systemd service, nofile in /etc/security/limits.conf, --ulimit nofile"
        " of a container. RocketMQ's os.sh sets 655350.",
        "Compare the limit with what is open: grep 'open files' /proc/PID/limits, and ls /proc/PID/fd | wc -l.",
        "See what is open: ls -l /proc/PID/fd. Sockets to one address point to clients that are never shut down.",
        "Make one producer or consumer for each group, keep it, and call shutdown() when you no longer need it.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/506",
        "https://github.com/apache/rocketmq/issues/5899",
        "https://github.com/apache/rocketmq/issues/2255",
        "getrlimit(2): RLIMIT_NOFILE, EMFILE and ENFILE",
    ),
    limits={"clients": 20},
    explained_by=("client-leak", "connection-churn"),
    of_process=True,
    lies_at="any",
    in_chain=say("the process cannot open another file or socket"),
    leads_to={"connection-churn": say("and")},
    proven_on=say(
        "real logs of 4.9.7 and 5.3.3 for limit-too-low and client-leak; posted logs, and lines as the system writes"
        " them, for the other causes"
    ),
)

REMEDIES = {
    "client-leak": (RULE.remedy[3], RULE.remedy[2], RULE.remedy[0]),
    "many-store-files": (
        RULE.remedy[0],
        say("Delete topics and queues that nobody uses: each queue has files of its own."),
        RULE.remedy[1],
    ),
    "limit-of-machine": (
        say(
            "Raise fs.file-max of the machine (sysctl), and find the process that has most of them: lsof | sort."
        ),
    ),
    "limit-too-low": (RULE.remedy[1], RULE.remedy[0], RULE.remedy[2]),
}


def _facts(kind: str, clients: int = 0) -> Facts:
    first, last = "2026-11-21T20:00:01+08:00", "2026-11-21T20:00:09+08:00"
    failed = LogEvent(
        kind=kind,
        count=2,
        first=first,
        last=last,
        subjects=(LogSubject(thread="NettyBoss_1", count=2),),
    )
    started = LogEvent(kind=STARTED, side="client", count=clients, first=first, last=last)
    return Facts(logs=LogsFacts(events=(failed, started) if clients else (failed,), lines=5000))


def fires() -> Facts:
    """Two connections could not be accepted."""
    return _facts(EXHAUSTED)


def silent() -> Facts:
    """Two threads could not be made."""
    return _facts("thread-limit-reached")


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each broker, and one for the other processes together; one line is enough."""
    whole = facts.logs
    assert whole is not None
    parts = [*brokers_of_logs(facts)]
    for logs in parts:
        if found := events(logs, EXHAUSTED):
            yield _draft(logs, found, facts, limits)
    if not whole.brokers:
        return
    # with logs of several brokers a client's log belongs to none of them
    seen = {path for logs in parts for event in events(logs, EXHAUSTED) for path in event.files}
    if left := [event for event in events(whole, EXHAUSTED) if not seen.intersection(event.files)]:
        yield _draft(whole, left, facts, limits)


def _draft(logs: LogsFacts, found: list[LogEvent], facts: Facts, limits: Limits) -> Draft:
    whole = facts.logs
    assert whole is not None
    clients = whole.count(STARTED) - whole.count(SHUT_DOWN)
    cause = _cause(found, leak=clients >= limits["clients"] and _beside(found, events(whole, STARTED)))
    confidence, reason = surest(logs, *_sure(cause))
    return Draft(
        severity=Severity.ERROR,
        cause=cause,
        confidence=confidence,
        confidence_reason=reason,
        title=_title(cause),
        subject=subject_of_logs(logs, found),
        evidence={
            "lines": lines_of(found),
            "clients": clients if cause == "client-leak" else None,
            "open_files_limit": (limit := _limit(facts)),
            **counted(found),
            **most_frequent_counted(*found),
        },
        explanation=tuple(_explained(found, cause, limit)),
        remedy=REMEDIES[cause],
        rests_on=files_of(found),
        when=ranges_of(found),
        weight=0.8,
    )


def _beside(found: list[LogEvent], started: list[LogEvent]) -> bool:
    """Whether the process that ran out of descriptors is the one that started the clients, as far as folders tell."""
    folders, of_clients = (
        {path.rpartition("/")[0] for event in one for path in event.files} for one in (found, started)
    )
    return not (folders and of_clients) or bool(folders & of_clients)


def _cause(found: list[LogEvent], *, leak: bool) -> str:
    seen = {name for event in found for name in event.values}
    if "of_machine" in seen:
        return "limit-of-machine"
    if leak:
        return "client-leak"
    return "many-store-files" if "of_store" in seen else "limit-too-low"


def _sure(cause: str) -> tuple[Confidence, Text]:
    return {
        "client-leak": (
            Confidence.MEDIUM,
            say("the log counts the clients; it does not tell what else the process has open"),
        ),
        "many-store-files": (
            Confidence.MEDIUM,
            say("a file of the store was the one that failed; connections may have most of the descriptors"),
        ),
        "limit-of-machine": (Confidence.MEDIUM, say("the line does not tell which process has them")),
    }.get(
        cause,
        (
            Confidence.MEDIUM,
            say("that the limit was reached is certain; the lines do not tell what the process has open"),
        ),
    )


def _title(cause: str) -> Text:
    return {
        "client-leak": say(
            "The process started {clients:count} clients, shut none of them down, and has no descriptor left"
        ),
        "many-store-files": say("The broker has no file descriptor left for the files of its store"),
        "limit-of-machine": say("The machine has no file descriptor left"),
    }.get(cause, say("The process has no file descriptor left for another file or connection"))


def _limit(facts: Facts) -> int | None:
    """The limit that crash reports tell; None where there is no report, or where they differ."""
    limits = {report.open_files_limit for report in facts.crash.reports} if facts.crash is not None else set()
    return limits.pop() if len(limits) == 1 else None


def _explained(found: list[LogEvent], cause: str, limit: int | None) -> Iterator[Text]:
    for event in found:
        subjects = most_frequent(event)
        yield (
            say(
                "{lines:count} {lines:record|records} 'Too many open files' {when}.",
                lines=event.count,
                when=when(event),
            )
            if subjects is None
            else say(
                "{lines:count} {lines:record|records} 'Too many open files' {when}, in {subjects}.",
                lines=event.count,
                when=when(event),
                subjects=subjects,
            )
        )
    if cause == "client-leak":
        yield say(
            "Its log has {clients:count} more starts of clients than shut-downs; each has several descriptors."
        )
    if limit is not None:
        yield say(
            "The crash report says that a process here may have {open_files_limit:count}"
            " {open_files_limit:file or socket|files and sockets} open."
        )
    yield say(
        "The Java heap and the network are not at fault. Connections that fail meanwhile fail because of this."
    )
