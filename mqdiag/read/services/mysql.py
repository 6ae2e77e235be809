"""The error log of MySQL or MariaDB, and the answer of SHOW ENGINE INNODB STATUS.

Source of the texts: storage/innobase/lock/lock0lock.cc and trx/trx0trx.cc of MySQL 5.7 and 8.0 (transactions, waits,
deadlocks, which innodb_print_all_deadlocks writes into the error log), sql/mysqld.cc and
share/messages_to_error_log.txt; of MariaDB 10.11: sql/log.cc (a blank before the hour), lock0lock.cc (waits in us).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

import msgspec

from mqdiag.facts.services import DatabaseEventKind, DatabaseSession, LockWait
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.services.database_log import LONGEST_STATEMENT, DatabaseLog
from mqdiag.read.services.durations import moment
from mqdiag.read.services.open_text import OpenText

_LINE = lazy_pattern(
    r"(\d{4}-\d\d-\d\d(?:[T ]\d\d|  \d):\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)?) \d{1,10}"
    r" \[(?:Note|Warning|ERROR|System)\]"
)
MARKS = ("INNODB MONITOR OUTPUT", "LATEST DETECTED DEADLOCK", "MySQL thread id ", "MariaDB thread id ")
_TRANSACTION = lazy_pattern(
    r"---TRANSACTION \d{1,20},? (?:ACTIVE(?: \([A-Z]{1,20}\))? (\d{1,10}) sec|not started)"
)
_THREAD = lazy_pattern(r"(?:MySQL|MariaDB) thread id (\d{1,10}), .{0,80}?query id \d{1,20} ?(.{0,300})$")
_WAITS = lazy_pattern(r"-{3,} TRX HAS BEEN WAITING (\d{1,20}) (SEC|NS|us) FOR THIS LOCK TO BE GRANTED")
_PER_SECOND = {"SEC": 1.0, "us": 1e6, "NS": 1e9}
_LOCK = lazy_pattern(
    r"(?:RECORD|TABLE) LOCKS?\b.{0,200}?\btable (`[^`]{1,64}`\.`[^`]{1,64}`).{0,200}?lock[_ ]mode (\S{1,20})"
)
_BELOW_STATEMENT = ("---", "***", "Trx ", "RECORD LOCKS", "TABLE LOCK")
_LOCKS = lazy_pattern(r"(?:LOCK WAIT )?(\d{1,10}) lock struct")
_DASHES = lazy_pattern(r"-{3,}\s*$")
_EQUALS = lazy_pattern(r"={3,}\s*$")
SECTIONS = (
    "BACKGROUND THREAD",
    "SEMAPHORES",
    "LATEST FOREIGN KEY ERROR",
    "LATEST DETECTED DEADLOCK",
    "TRANSACTIONS",
    "FILE I/O",
    "INSERT BUFFER AND ADAPTIVE HASH INDEX",
    "LOG",
    "BUFFER POOL AND MEMORY",
    "INDIVIDUAL BUFFER POOL INFO",
    "ROW OPERATIONS",
)
"""parts of the status of InnoDB, in their order; each stands in it once, between two lines of dashes"""
_BEGIN, _END = "INNODB MONITOR OUTPUT", "END OF INNODB MONITOR OUTPUT"
_MESSAGE = lazy_pattern(r"(?: \[[\w-]{1,20}\]){0,3} ?")
_EVENTS: tuple[tuple[str, DatabaseEventKind], ...] = (
    ("Transactions deadlock detected", "deadlocked"),
    ("Lock wait timeout exceeded", "lock-timeout"),
    ("Too many connections", "too-many-connections"),
)
"""how a message begins"""
_ENDINGS: tuple[tuple[str, DatabaseEventKind], ...] = (
    ("(Got an error reading communication packets)", "client-lost"),
    ("(Got timeout reading communication packets)", "idle-timeout"),
)
"""how a message ends: names of users stand before it"""


def is_mysql_log(text: str) -> bool:
    """Whether a text is such a log or answer."""
    return any(mark in text for mark in MARKS) or sum(1 for _ in _LINE.finditer(text)) >= 2


class _Transaction(msgspec.Struct):
    """A transaction while its lines are read."""

    active_s: float | None = None
    pid: int | None = None
    host: str | None = None
    waits: bool = False
    waits_s: float | None = None
    has_locks: bool = False
    may_be_quoted: bool = False
    lock: tuple[str, str] | None = None
    statement: str | None = None


def begins_mysql(lines: Sequence[str]) -> bool:
    """Whether the first lines are a record of such a log, or the status of InnoDB as any client prints it."""
    given = [line.strip() for line in lines if line.strip()][:8]
    is_status = any(
        _EQUALS.match(before) and line.endswith(_BEGIN) and _EQUALS.match(after)
        for before, line, after in zip(given, given[1:], given[2:], strict=False)
    )
    return is_status or (bool(given) and _LINE.match(given[0]) is not None and is_mysql_log("\n".join(lines)))


def read_mysql(source: str, lines: Iterable[str]) -> DatabaseLog:
    """The sessions, waits and events of a log, or of the status of InnoDB."""
    reader = _Reader(DatabaseLog("MySQL", source))
    before, line = "", ""
    for after in chain((line.rstrip("\r\n")[:4096] for line in lines), ("",)):
        reader.read(before, line, after)
        before, line = line, after
    _tell(reader.log, [one for one in reader.living if one.active_s is not None])
    reader.log.may_be_quoted = reader.may_be_quoted
    return reader.log


class _Reader:
    """A text while its lines are read."""

    def __init__(self, log: DatabaseLog) -> None:
        self.log = log
        self.living: list[_Transaction] = []
        self.may_be_quoted = False
        """a statement above may not have ended: a user may have written every line from there on"""
        self._section: str | None = None
        """None before the first one: an excerpt may begin with a transaction"""
        self._open: _Transaction | None = None
        self._statement: OpenText | None = None

    def read(self, before: str, line: str, after: str) -> None:
        """A line between its neighbours."""
        if self._begins_section(before, line, after):
            self._open, self._statement = None, None
            return
        stamp = _LINE.match(line)
        if stamp:
            self._statement = None
            self._of_log(stamp[1], line[stamp.end() :])
        found = _TRANSACTION.match(line)
        if found:
            self._statement = None
            is_living = self._section in (None, "TRANSACTIONS") or self.may_be_quoted
            self._open = _Transaction(
                active_s=float(found[1]) if found[1] else None, may_be_quoted=self.may_be_quoted
            )
            self.living += [self._open] if is_living else []
        elif self._statement is not None and not line.startswith(_BELOW_STATEMENT):
            self._of_statement(self._statement, line)
        else:
            self._statement = None
            self._of_transaction(line)

    def _begins_section(self, before: str, line: str, after: str) -> bool:
        """Whether the line is the head of a section, or of a status; one out of its turn is not believed."""
        if line.endswith(_BEGIN) and _EQUALS.match(before) and _EQUALS.match(after):
            self.may_be_quoted = self.may_be_quoted or self._section not in (None, _END)
            self._section = None
            return True
        if line == _END:
            self._section = _END
            return True
        if line not in SECTIONS or not (_DASHES.match(before) and _DASHES.match(after)):
            return False
        if self._section is not None:
            places = [*SECTIONS, _END]
            self.may_be_quoted |= places.index(line) <= places.index(self._section)
        self._section = line
        if line == "LATEST DETECTED DEADLOCK":
            self.log.event("deadlocked", None)
        return True

    def _of_log(self, time: str, message: str) -> None:
        """A record of the error log."""
        at = moment(time.replace("  ", " 0"))
        if at is not None and not self.may_be_quoted:
            self.log.last = at.isoformat()
        begin = _MESSAGE.match(message)
        text = message[begin.end() if begin else 0 :].rstrip(". ")
        for words, kind in _EVENTS:
            if text.startswith(words):
                self.log.event(kind, None)
        for words, kind in _ENDINGS:
            if text.endswith(words):
                self.log.event(kind, None)

    def _of_statement(self, statement: OpenText, line: str) -> None:
        if self._open is not None and self._open.statement is None and line.strip():
            self._open.statement = line.strip()[:LONGEST_STATEMENT]
        self.may_be_quoted = statement.goes_on_below(line) or self.may_be_quoted

    def _of_transaction(self, line: str) -> None:
        """A line below the head of a transaction, but no statement."""
        thread = _THREAD.match(line)
        if thread:
            if self._open is None or self._open.pid is not None:
                self._open = _Transaction()  # of a deadlock that is over, which does not live
            words = thread[2].split()
            self._open.pid, self._open.host = int(thread[1]), words[0] if words else None
            self._statement = OpenText()
        elif self._open is not None and self._open.pid is None:
            self._open.waits = self._open.waits or line.startswith("LOCK WAIT ")
            locks = _LOCKS.match(line)
            self._open.has_locks = int(locks[1]) > 0 if locks else self._open.has_locks
        elif self._open is not None:
            self._below_statement(self._open, line)

    def _below_statement(self, one: _Transaction, line: str) -> None:
        """How long it waits, which is no longer than it lives, and for what."""
        waits, lock = _WAITS.match(line), _LOCK.search(line)
        if waits:
            waited = int(waits[1]) / _PER_SECOND[waits[2]]
            one.waits = one.waits or not self.may_be_quoted
            one.waits_s = waited if one.active_s is None else min(waited, one.active_s + 1)
        elif lock and one.waits and one.lock is None and not self.may_be_quoted:
            one.lock = (lock[1].replace("`", ""), lock[2])


def _tell(log: DatabaseLog, living: list[_Transaction]) -> None:
    """Note the transactions that were open, and who waits for whom.

    The status does not say who holds a lock: of several that may, none is named.
    """
    holders = {one.pid for one in living if one.pid is not None and not one.waits and one.has_locks}
    for one in living:
        if one.pid is None:
            continue
        log.session(
            DatabaseSession(
                server="MySQL",
                pid=one.pid,
                source=log.source,
                client=one.host,
                does="active" if one.statement or one.waits else "idle-in-transaction",
                wait="lock" if one.waits else None,
                transaction_ms=None if one.active_s is None else one.active_s * 1000,
                state_ms=None if one.waits_s is None else one.waits_s * 1000,
                statement=one.statement,
                may_be_quoted=one.may_be_quoted,
            )
        )
        if one.waits:
            log.wait(
                LockWait(
                    server="MySQL",
                    waiter=one.pid,
                    holders=tuple(holders) if len(holders) == 1 else (),
                    source=log.source,
                    mode=one.lock[1] if one.lock else None,
                    of=one.lock[0] if one.lock else None,
                    waited_ms=None if one.waits_s is None else one.waits_s * 1000,
                    first=log.last,
                    last=log.last,
                    statement=one.statement,
                    may_be_quoted=one.may_be_quoted,
                )
            )
