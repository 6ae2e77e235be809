"""Which of these texts one is, and its facts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

import msgspec

from mqdiag.facts.services import DatabaseSession, ServicesFacts
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.services.access_log import is_access_log, read_access_log
from mqdiag.read.services.host_tables import is_host_table, read_host_tables
from mqdiag.read.services.mysql import begins_mysql, is_mysql_log, read_mysql
from mqdiag.read.services.postgresql import is_postgresql_log, read_postgresql
from mqdiag.read.services.redis_slowlog import is_slowlog, read_slowlog
from mqdiag.read.services.sessions import is_sessions, joined, read_sessions
from mqdiag.read.services.sockets import is_sockets, read_connections, read_sockets
from mqdiag.read.services.tables import begins_table
from mqdiag.text import Text, say

ServiceText = Literal[
    "PostgreSQL log",
    "MySQL log",
    "database sessions",
    "sockets",
    "access log",
    "disks and memory",
    "Redis slow log",
]
SAMPLE_LINES = 60
TITLE_LINES = 8
"""that may stand above a table"""
_WORDS = (
    b":  ", b"_addr", b"Address", b"pid", b"Id", b"InnoDB", b"INNODB", b"MySQL", b'HTTP/', b"upstream", b"waiting_pid",
    b"trx_", b"[Note]", b"[System]", b"[Warning]", b"Mounted on", b"buff/cache", b"load average", b"(integer)",
)  # fmt: skip
_PLAIN_SLOWLOG = lazy_pattern(rb"\s*\d{1,12}\r?\n\d{9,10}\r?\n\d{1,15}\r?\n")


def may_be_one(head: bytes) -> bool:
    """Whether the beginning of a text has what one of these has, so that most others are told apart by a search."""
    return any(word in head for word in _WORDS) or _PLAIN_SLOWLOG.match(head) is not None


def kind_of(text: str) -> ServiceText | None:
    """What a text is, by its beginning; None where it is none of these."""
    lines = text.split("\n")[:SAMPLE_LINES]
    if begins_mysql(lines):
        return "MySQL log"
    if _begins_with_table(lines) and is_sessions(lines):
        return "database sessions"
    if is_postgresql_log(lines[:-1] or lines):
        return "PostgreSQL log"
    if is_access_log(lines[:-1] or lines):
        return "access log"
    if is_sockets(text):
        return "sockets"
    if is_sessions(lines):
        return "database sessions"
    if is_mysql_log(text):
        return "MySQL log"
    if is_host_table(text):
        return "disks and memory"
    return "Redis slow log" if is_slowlog(lines) else None


def _begins_with_table(lines: Sequence[str]) -> bool:
    """Whether a table begins below a title or a prompt: what its statements look like does not count then."""
    given = [line for line in lines if line.strip()]
    for place, line in enumerate(given[:TITLE_LINES]):
        if begins_table(given[place : place + 2]):
            return True
        if line.startswith("\t") or is_postgresql_log([line]) or is_access_log([line]):
            return False
    return False


class Told(NamedTuple):
    """What one text says."""

    facts: ServicesFacts
    problem: Text | None = None
    """why not all of it could be read"""
    may_be_quoted: bool = False
    """lines of it may stand in a statement or value that a user wrote, and hide others"""


def read_services(source: str, kind: ServiceText, lines: Iterable[str]) -> Told:
    """The facts of one text."""
    if kind == "sockets":
        table = list(lines)
        return Told(
            ServicesFacts(
                sockets=tuple(read_sockets(source, table)), connections=tuple(read_connections(source, table))
            )
        )
    if kind == "disks and memory":
        return Told(ServicesFacts(figures=tuple(read_host_tables(source, "\n".join(lines)))))
    if kind == "Redis slow log":
        return Told(ServicesFacts(slow_commands=tuple(read_slowlog(source, list(lines)))))
    if kind == "access log":
        return Told(ServicesFacts(upstreams=tuple(read_access_log(source, lines))))
    if kind == "database sessions":
        answer = read_sessions(source, list(lines))
        unread = say("{count:count} {count:row|rows} of sessions could not be read", count=answer.unread)
        facts = ServicesFacts(sessions=answer.sessions)
        return Told(facts, unread if answer.unread else None, answer.may_be_quoted)
    log = read_postgresql(source, lines) if kind == "PostgreSQL log" else read_mysql(source, lines)
    facts = ServicesFacts(
        sessions=log.sessions,
        lock_waits=log.waits,
        database_events=log.events,
        database_log_ends={} if log.last is None else {source: log.last},
    )
    return Told(facts, may_be_quoted=log.may_be_quoted)


def together(parts: Sequence[ServicesFacts]) -> ServicesFacts:
    """What several texts say; one session in several of them is joined."""
    sessions: dict[tuple[str, int], DatabaseSession] = {}
    # an answer of the database says more of a session than its log
    for session in sorted((one for part in parts for one in part.sessions), key=lambda one: one.does is None):
        key = (session.server, session.pid)
        sessions[key] = joined(sessions[key], session) if key in sessions else session
    ends: dict[str, str] = {}
    for part in parts:
        ends |= part.database_log_ends
    return msgspec.structs.replace(
        ServicesFacts(),
        sessions=tuple(sessions.values()),
        lock_waits=tuple(one for part in parts for one in part.lock_waits),
        database_events=tuple(one for part in parts for one in part.database_events),
        database_log_ends=ends,
        sockets=tuple(dict.fromkeys(one for part in parts for one in part.sockets)),
        upstreams=tuple(one for part in parts for one in part.upstreams),
        figures=tuple(one for part in parts for one in part.figures),
        connections=tuple(one for part in parts for one in part.connections),
        slow_commands=tuple(one for part in parts for one in part.slow_commands),
    )
