"""A paste with everything in it, taken apart: log lines, thread dumps, answers of mqadmin, a crash report, whole files.

Only short texts are taken apart. A long one is a file of its own, and its readers know what may stand in it.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.admin.recognise import begins_answer, is_admin_output
from mqdiag.read.crash.recognise import is_crash_report
from mqdiag.read.logs.levels import ANY
from mqdiag.read.services.host_tables import begins_host_table, is_host_table
from mqdiag.read.stacks import patterns
from mqdiag.read.stacks.header import is_header
from mqdiag.read.stacks.thread_info import begins as begins_thread

MAX_BYTES = 1 << 20
"""size of a paste; looking at every line of larger files would cost more than reading them"""
LEAST_RECORDS = 2
"""lines that begin like a record of a log, beside an answer of mqadmin; beside that of a host one is enough"""
LOG, STACKS, ADMIN, CRASH = "log lines", "thread dumps", "mqadmin output", "crash report"
SETTINGS = "settings of a broker"
HOST = "disks and memory"
_FILE = lazy_pattern(
    # head and tail print "==> broker.log <=="; people write ---- store.log ----
    r"(?:==> (?P<tail>[^<>\n]{1,300}) <=="
    r"|[-=#*>]{2,}[ \t]*(?P<typed>[\w./\\:@#-]{1,200}\.(?:log|txt|out|gc|err)(?:\.\w+)?)"
    r"[ \t]*[-=#*<:]{0,80})\s*$"
)
_RECORD = lazy_pattern(
    r"[\[(<]?(?:\d{2,4}[-/](?:\d\d|[A-Z][a-z]{2})[-/]\d{2,4}[T ,]|[A-Z][a-z]{2} [ \d]\d )?\d\d:\d\d:\d\d.{0,160}?"
    r"\b" + ANY + r"\b"
)
_EXCEPTION = lazy_pattern(
    r".{0,300}\b(?:CODE: \d{1,5} {1,3}DESC: |rocketmq\.client\.exception\.MQ\w{1,40}Exception: Send \[)"
)
"""what the client's exception tells of a refusal or of a send that failed, which people paste without its record"""
_BARE_EXCEPTION = lazy_pattern(r"(?:[a-z]\w{1,20}\.){1,4}rocketmq\.\w{2,20}\.exception\.\w{2,60}Exception: ")
"""any of RocketMQ's own with its stack, above an answer; below its command, mqadmin printed it"""
_CELLS = lazy_pattern(r"\S.*\s{2}.*CODE: |.*\s{2}-?\d{1,19}(?:\s|$)")
"""a row of a table: brokers, clusters and instances may have the text of an exception for a name"""
_DATE_ALONE = lazy_pattern(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\s*$")
_CRASH_PART = lazy_pattern(
    r"-{10,}  (?:S U M M A R Y|T H R E A D|P R O C E S S|S Y S T E M) |Java Threads: \( => "
)


_SETTING = lazy_pattern(r"\s*(?:#|[A-Za-z]\w{1,80} ?= ?\S{0,1000}\s*$|$)")
"""a line of broker.conf, which start scripts print in front of what the broker says"""
_OF_A_BROKER = lazy_pattern(r"\s*(?:brokerClusterName|brokerRole) ?= ?\S")


class Part(msgspec.Struct, frozen=True):
    """What a paste has of one kind, or of one file that it names."""

    name: str
    text: str


def parts_of(text: str, *, has_answers: bool | None = None) -> list[Part]:
    """The parts of a paste; none where it is of one kind, or where one reader understands all of it.

    Args:
        text: all of it.
        has_answers: whether it holds what mqadmin prints; None where nobody has looked yet.
    """
    named = _names_files(text)
    of_host = is_host_table(text)
    if not named and not of_host and not (is_admin_output(text) if has_answers is None else has_answers):
        # logs may hold thread dumps and the head of a crash report, and are read for each
        return []
    parts: dict[str, list[str]] = {}
    records = exceptions = 0
    for name, line in _assigned(text):
        parts.setdefault(name, []).append(line)
        if name == LOG:
            records += _RECORD.match(line) is not None
            exceptions += (_EXCEPTION.match(line) or _BARE_EXCEPTION.match(line)) is not None
    has_settings = SETTINGS in parts and any(map(str.strip, parts.get(LOG, ())))
    is_admin = parts.keys() <= {ADMIN, LOG, SETTINGS, HOST} and not has_settings
    least = 1 if HOST in parts else LEAST_RECORDS
    if not named and records < least and not exceptions and is_admin:
        return []
    found = [Part(name, "\n".join(lines) + "\n") for name, lines in parts.items() if any(map(str.strip, lines))]
    return found if len(found) > 1 or named else []


def _names_files(text: str) -> bool:
    """Whether lines such as `==> broker.log <==` say which files a paste is made of."""
    return any(map(_FILE.match, _lines(text)))


def _assigned(text: str) -> Iterator[tuple[str, str]]:
    """Each line with the part that it belongs to."""
    lines = _lines(text)
    file: str | None = None
    name: str | None = None
    waiting: list[str] = []
    for place, line in enumerate(lines):
        header = _FILE.match(line)
        if header is not None:
            file = (header["tail"] or header["typed"]).strip()
            continue
        begun = file or _begun(lines, place, name)
        if begun is not None:
            filled = [before for before in waiting if before.strip()]
            if begun == SETTINGS and name is None and filled and all(map(_BARE_EXCEPTION.match, filled)):
                begun = ADMIN  # an exception without its record does not tell what was asked
            elif begun == SETTINGS and name is None:
                name = LOG
                for before in waiting:
                    # settings above the first that tells whose they are
                    yield (SETTINGS if _SETTING.match(before) else LOG), before
                waiting = []
            elif begun == HOST and name is None:
                for before in waiting:
                    yield LOG, before  # a table of the host begins with its heading
                waiting = []
            name = begun
        if name is None:
            waiting.append(line)
            continue
        for before in waiting:
            yield name, before
        waiting = []
        yield name, line
    for before in waiting:
        yield LOG, before


def _begun(lines: list[str], place: int, current: str | None) -> str | None:
    """The kind of evidence that begins with a line; None where the line goes on with what is there."""
    line = lines[place]
    following = lines[place + 1] if place + 1 < len(lines) else ""
    if is_crash_report(line) or _CRASH_PART.match(line):
        return CRASH
    if patterns.DUMP_MARK in line or line.startswith(patterns.DEADLOCK_MARK) or _is_thread(line, following):
        return STACKS
    if _DATE_ALONE.match(line) and patterns.DUMP_MARK in following:
        return STACKS
    if begins_host_table(line):
        return HOST
    if current == HOST and place and not lines[place - 1].strip():
        return LOG
    refused = _EXCEPTION.match(line) and not (current == ADMIN and _CELLS.match(line))
    if _RECORD.match(line) or refused or (current is None and _is_exception(line, following)):
        return LOG
    if current in (None, LOG, SETTINGS):
        if _OF_A_BROKER.match(line):
            return SETTINGS
        if current == SETTINGS and not _SETTING.match(line):
            return LOG
    if begins_answer(line, by_counters=current != CRASH):
        return ADMIN
    if patterns.MAT_MARK.match(following) and line and not line[0].isspace():
        return STACKS
    return None


def _is_exception(line: str, following: str) -> bool:
    return _BARE_EXCEPTION.match(line) is not None and following.lstrip().startswith("at ")


def _is_thread(line: str, following: str) -> bool:
    return line.startswith('"') and (
        is_header(line[1:]) or begins_thread(line[1:]) or following.lstrip().startswith(patterns.STATE_MARK)
    )


def _lines(text: str) -> list[str]:
    return text.split("\n")
