"""The log of PostgreSQL: plain with any log_line_prefix, as CSV or as JSON.

Source of the texts: src/backend/storage/lmgr/proc.c (waits), deadlock.c, src/backend/tcop/postgres.c (timeouts,
connections), src/backend/postmaster/postmaster.c, and "Error Reporting and Logging" of the manual for columns and
escapes of the prefix.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from mqdiag.facts.services import DatabaseEventKind, DatabaseSession, LockWait
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.services.database_log import LONGEST_STATEMENT, DatabaseLog
from mqdiag.read.services.durations import moment

LONGEST_LINE = 64 << 10
MOST_LINES = 200
"""lines of a record of CSV that are kept"""
_LEVELS = r"(?:DEBUG\d?|INFO|NOTICE|WARNING|LOG|ERROR|FATAL|PANIC|DETAIL|HINT|QUERY|CONTEXT|LOCATION|STATEMENT)"
_LINE = lazy_pattern(rf"(.{{0,300}}?)\b({_LEVELS}):  (.*)$")
_CONTINUED = lazy_pattern(r"(?:\S+ +\| )?(?:\S+ )?(?:std(?:out|err) [FP] )?\t|.*\[\d+-\d+\] #011")
"""what begins a further line of a record: a tab behind what a container adds; syslog writes it as #011"""
_TIME = lazy_pattern(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?(?: (?:UTC|GMT|[+-]\d\d(?::?\d\d)?))?")
_PID = lazy_pattern(r"\[(\d{1,10})(?:-\d{1,10})?\]|\bpid=(\d{1,10})|\bp=(\d{1,10})")
_BARE_PID = lazy_pattern(r"\s(\d{2,10})[ :]")
_CLIENT = lazy_pattern(r"(?:client=|host=|h=)?([\w.:-]{1,255}|\[local\])\((\d{1,5})\)")
_USER = lazy_pattern(r"\b(?:user|u)=([^,\s]{1,63})")
_DATABASE = lazy_pattern(r"\b(?:db|database|d)=([^,\s]{1,63})")
_APPLICATION = lazy_pattern(
    r"\b(?:app|application|application_name|a)=([^,\]]{1,63}?)(?:,|\s(?:client|host|h)=|\s*$|\])"
)
_USER_AT_DATABASE = lazy_pattern(r"(?:^|\s)([\w.-]{1,63})@([\w.-]{1,63})\b")
_RECEIVED = lazy_pattern(r"connection received: host=(\S{1,255}) port=(\d{1,5})")
_AUTHORIZED = lazy_pattern(
    r"connection authorized: user=(\S{1,63})(?: database=(\S{1,63}))?(?: application_name=(.{1,63}))?"
)
_WAITING = lazy_pattern(
    r"process (\d{1,10}) (still waiting for|acquired|avoided deadlock for|detected deadlock while waiting for)"
    r" (\w{1,40}) on (.{1,200}?) after (\d{1,12}(?:\.\d{1,6})?) ms$"
)
_HOLDERS = lazy_pattern(r"Process(?:es)? holding the lock: ([\d, ]{1,2000})\.")
_RELATION = lazy_pattern(r'in relation "([^"]{1,200})"')
_EVENTS: tuple[tuple[str, DatabaseEventKind], ...] = (
    ("deadlock detected", "deadlocked"),
    ("canceling statement due to lock timeout", "lock-timeout"),
    ("canceling statement due to statement timeout", "statement-timeout"),
    ("terminating connection due to idle-in-transaction timeout", "idle-timeout"),
    ("sorry, too many clients already", "too-many-connections"),
    ("remaining connection slots are reserved", "too-many-connections"),
    ("too many connections for", "too-many-connections"),
    ("terminating connection due to administrator command", "ended-by-operator"),
    ("could not receive data from client", "client-lost"),
    ("unexpected EOF on client connection", "client-lost"),
)
_COLUMNS_OF_CSV = 23
"""the fewest of any version; the first 19 are the same in all: time, user, database, pid, client, ..."""
_FEWEST_LINES = 2


class _Record(NamedTuple):
    """A line of the log, whatever its form; what it does not have is None."""

    time: str | None
    pid: int | None
    level: str
    text: str
    user: str | None = None
    database: str | None = None
    application: str | None = None
    host: str | None = None
    port: int | None = None
    detail: str | None = None
    context: str | None = None
    statement: str | None = None


def is_postgresql_log(lines: Iterable[str]) -> bool:
    """Whether lines are of such a log: most that begin a record have a level of PostgreSQL in its place."""
    heads = [line for line in lines if line[:1].strip()]
    known = sum(_record_of(line) is not None for line in heads)
    return known >= min(_FEWEST_LINES, len(heads) or 1) and known * 2 >= len(heads)


def read_postgresql(source: str, lines: Iterable[str]) -> DatabaseLog:
    """The sessions, waits and events of a log."""
    log = DatabaseLog("PostgreSQL", source)
    last_pid: int | None = None
    event: DatabaseEventKind | None = None
    for record in _records(lines):
        pid = record.pid if record.pid is not None else last_pid
        if record.level == "STATEMENT" and pid is not None:
            log.about_wait(pid, statement=record.text[:LONGEST_STATEMENT])
            if event is not None:
                log.about_event(event, record.text)
            continue
        if record.level in ("DETAIL", "CONTEXT") and pid is not None:
            _below(log, pid, record.text)
            continue
        log.last = record.time or log.last
        last_pid, event = pid, _of_record(log, record, pid)
        for more in (record.detail, record.context):
            if more and pid is not None:
                _below(log, pid, more)
        if record.statement and pid is not None:
            log.about_wait(pid, statement=record.statement[:LONGEST_STATEMENT])
    return log


def _of_record(log: DatabaseLog, record: _Record, pid: int | None) -> DatabaseEventKind | None:
    """Note what a line says; the kind of event that it is."""
    text = record.text
    if pid is not None:
        if text.startswith("disconnection:"):
            log.gone(pid)
            return None
        log.session(_session(log, record, pid))
    waiting = _WAITING.match(text) if record.level == "LOG" else None
    if waiting:
        log.wait(
            LockWait(
                server="PostgreSQL",
                waiter=int(waiting[1]),
                source=log.source,
                mode=waiting[3],
                of=waiting[4],
                waited_ms=float(waiting[5]),
                first=record.time,
                last=record.time,
                ended=waiting[2] == "acquired",
            )
        )
        return None
    for words, kind in _EVENTS:
        if text.startswith(words):
            log.event(kind, pid, record.statement)
            if kind in ("deadlocked", "lock-timeout", "statement-timeout") and pid is not None:
                log.about_wait(pid, ended=True)
            return kind
    return None


def _session(log: DatabaseLog, record: _Record, pid: int) -> DatabaseSession:
    user, database, application = record.user, record.database, record.application
    host, port = record.host, record.port
    received = _RECEIVED.match(record.text)
    if received:
        host, port = received[1], int(received[2])
    authorized = _AUTHORIZED.match(record.text)
    if authorized:
        user, database = authorized[1], authorized[2] or database
        application = authorized[3] or application
    return DatabaseSession(
        server="PostgreSQL",
        pid=pid,
        source=log.source,
        user=_told(user),
        database=_told(database),
        application=_told(application),
        client=_told(host),
        client_port=port,
    )


def _below(log: DatabaseLog, pid: int, text: str) -> None:
    """A line below a record: who holds the lock, of what it is, or the circle of a deadlock."""
    holders = _HOLDERS.match(text)
    if holders:
        log.about_wait(pid, holders=tuple(int(one) for one in holders[1].replace(",", " ").split()[:50]))
        return
    relation = _RELATION.search(text)
    if relation and text.startswith("while ") and len(text) < LONGEST_STATEMENT:
        log.about_wait(pid, of=relation[1])


def _records(lines: Iterable[str]) -> Iterator[_Record]:
    pending: list[str] = []
    """lines of a CSV record whose quotation is open"""
    for line in lines:
        turns = line.count('"') % 2 == 1
        line = line.rstrip("\r\n")[:LONGEST_LINE]
        if pending:
            if not turns:
                pending += [line] if len(pending) < MOST_LINES else []
                continue
            line, pending = "\n".join((*pending, line)), []
        elif turns and _TIME.match(line) and ',"' in line[:200]:
            pending = [line]
            continue
        record = _record_of(line)
        if record is not None:
            yield record


def _record_of(line: str) -> _Record | None:
    if line.startswith("{"):
        return _of_json(line)
    if _TIME.match(line) and line.count(",") >= _COLUMNS_OF_CSV - 1 and "," in line[:40]:
        return _of_csv(line)
    found = _LINE.match(line)
    if found is None:
        return None
    head = found[1]
    if _CONTINUED.match(head):
        return None  # a further line of the record above
    time, client = _TIME.search(head), _CLIENT.search(head)
    behind = head[time.end() :] if time else head
    pid = _PID.search(behind) or _BARE_PID.search(behind) or _PID.search(head)
    user, database = _USER.search(head), _DATABASE.search(head)
    at = _USER_AT_DATABASE.search(head) if user is None else None
    application = _APPLICATION.search(head)
    if time is None and pid is None and head.strip():
        return None  # prose with a level in it
    return _Record(
        time=_instant(time[0] if time else None),
        pid=next((int(number) for number in pid.groups() if number), None) if pid else None,
        level=found[2],
        text=found[3],
        user=user[1] if user else at[1] if at else None,
        database=database[1] if database else at[2] if at else None,
        application=application[1].strip() if application else None,
        host=client[1] if client else None,
        port=int(client[2]) if client else None,
    )


def _of_csv(line: str) -> _Record | None:
    try:
        cells = next(csv.reader(line.splitlines(keepends=True)), [])
    except csv.Error:
        return None
    if len(cells) < _COLUMNS_OF_CSV or not cells[3].isdigit():
        return None
    host, _, port = cells[4].rpartition(":")
    return _Record(
        time=_instant(cells[0]),
        pid=int(cells[3][:10]),
        level=cells[11],
        text=cells[13],
        user=cells[1],
        database=cells[2],
        application=cells[22],
        host=host or cells[4],
        port=int(port) if port.isdigit() and len(port) <= 5 else None,
        detail=cells[14],
        context=cells[18],
        statement=cells[19],
    )


def _of_json(line: str) -> _Record | None:
    if '"error_severity"' not in line:
        return None
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(row, dict) or not isinstance(row.get("pid"), int):
        return None
    text = {name: value for name, value in row.items() if isinstance(value, str)}
    port = row.get("remote_port")
    return _Record(
        time=_instant(text.get("timestamp")),
        pid=row["pid"],
        level=text.get("error_severity", ""),
        text=text.get("message", ""),
        user=text.get("user"),
        database=text.get("dbname"),
        application=text.get("application_name"),
        host=text.get("remote_host"),
        port=port if isinstance(port, int) else None,
        detail=text.get("detail"),
        context=text.get("context"),
        statement=text.get("statement"),
    )


def _instant(text: str | None) -> str | None:
    at = moment(None if text is None else text.replace(" GMT", "+00:00"))
    return None if at is None else at.isoformat()


def _told(text: str | None) -> str | None:
    return text if text and text not in ("[unknown]", "[local]") else None
