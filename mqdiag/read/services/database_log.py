"""What the logs of all databases come to: sessions, waits for locks, and events, each of bounded number."""

from __future__ import annotations

from collections import defaultdict

import msgspec

from mqdiag.facts.services import DatabaseEvent, DatabaseEventKind, DatabaseKind, DatabaseSession, LockWait
from mqdiag.read.services.sessions import joined

MOST = 20_000
"""sessions, and waits, that one log is remembered by"""
MOST_NAMED = 20
LONGEST_STATEMENT = 400


class DatabaseLog:
    """One log while it is read."""

    def __init__(self, server: DatabaseKind, source: str) -> None:
        self.server: DatabaseKind = server
        self.source = source
        self.last: str | None = None
        """time of the last line"""
        self.may_be_quoted = False
        """the text does not tell its lines from those of a statement"""
        self._sessions: dict[int, DatabaseSession] = {}
        self._waits: dict[tuple[int, str | None], LockWait] = {}
        self._events: dict[DatabaseEventKind, DatabaseEvent] = {}
        self._of_event: dict[DatabaseEventKind, dict[int, None]] = defaultdict(dict)

    def session(self, session: DatabaseSession) -> None:
        """A session by one line."""
        known = self._sessions.get(session.pid)
        if known is not None:
            self._sessions[session.pid] = joined(session, known)
        elif len(self._sessions) < MOST:
            self._sessions[session.pid] = session

    def gone(self, pid: int) -> None:
        """The session ended, and waits for nothing any more."""
        self._sessions.pop(pid, None)
        for key in [key for key in self._waits if key[0] == pid]:
            self._waits[key] = msgspec.structs.replace(self._waits[key], ended=True)

    def wait(self, wait: LockWait) -> None:
        """A wait by one line; a later line of it has its newer length."""
        key = (wait.waiter, wait.of)
        known = self._waits.get(key)
        if known is not None and not known.ended:
            wait = msgspec.structs.replace(
                wait,
                first=known.first,
                holders=wait.holders or known.holders,
                statement=wait.statement or known.statement,
            )
        if known is not None or len(self._waits) < MOST:
            self._waits[key] = wait

    def about_wait(self, pid: int, **more: object) -> None:
        """What a line below that of a wait adds to it."""
        keys = [key for key in reversed(self._waits) if key[0] == pid]
        if keys:
            self._waits[keys[0]] = msgspec.structs.replace(self._waits[keys[0]], **more)

    def event(self, kind: DatabaseEventKind, pid: int | None, statement: str | None = None) -> None:
        """A line that tells of trouble, at the time of the last line."""
        sessions = self._of_event[kind]
        if pid is not None and len(sessions) < MOST_NAMED:
            sessions[pid] = None
        known = self._events.get(kind)
        self._events[kind] = DatabaseEvent(
            server=self.server,
            kind=kind,
            lines=1 + (known.lines if known else 0),
            first=known.first if known else self.last,
            last=self.last,
            source=self.source,
            sessions=tuple(sessions),
            statement=(known.statement if known else None) or (statement and statement[:LONGEST_STATEMENT]),
        )

    def about_event(self, kind: DatabaseEventKind, statement: str) -> None:
        """The statement of an event, which stands on a line below it."""
        known = self._events.get(kind)
        if known is not None and known.statement is None:
            self._events[kind] = msgspec.structs.replace(known, statement=statement[:LONGEST_STATEMENT])

    @property
    def sessions(self) -> tuple[DatabaseSession, ...]:
        """Those of the log that did not end in it."""
        return tuple(self._sessions.values())

    @property
    def waits(self) -> tuple[LockWait, ...]:
        """All waits, those that ended too."""
        return tuple(self._waits.values())

    @property
    def events(self) -> tuple[DatabaseEvent, ...]:
        """One for each kind of trouble."""
        return tuple(self._events.values())
