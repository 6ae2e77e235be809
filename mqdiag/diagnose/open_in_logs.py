"""What the lines of logs leave open: lines that nobody understood, or that do not suffice, and excerpts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from mqdiag.diagnose.open_reason import NONE_GIVEN, GivenLimits, Open
from mqdiag.facts import LogsFacts
from mqdiag.facts.known import NO_NAMES
from mqdiag.facts.log_lines import LevelLineFacts
from mqdiag.facts.logs import EXCERPT_LINES, LogEvent, LogFile
from mqdiag.findings import Report
from mqdiag.log_events import events, seconds_between
from mqdiag.logs.statements import harmless_of_any_program, why_harmless
from mqdiag.rules.draft import Limits
from mqdiag.rules.symptoms_not_judged import ENDED_CONNECTIONS, RULE
from mqdiag.text import NOTHING, Text, say

OF_CATALOGUE = frozenset({"C++", "Go"})
"""clients in other languages whose warnings and errors the catalogue has"""
OF_GRPC_CLIENTS = (*ENDED_CONNECTIONS, "grpc-messages-received")
"""kinds of events"""
OF_RAFT_MEMBERS = frozenset({"controller", "dledger", "jraft"})
OF_SERVERS = frozenset(
    {
        "broker",
        "store",
        "store-error",
        "watermark",
        "pop",
        "stats",
        "controller",
        "dledger",
        "jraft",
        "namesrv",
        "proxy",
    }
)
"""kinds of logs"""
OF_SERVERS_AND_REMOTING = OF_SERVERS | {"remoting"}
ONCE_A_PROCESS = "harmless-first-reflection"
"""event of a line that a JVM writes once in its life"""
_STARTED, _CLOSED = "start-succeeded", "channel-closed"
"""kinds of events; who closes a connection, and why, no line of a moment shows"""
NamedAction = tuple[str, Mapping[str, str | None]]
"""an action of knowledge/actions.toml, with names for its sentences"""


def limits_of_logs(given: GivenLimits) -> Limits:
    """The limits of the rule of symptoms, with those of the configuration over them."""
    return {**RULE.limits, **given.get(RULE.name, {})}


def open_in_logs(report: Report, logs: LogsFacts, limits: Limits) -> Iterator[Open]:
    """Why the logs do not prove that all is well; nothing when they do."""
    yield from _of_unknown_forms(report, logs, limits)
    yield from _of_unread_pauses(logs)
    yield from _of_other_clients(report, logs)
    yield from _of_level_lines(report, logs, limits)
    yield from _started_again(logs)
    yield from _excerpt(report, logs, limits)


def talked_down(report: Report, logs: LogsFacts, given: GivenLimits) -> tuple[str, ...]:
    """The rule of symptoms, where its limits in the configuration leave less open than those of its card."""
    if RULE.name not in given:
        return ()
    own, left = (len([*open_in_logs(report, logs, limits_of_logs(limits))]) for limits in (NONE_GIVEN, given))
    return (RULE.name,) if left < own else ()


def _of_unknown_forms(report: Report, logs: LogsFacts, limits: Limits) -> Iterator[Open]:
    """Logs whose lines mqdiag cannot read, or cannot read as lines of a level."""
    told = _others_tell(report, logs)
    unknown = [
        file
        for file in logs.files
        if file.kind == "application"
        and not file.is_understood
        and not (told and _is_read(file, limits))
        and not _of_own_program(logs)
    ]
    if unknown:
        yield Open(
            say(
                "mqdiag understood no line of {path}{more}.",
                path=unknown[0].path,
                more=say(" and of {others:count} {others:other log|other logs}", others=len(unknown) - 1)
                if len(unknown) > 1
                else NOTHING,
            ),
            *_own_log(logs, report),
        )
    # a record in JSON has no line end of its own
    one_line = [file for file in logs.files if file.lines <= 1 and file.bytes >= limits["line_bytes"]]
    joined = [file for file in one_line if not file.format.startswith("json")]
    if joined:
        yield Open(
            say("{path} has lost its line ends, so mqdiag cannot tell its lines apart.", path=joined[0].path),
            "same_file",
            {"path": joined[0].path},
        )
    untold = [file for file in logs.files if file.untold_lines]
    if untold:
        yield Open(
            say(
                "{lines:count} {lines:line|lines} of {path} {lines:is|are} of no form that mqdiag knows.",
                lines=untold[0].untold_lines,
                path=untold[0].path,
            ),
            *_own_log(logs, report),
        )
    strange = [file for file in logs.files if file.kind == "application" and _is_strange(file, limits)]
    if strange and not unknown:
        yield Open(
            say(
                "mqdiag knows the level of {known:percent} of the first lines of {path}: it does not know whether the"
                " others are errors.",
                path=strange[0].path,
                known=strange[0].known_heads,
            ),
            *_own_log(logs, report),
        )


def _of_unread_pauses(logs: LogsFacts) -> Iterator[Open]:
    unread = [gc for gc in logs.gc if gc.unread > gc.collections]
    if unread:
        yield Open(
            say(
                "{path} has {lines:count} {lines:pause|pauses} of a collector in a form that mqdiag cannot read.",
                path=unread[0].path,
                lines=unread[0].unread,
            ),
            "log_of_collections",
        )


def _of_other_clients(report: Report, logs: LogsFacts) -> Iterator[Open]:
    """Clients in other languages, whose lines are known where the catalogue has all of them."""
    lines = logs.level_lines
    told = lines is not None and not lines.not_understood and bool(lines.harmless or lines.passing)
    unknown_clients = [one for one in logs.other_clients if not (told and one in OF_CATALOGUE)]
    if unknown_clients:
        yield Open(
            say(
                "mqdiag judges logs of the Java client; lines of the {clients:and} client are counted and not"
                " understood.",
                clients=tuple(unknown_clients),
            ),
            *_other_side(logs, report),
        )


def _of_level_lines(report: Report, logs: LogsFacts, limits: Limits) -> Iterator[Open]:
    """Warnings and errors that mqdiag does not know to be harmless."""
    lines = logs.level_lines
    if lines is None or lines.all_harmless:
        return
    if lines.not_understood:
        from mqdiag.facts.unjudged_lines import unjudged_lines

        yield Open(unjudged_lines(lines, 0), *_other_side(logs, report))
    if lines.unseen:
        yield Open(
            say(
                (
                    "{lines:count} {lines:line|lines} at WARN or ERROR came in floods and were counted like the lines"
                    " near them."
                ),
                lines=lines.unseen,
            ),
            "take_stacks",
        )
    if is_over(report, lines, limits):
        return
    judged = {found.rule for found in report.findings}
    # the first signs of what a finding leads to are judged with it
    judged.update(*(card.leads_to for card in report.rule_cards if card.name in judged))
    weak = {rule: count for rule, count in lines.weak.items() if rule not in judged}
    if weak and not any(found.cause == "connections-ended" for found in report.findings):
        yield Open(_weak(weak), *_other_side(logs, report))


def is_over(report: Report, lines: LevelLineFacts, limits: Limits) -> bool:
    """Whether what the symptoms tell of has passed, as after the restart of a broker.

    The logs go on without them, and each group of the process whose threads were judged consumes: by its own log, and
    by mqadmin at this moment. A send that was given up stays lost.
    """
    logs, stacks, admin = report.logs, report.stacks, report.admin
    if lines.quiet_s is None or lines.quiet_s < limits["quiet_s"] or lines.unseen:
        return False
    if logs is None or stacks is None or not stacks.judged or admin is None or events(logs, "send-given-up"):
        return False
    own = {pool.group for pool in stacks.pools} - {None}
    logged = {row.group for event in events(logs, "messages-consumed") for row in event.subjects}
    return bool(own) and own <= logged & {group.group for group in admin.groups if group.consume_tps}


def _others_tell(report: Report, logs: LogsFacts) -> bool:
    """Whether other evidence shows how the process is: its objects, a series of its threads, or RocketMQ's own log."""
    heap, stacks = report.heap, report.stacks
    return (
        (heap is not None and heap.process_queues is not None)
        or (stacks is not None and stacks.judged and stacks.pasted is None)
        or any(file.kind != "application" and file.is_understood for file in logs.files)
    )


def _is_read(file: LogFile, limits: Limits) -> bool:
    """Whether a log of an application has times and known levels: what it says at INFO is its own business."""
    return file.first is not None and file.known_heads is not None and file.known_heads >= limits["read_share"]


def _is_strange(file: LogFile, limits: Limits) -> bool:
    """Whether most of a log's lines are of no known layout, so that one line in order does not speak for them."""
    share, known = file.known_heads, limits["known_share"]
    return share is not None and share < known and file.lines >= EXCERPT_LINES


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


def _own_log(logs: LogsFacts, report: Report) -> NamedAction:
    """RocketMQ's own log of the process; where one is there, the log of the other side."""
    if logs.other_clients or any(file.kind != "application" for file in logs.files):
        return _other_side(logs, report)
    return "own_log", NO_NAMES


def _other_side(logs: LogsFacts, report: Report) -> NamedAction:
    """What to add: the logs that show the same time from the other side; threads where both sides are there."""
    kinds = {file.kind for file in logs.files}
    if any(event.kind in OF_GRPC_CLIENTS for event in logs.events) and "proxy" not in kinds:
        return "logs_of_proxy", NO_NAMES
    if (kinds and kinds <= OF_RAFT_MEMBERS) or _only_of_raft(logs):
        return "logs_of_members", NO_NAMES
    of_servers = not kinds.isdisjoint(OF_SERVERS)
    if of_servers and "client" in kinds:
        threads = report.stacks is not None and report.stacks.judged
        return ("take_heap" if threads else "take_stacks"), NO_NAMES
    if of_servers:
        return "logs_of_clients", {"group": _only(logs.events, "group")}
    return "logs_of_broker", {"broker": _only(logs.events, "broker")}


def _only(events: Iterable[LogEvent], name: Literal["group", "broker"]) -> str | None:
    """The one group or broker that lines name; None where they name several."""
    found = {getattr(subject, name) for event in events for subject in event.subjects} - {None}
    return found.pop() if len(found) == 1 else None


def _only_of_raft(logs: LogsFacts) -> bool:
    """Whether all known lines are of a Raft group; a short log of SOFAJRaft does not tell its kind."""
    return bool(logs.events) and all(event.kind.startswith("raft-") for event in logs.events)


def _started_again(logs: LogsFacts) -> Iterator[Open]:
    """What a JVM says once in its life stands several times, and nothing shows that it came up in the end."""
    starts = sum(event.count for event in events(logs, ONCE_A_PROCESS))
    if starts > 1 and not events(logs, _STARTED):
        yield Open(
            say(
                "The lines are harmless, but a JVM writes the first of them once, and it is there {starts:count} times:"
                " something was started again, and the lines do not show why.",
                starts=starts,
            ),
            "whole_logs",
        )


def _excerpt(report: Report, logs: LogsFacts, limits: Limits) -> Iterator[Open]:
    """A few lines that somebody cut out show that something was, and not how long."""
    lines = logs.level_lines
    known_lines = sum(file.event_lines or 0 for file in logs.files)
    understood = known_lines >= limits["fewest_lines"]
    fewest = limits["fewest_lines"] if understood else limits["fewest_unknown_lines"]
    # a JVM's warnings and a shell's words have no level
    known = any(file.harmless_lines for file in logs.files) or (
        lines is not None and bool(lines.harmless or lines.passing)
    )
    if logs.lines == 1 and known:
        why = logs.harmless[0].why if logs.harmless else NOTHING
        yield Open(
            say("One log line that is known to be harmless proves nothing. {why}", why=why), "whole_logs"
        )
    elif (
        (0 < logs.lines < fewest * max(len(logs.files), 1) and not known)
        or (known and _beside_harmless(logs, limits))
        or _of_one_moment(logs, limits)
    ):
        yield Open(
            say(
                "An excerpt of {lines:count} log {lines:line|lines} without a known warning or error proves nothing.",
                lines=logs.lines,
            ),
            "whole_logs",
        )
    for found in report.findings:
        own_lines = sum(file.lines for file in logs.files if file.path in found.rests_on) or logs.lines
        if "logs" in found.seen_in and not found.undecides and 0 < own_lines < EXCERPT_LINES:
            yield Open(
                say(
                    "An excerpt of {lines:count} log {lines:line|lines} does not show how long it was: {title}.",
                    lines=own_lines,
                    title=found.title,
                ),
                "whole_logs",
            )
            return


def _of_own_program(logs: LogsFacts) -> bool:
    """Whether the only warnings are harmless lines that show whose log it is, such as those of RocketMQ's console."""
    lines = logs.level_lines
    if lines is None or not lines.all_harmless or not logs.is_excerpt:
        return False
    kinds = {event.kind for event in logs.events}
    return bool(kinds) and kinds <= why_harmless().keys() - harmless_of_any_program()


def _beside_harmless(logs: LogsFacts, limits: Limits) -> bool:
    """Whether an excerpt of a program that mqdiag does not know has harmless lines among more that tell nothing."""
    return (
        logs.is_excerpt
        and bool(logs.events)
        and {event.kind for event in logs.events} - {_STARTED} <= harmless_of_any_program()
        and any(
            file.kind == "application" and 0 < file.event_lines < file.lines - limits["fewest_lines"]
            for file in logs.files
        )
    )


def _of_one_moment(logs: LogsFacts, limits: Limits) -> bool:
    """Whether logs of RocketMQ have lines of one moment, some at INFO, and no event but harmless ones.

    An excerpt may be the beginning of a start that failed, or the end of a client that fails. Settings that a broker
    prints are the beginning of a start, however many there are.
    """
    if logs.settings and not logs.events:
        return all(seconds_between(file.first, file.last) <= limits["moment_s"] for file in logs.files)
    lines = logs.level_lines
    loud = 0 if lines is None else lines.harmless + sum(lines.passing.values())
    return (
        logs.is_excerpt
        and {event.kind for event in logs.events} - {_CLOSED} <= why_harmless().keys()
        and any(
            file.kind in OF_SERVERS_AND_REMOTING
            and max(loud, file.harmless_lines) < file.first_records
            and (file.event_lines or file.first_records < limits["fewest_unknown_lines"])
            and seconds_between(file.first, file.last) <= limits["moment_s"]
            for file in logs.files
        )
    )
