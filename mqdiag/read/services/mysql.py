"""The error log of MySQL or MariaDB, and the answer of SHOW ENGINE INNODB STATUS.

Source of the texts: storage/innobase/lock/lock0lock.cc and trx/trx0trx.cc of MySQL 5.7 and 8.0 (transactions, waits,
deadlocks, which innodb_print_all_deadlocks writes into the error log), sql/mysqld.cc and
share/messages_to_error_log.txt; of MariaDB 10.11: sql/log.cc (a blank before the hour), lock0lock.cc (waits in us).
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from mqdiag.facts.services import DatabaseEventKind, DatabaseSession, LockWait
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.services.database_log import LONGEST_STATEMENT, DatabaseLog
from mqdiag.read.services.durations import moment

_LINE = lazy_pattern(
    r"(\d{4}-\d\d-\d\d(?:[T ]\d\d|  \d):\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)?) \d{1,10}"
    r" \[(?:Note|Warning|ERROR|System)\]"
)
MARKS = ("INNODB MONITOR OUTPUT", "LATEST DETECTED DEADLOCK", "MySQL thread id ", "MariaDB thread id ")
_TRANSACTION = lazy_pattern(
    r"-{0,3}TRANSACTION \d{1,20},? (?:ACTIVE(?: \([A-Z]{1,20}\))? (\d{1,10}) sec|not started)"
)
_THREAD = lazy_pattern(r"(?:MySQL|MariaDB) thread id (\d{1,10}), .{0,80}?query id \d{1,20} ?(.{0,300})$")
_WAITS = lazy_pattern(r"-{3,} TRX HAS BEEN WAITING (\d{1,20}) (SEC|NS|us) FOR THIS LOCK TO BE GRANTED")
_PER_SECOND = {"SEC": 1.0, "us": 1e6, "NS": 1e9}
_LOCK = lazy_pattern(
    r"(?:RECORD|TABLE) LOCKS?\b.{0,200}?\btable (`[^`]{1,64}`\.`[^`]{1,64}`).{0,200}?lock[_ ]mode (\S{1,20})"
)
_LOCKS = lazy_pattern(r"(?:LOCK WAIT )?(\d{1,10}) lock struct")
_END_OF_DEADLOCK = "*** WE ROLL BACK TRANSACTION"
_EVENTS: tuple[tuple[str, DatabaseEventKind], ...] = (
    ("Transactions deadlock detected", "deadlocked"),
    ("LATEST DETECTED DEADLOCK", "deadlocked"),
    ("Lock wait timeout exceeded", "lock-timeout"),
    ("Too many connections", "too-many-connections"),
    ("Got an error reading communication packets", "client-lost"),
    ("Got timeout reading communication packets", "idle-timeout"),
)


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
    in_deadlock: bool = False
    lock: tuple[str, str] | None = None
    statement: str | None = None


def read_mysql(source: str, lines: Iterable[str]) -> DatabaseLog:
    """The sessions, waits and events of a log, or of the status of InnoDB."""
    log = DatabaseLog("MySQL", source)
    open_: _Transaction | None = None
    living: list[_Transaction] = []
    in_deadlock, wants_statement = False, False
    for line in lines:
        line = line.rstrip("\r\n")[:4096]
        stamp = _LINE.match(line)
        if stamp:
            at = moment(stamp[1].replace("  ", " 0"))
            log.last = at.isoformat() if at else log.last
        for words, kind in _EVENTS:
            if words in line:
                log.event(kind, None)
                in_deadlock = in_deadlock or kind == "deadlocked"
        if line.startswith((_END_OF_DEADLOCK, "TRANSACTIONS")):
            in_deadlock = False
        found = _TRANSACTION.match(line)
        if found:
            open_ = _Transaction(active_s=float(found[1]) if found[1] else None, in_deadlock=in_deadlock)
            living.append(open_)
            wants_statement = False
        elif open_ is not None:
            wants_statement = _of_transaction(open_, line, wants_statement=wants_statement)
    _tell(log, [one for one in living if not one.in_deadlock and one.active_s is not None])
    return log


def _of_transaction(one: _Transaction, line: str, *, wants_statement: bool) -> bool:
    """Read a line below the head of a transaction; whether its statement may follow."""
    thread, waits, lock = _THREAD.match(line), _WAITS.match(line), _LOCK.search(line)
    one.waits = one.waits or line.startswith("LOCK WAIT ")
    locks = _LOCKS.match(line)
    if locks:
        one.has_locks = int(locks[1]) > 0
    if thread:
        one.pid = int(thread[1])
        words = thread[2].split()
        one.host = words[0] if words else None
        return True
    if waits:
        one.waits, one.waits_s = True, int(waits[1]) / _PER_SECOND[waits[2]]
        return False
    if lock and one.waits and one.lock is None:
        one.lock = (lock[1].replace("`", ""), lock[2])
        return False
    if wants_statement and line.strip() and not line.startswith(("-", "*", "Trx ", "RECORD", "TABLE")):
        one.statement = line.strip()[:LONGEST_STATEMENT]
    return False


def _tell(log: DatabaseLog, living: list[_Transaction]) -> None:
    """Note the transactions that were open, and who waits for whom.

    The status does not say who holds a lock: of several that may, none is named.
    """
    holders = [one.pid for one in living if one.pid is not None and not one.waits and one.has_locks]
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
                )
            )
