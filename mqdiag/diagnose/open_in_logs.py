"""What the lines of logs leave open: lines that nobody understood, weak symptoms, and excerpts that prove little."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import LogsFacts
from mqdiag.facts.logs import GcFacts, LogFile
from mqdiag.facts.ratios import ratio
from mqdiag.findings import Report
from mqdiag.rules import gc_thrashing, long_safepoints
from mqdiag.text import NOTHING, Text, say

EXCERPT_LINES = 20
"""below so many lines a log is an excerpt that somebody cut out"""
FEWEST_LINES = 3
"""below so many lines a log shows nothing by what it does not say"""
FEWEST_UNKNOWN_LINES = 5
"""the same of a log that mqdiag knows no line of"""
FEWEST_ENDED = 3
"""connections of a gRPC client that ended, from which on it is worth a look whether it received messages later"""
UNANSWERED_REQUEST = "request-no-answer"
"""event of a client's log that no rule judges alone: a broker was away, or too slow, for a moment or for good"""
OTHER_CALL = "other-grpc-call-failed"
"""event of a log whose record does not show that the call went to a proxy of RocketMQ"""
KNOWN_SHARE = 0.5
"""share of a log's lines with a known level, from which on the log counts as understood"""
SHORT_GC_LOG_S = 60.0
"""a GC log that spans less shows a moment: whether a full heap stays full, it does not tell"""
PAUSED_SHARE = 0.5
FULL_HEAP_SHARE = 0.8
"""share of the heap in use after a collection: together with so much time in pauses it looks full"""
FILLED_SHARE = 0.9
"""share of the heap in use after the last collection of any kind: nearly nothing is left, whatever the pauses are"""
SECONDS_PAUSED = 1.0
"""seconds in pauses over a whole log: fewer may be a moment that somebody cut out"""
GROWN_SHARE = 1 / 3
SECONDS_TO_FULL = 300.0
"""a heap that is used so far, and will be full so soon if it goes on, may be one that starts, or one that leaks"""
MOMENT_LINES = 200
"""a broker's log of fewer lines shows a moment: how often a flush is slow, it does not tell"""
SLOW_FLUSH_MS = 1000
MANY_CLIENTS = 100
"""clients of one process: so many are made by code that makes one for each call"""
ENDED_CONNECTIONS = ("proxy-closed", "at-start-proxy-closed")
"""kinds of events"""
OF_GRPC_CLIENTS = (*ENDED_CONNECTIONS, "grpc-messages-received")
OF_COLLECTIONS = frozenset({gc_thrashing.RULE.name, long_safepoints.RULE.name})
"""rules"""
OF_RAFT_MEMBERS = frozenset({"controller", "dledger", "jraft"})
OF_SERVERS = frozenset({"broker", "pop", "controller", "dledger", "jraft", "proxy"})
"""kinds of logs"""


def open_in_logs(report: Report, logs: LogsFacts) -> Iterator[Text]:
    """Why the logs do not prove that all is well; nothing when they do.

    Args:
        report: with its findings.
        logs: what was read.
    """
    yield from _not_understood(logs, frozenset(found.rule for found in report.findings))
    yield from _excerpt(report, logs)


def _not_understood(logs: LogsFacts, judged: frozenset[str]) -> Iterator[Text]:
    """Logs with lines that mqdiag does not know to be harmless.

    Args:
        logs: what was read.
        judged: rules with a finding, which says what their lines mean.
    """
    unknown = [file for file in logs.files if file.kind == "application" and not file.is_understood]
    if unknown:
        yield say(
            "mqdiag understood no line of {path}{more}.",
            path=unknown[0].path,
            more=say(" and of {others:count} {others:other log|other logs}", others=len(unknown) - 1)
            if len(unknown) > 1
            else NOTHING,
        )
    untold = [file for file in logs.files if file.untold_lines]
    if untold:
        yield say(
            "{lines:count} {lines:line|lines} of {path} {lines:is|are} of no form that mqdiag knows; the first is"
            ' "{text}".',
            lines=untold[0].untold_lines,
            path=untold[0].path,
            text=untold[0].first_untold,
        )
    strange = [file for file in logs.files if file.kind == "application" and _is_strange(file)]
    if strange and not unknown:
        yield say(
            "mqdiag knows the level of {known:percent} of the first lines of {path}: it does not know whether the"
            " others are errors.",
            path=strange[0].path,
            known=strange[0].known_heads,
        )
    unread = [gc for gc in logs.gc if gc.unread > gc.collections]
    if unread:
        yield say(
            "{path} has {lines:count} {lines:pause|pauses} of a collector in a form that mqdiag cannot read.",
            path=unread[0].path,
            lines=unread[0].unread,
        )
    yield from _short_of_room(logs.gc) if judged.isdisjoint(OF_COLLECTIONS) else ()
    if logs.other_clients:
        yield say(
            "mqdiag judges logs of the Java client; lines of the {clients:and} client are counted and not understood.",
            clients=logs.other_clients,
        )
    # A process that was short-lived beside others leaves a short log too: only lines that were cut out count.
    for one in logs.repeated if logs.lines < EXCERPT_LINES else ():
        yield say(
            'A few lines repeat "{text}" {count:count} times: the thing that they report makes no progress.',
            text=one.text,
            count=one.count,
        )
    if not judged:
        yield from _slow_flush(logs)
        yield from _many_clients(logs)
    # Beside a finding, the weak symptoms below tell of such lines too.
    ended = [] if judged else [*_ended_connections(logs)]
    yield from ended
    yield from [] if judged else _unanswered(logs)
    yield from _other_calls(logs)
    lines = logs.level_lines
    if lines is None or lines.all_harmless:
        return
    if lines.not_understood:
        from mqdiag.facts.unjudged_lines import unjudged_lines

        yield unjudged_lines(lines, len(lines.commonest))
    if lines.unseen:
        yield say(
            (
                "{lines:count} {lines:line|lines} at WARN or ERROR came in floods and were counted like the lines near"
                " them."
            ),
            lines=lines.unseen,
        )
    weak = {rule: count for rule, count in lines.weak.items() if rule not in judged}
    if weak and not ended:
        yield _weak(weak)
        yield _other_side(logs)


def _is_strange(file: LogFile) -> bool:
    """Whether most of a log's lines are of no known layout, so that one line in order does not speak for them."""
    return file.known_heads is not None and file.known_heads < KNOWN_SHARE and file.lines >= EXCERPT_LINES


def _short_of_room(gc_logs: tuple[GcFacts, ...]) -> Iterator[Text]:
    """The first GC log of a heap that seems to be full, or of a JVM that stands in collections."""
    for gc in gc_logs:
        reason = _ends_in_pauses(gc) or _ends_full(gc) or _stands_in_pauses(gc) or _fills(gc)
        if reason is not None:
            yield reason
            return


def _ends_in_pauses(gc: GcFacts) -> Text | None:
    if gc.seconds is None or gc.seconds >= SHORT_GC_LOG_S:
        return None
    paused = min(ratio(gc.pause_ms / 1000, gc.seconds) or 0.0, 1.0)
    used = ratio(gc.heap_after_bytes, gc.heap_bytes) or 0.0
    futile = gc.open_run is not None and bool(gc.open_run.for_room)
    if not futile and (paused < PAUSED_SHARE or used < FULL_HEAP_SHARE):
        return None
    return say(
        "{path} spans {seconds:seconds}, too short to decide whether its heap stays full: pauses of the"
        " collector took {paused:percent} of that time, and the last collections freed little.",
        path=gc.path,
        seconds=gc.seconds,
        paused=paused,
    )


def _ends_full(gc: GcFacts) -> Text | None:
    if (gc.used_share or 0.0) < FILLED_SHARE:
        return None
    return say(
        "After the last collection of {path} {used:percent} of the heap were in use: later lines show "
        "whether it stays full.",
        path=gc.path,
        used=gc.used_share,
    )


def _stands_in_pauses(gc: GcFacts) -> Text | None:
    """Collections that somebody asks for stop the JVM as long as others."""
    of_all = 0.0 if gc.seconds is None else min(ratio(gc.pause_ms / 1000, gc.seconds) or 0.0, 1.0)
    paused = max(of_all, gc.worst_share or 0.0)
    if gc.pause_ms < SECONDS_PAUSED * 1000:
        return None
    if gc.seconds is None:
        return say(
            "The collections of {path} took {pauses:ms}, and its lines have no times, so they do not show "
            "what share of the time that is. -XX:+PrintGCDateStamps adds the times.",
            path=gc.path,
            pauses=gc.pause_ms,
        )
    if paused < PAUSED_SHARE:
        return None
    return say(
        "Pauses of the collector took {paused:percent} of the worst minute of {path}, or of all of it where it is"
        " shorter.",
        paused=paused,
        path=gc.path,
    )


def _fills(gc: GcFacts) -> Text | None:
    to_full = gc.seconds_to_full
    if gc.seconds is None or gc.seconds >= SHORT_GC_LOG_S or to_full is None:
        return None
    if to_full >= SECONDS_TO_FULL or (gc.used_share or 0.0) < GROWN_SHARE:
        return None
    return say(
        "{path} spans {seconds:seconds}, and each of its last collections left more than the one before: "
        "if it goes on like this, the heap is full in {to_full:seconds}. Later lines show it.",
        path=gc.path,
        seconds=gc.seconds,
        to_full=to_full,
    )


def _ended_connections(logs: LogsFacts) -> Iterator[Text]:
    """Connections that ended now and then are a proxy that restarts, or an outage; messages received later tell."""
    ended = [event for event in logs.events if event.kind in ENDED_CONNECTIONS]
    times = sum(event.count for event in ended)
    if times < FEWEST_ENDED:
        return
    received = max(
        (event.last or "" for event in logs.events if event.kind == "grpc-messages-received"), default=""
    )
    if received <= max(event.last or "" for event in ended):
        yield say(
            "Connections of the gRPC client ended {times:count} {times:time|times}, and its log does not show that it"
            " received messages after that. To decide it, add the proxy's proxy.log of the same time, and thread dumps"
            " of the client.",
            times=times,
        )


def _slow_flush(logs: LogsFacts) -> Iterator[Text]:
    """Logged at INFO, so that it is among no weak symptoms: a broker in order has one of them now and then."""
    longest = max(
        (event.values.get("longest_ms", 0) for event in logs.events if event.kind == "slow-flush"), default=0
    )
    if longest >= SLOW_FLUSH_MS and logs.lines < MOMENT_LINES:
        yield say(
            "A flush of the commit log took {longest:ms}. So few lines do not show how often that "
            "happens: to decide it, add the whole store.log of that day.",
            longest=longest,
        )


def _many_clients(logs: LogsFacts) -> Iterator[Text]:
    """A console makes a client for each request and shuts it down; code that forgets the latter is a leak."""
    number = max(
        (event.values.get("number", 0) for event in logs.events if event.kind == "client-made"), default=0
    )
    if number >= MANY_CLIENTS and 2 * logs.count("client-shut-down") < logs.count("client-made"):
        yield say(
            "The process has made {number:count} clients, and the log does not show that it shut the earlier ones"
            " down. To decide it, add a heap dump or thread dumps of the process.",
            number=number,
        )


def _unanswered(logs: LogsFacts) -> Iterator[Text]:
    requests = sum(event.count for event in logs.events if event.kind == UNANSWERED_REQUEST)
    if requests:
        yield say(
            "{requests:count} {requests:request|requests} of clients, other than sends and pulls, got no answer in"
            " time. To decide it, add the logs of the broker for the same time.",
            requests=requests,
        )


def _other_calls(logs: LogsFacts) -> Iterator[Text]:
    calls = sum(event.count for event in logs.events if event.kind == OTHER_CALL)
    if calls:
        yield say(
            "{calls:count} {calls:call|calls} over gRPC failed, and {calls:its record does|their records do} not show"
            " that RocketMQ made {calls:it|them}: other software in the process calls over gRPC too.",
            calls=calls,
        )


def _weak(weak: dict[str, int]) -> Text:
    """Lines that rules know, and which are not enough for a finding."""
    lines, rules = sum(weak.values()), tuple(weak)
    if lines < EXCERPT_LINES:
        return say(
            "{lines:count} {lines:line is a symptom|lines are symptoms} of {rules:and}, too few or too short for a"
            " finding.",
            lines=lines,
            rules=rules,
        )
    return say(
        "{lines:count} {lines:line is a symptom|lines are symptoms} of {rules:and}; what they show does not suffice"
        " for a finding.",
        lines=lines,
        rules=rules,
    )


def _other_side(logs: LogsFacts) -> Text:
    """What to add: the logs that show the same time from the other side."""
    kinds = {file.kind for file in logs.files}
    if any(event.kind in OF_GRPC_CLIENTS for event in logs.events) and "proxy" not in kinds:
        return say("To decide it, add the proxy's proxy.log of the same time.")
    if (kinds and kinds <= OF_RAFT_MEMBERS) or _only_of_raft(logs):
        return say("To decide it, add the logs of the other members of the Raft group for the same time.")
    if not kinds.isdisjoint(OF_SERVERS):
        return say("To decide it, add the logs of the clients for the same time.")
    return say("To decide it, add the logs of the broker for the same time.")


def _only_of_raft(logs: LogsFacts) -> bool:
    """Whether all known lines are of a Raft group; a short log of SOFAJRaft does not tell its kind."""
    return bool(logs.events) and all(event.kind.startswith("raft-") for event in logs.events)


def _excerpt(report: Report, logs: LogsFacts) -> Iterator[Text]:
    """A few lines that somebody cut out show that something was, and not how long."""
    lines = logs.level_lines
    fewest = FEWEST_LINES if any(file.event_lines for file in logs.files) else FEWEST_UNKNOWN_LINES
    known = lines is not None and bool(lines.harmless or lines.passing)
    if logs.lines == 1 and known:
        yield say("One log line that is known to be harmless proves nothing.")
    elif 0 < logs.lines < fewest and not known:
        yield say(
            "An excerpt of {lines:count} log {lines:line|lines} without a known warning or error proves nothing.",
            lines=logs.lines,
        )
    unlocked = sum(event.values.get("still_unlocked", 0) for event in logs.events)
    if unlocked and 0 < logs.lines < EXCERPT_LINES:
        yield say(
            "The lines end before the broker has locked {unlocked:count} {unlocked:queue|queues} for its orderly"
            " consumer.",
            unlocked=unlocked,
        )
    connecting = sum(event.values.get("still_connecting", 0) for event in logs.events)
    if connecting and 0 < logs.lines < EXCERPT_LINES:
        yield say("The lines end before an idle connection, which was closed, is made again.")
    for found in report.findings:
        own_lines = sum(file.lines for file in logs.files if file.path in found.rests_on) or logs.lines
        if "logs" in found.seen_in and not found.undecides and 0 < own_lines < EXCERPT_LINES:
            yield say(
                "An excerpt of {lines:count} log {lines:line|lines} does not show how long it was: {title}.",
                lines=own_lines,
                title=found.title,
            )
            return
