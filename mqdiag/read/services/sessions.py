"""Sessions of databases as clients print them: pg_stat_activity, pg_locks, SHOW PROCESSLIST, innodb_lock_waits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from mqdiag.facts.services import DatabaseKind, DatabaseSession, SessionDoes
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.services.durations import age_ms, interval_ms, moment
from mqdiag.read.services.tables import Row, Tables

_NUMBERS = lazy_pattern(r"\d{1,10}")
_HOST_PORT = lazy_pattern(r"(.{1,255}?):(\d{1,5})$")
_DOES: dict[str, SessionDoes] = {
    "active": "active",
    "idle": "idle",
    "idle in transaction": "idle-in-transaction",
    "idle in transaction (aborted)": "idle-in-transaction",
}
_ALIAS = lazy_pattern(
    r"(?!.*(?:conn|backend|session|login|xid|xmin|up_?time))"
    r".*(?:\bage|_age|runs|runtime|running|durat|elapsed|interval|lasted|waited|waiting|open_for|since)"
)
"""names that people give to an age of a statement or transaction; that of a connection tells nothing of both"""
_OWN_WORK = ("Daemon", "Binlog Dump", "Binlog Dump GTID", "Connect", "Slave_IO", "Slave_SQL", "Slave_worker")
"""commands of sessions of MySQL that belong to no client; they last for days"""
MARKS = (
    "usename",
    "wait_event",
    "pg_blocking_pids",
    "xact_start",
    "locktype",
    "waiting_pid",
    "trx_mysql_thread_id",
)
"""names of columns that only such answers have"""


class Answer(msgspec.Struct, frozen=True):
    """What the answers of databases in a text say."""

    sessions: tuple[DatabaseSession, ...]
    unread: int = 0
    """rows of sessions that could not be read"""
    may_be_quoted: bool = False
    """from some line on the text does not show whether it is the client's own or stands in a statement"""


def is_sessions(lines: Sequence[str]) -> bool:
    """Whether the lines hold rows of sessions or of their locks."""
    tables = Tables(lines)
    return any(_reader_of(row) is not None for row in tables.rows()) or _unread(tables) > 0


def read_sessions(source: str, lines: Sequence[str]) -> Answer:
    """The sessions of all answers in a text; what several answers say of one is joined."""
    tables = Tables(lines)
    rows = list(tables.rows())
    found: dict[tuple[DatabaseKind, int], DatabaseSession] = {}
    for row in rows:
        reader = _reader_of(row)
        if reader is None:
            continue
        for session in reader(source, row):
            if row.may_be_quoted:
                session = msgspec.structs.replace(session, may_be_quoted=True)
            key = (session.server, session.pid)
            found[key] = joined(found[key], session) if key in found else session
    sessions = _with_locks(rows, _with_ages(rows, tuple(found.values())))
    return Answer(sessions, _unread(tables), tables.may_be_quoted)


def _unread(tables: Tables) -> int:
    """Rows of sessions that could not be read."""
    return sum(
        count for names, count in tables.unread.items() if _reader_of(dict.fromkeys(names, "")) is not None
    )


def joined(one: DatabaseSession, other: DatabaseSession) -> DatabaseSession:
    """What two pieces of evidence say of a session; the first one has the word where both say something."""
    theirs = msgspec.structs.asdict(other)
    own = msgspec.structs.asdict(one)
    taken = {name: theirs[name] for name, value in own.items() if value is None or value == ()}
    told = any(value not in (None, ()) for value in taken.values())
    may_be_quoted = one.may_be_quoted or (told and other.may_be_quoted)
    return DatabaseSession(**{**own, **taken, "may_be_quoted": may_be_quoted})


_Reader = Callable[[str, Row], Iterator[DatabaseSession]]


def _reader_of(row: Mapping[str, str]) -> _Reader | None:
    if "pid" in row and ("state" in row or "wait_event" in row or "query" in row or "usename" in row):
        return _of_postgresql
    if {"pid", "locktype", "granted"} <= row.keys():
        return _of_locks
    if {"id", "user", "command", "time"} <= row.keys():
        return _of_processlist
    if "waiting_pid" in row and "blocking_pid" in row:
        return _of_lock_waits
    if "trx_mysql_thread_id" in row:
        return _of_transactions
    if "blocked_pid" in row and "blocking_pid" in row:
        return _of_blocked
    return None


def _of_postgresql(source: str, row: Row) -> Iterator[DatabaseSession]:
    pid = _number(row.get("pid"))
    if pid is None:
        return
    blocked = row.get("blocked_by") or row.get("pg_blocking_pids") or row.get("blocking_pids") or ""
    state = row.get("state")
    wait = "/".join(row[name] for name in ("wait_event_type", "wait_event") if name in row)
    does = _DOES.get(state) if state is not None else None
    aged = None if does == "idle" or "xact_start" in row else _aliased_age(row)
    yield DatabaseSession(
        server="PostgreSQL",
        pid=pid,
        source=source,
        user=row.get("usename"),
        database=row.get("datname"),
        application=row.get("application_name"),
        client=row.get("client_addr") or row.get("client_hostname"),
        client_port=_number(row.get("client_port")),
        does=does,
        wait=wait or None,
        transaction_ms=_first(_duration(row, "xact_age", "transaction_age", "xact_duration"), aged),
        state_ms=_duration(row, "state_age", "state_duration", "idle_for"),
        statement=row.get("query"),
        blocked_by=_pids(blocked, pid),
    )


def _aliased_age(row: Row) -> float | None:
    """The shortest age under a name of somebody's own: a transaction is at least as old as its statement and state."""
    ages = (
        interval_ms(cell) for name, cell in row.items() if ":" in cell and len(cell) < 60 and _ALIAS.match(name)
    )
    return min((age for age in ages if age is not None), default=None)


def _of_locks(source: str, row: Row) -> Iterator[DatabaseSession]:
    """A row of pg_locks, which says that there is such a session; `_with_locks` reads the locks."""
    pid = _number(row["pid"])
    if pid is not None:
        yield DatabaseSession(server="PostgreSQL", pid=pid, source=source)


def _of_processlist(source: str, row: Row) -> Iterator[DatabaseSession]:
    pid = _number(row.get("id"))
    if pid is None:
        return
    host = _HOST_PORT.match(row.get("host", ""))
    sleeps = row["command"] == "Sleep"
    yield DatabaseSession(
        server="MySQL",
        pid=pid,
        source=source,
        user=row.get("user"),
        database=row.get("db"),
        client=host[1] if host else row.get("host"),
        client_port=int(host[2]) if host else None,
        does="idle" if sleeps else None if row["command"] in _OWN_WORK else "active",
        wait=None if sleeps else row.get("state"),
        state_ms=interval_ms(row.get("time")),
        statement=row.get("info"),
    )


def _of_lock_waits(source: str, row: Row) -> Iterator[DatabaseSession]:
    """Two sessions of a row of sys.innodb_lock_waits."""
    waiter, holder = _number(row["waiting_pid"]), _number(row["blocking_pid"])
    if waiter is None or holder is None:
        return
    yield DatabaseSession(
        server="MySQL",
        pid=waiter,
        source=source,
        does="active",
        wait="lock",
        transaction_ms=interval_ms(row.get("waiting_trx_age")),
        state_ms=interval_ms(row.get("wait_age_secs") or row.get("wait_age")),
        statement=row.get("waiting_query"),
        blocked_by=(holder,),
    )
    statement = row.get("blocking_query")
    yield DatabaseSession(
        server="MySQL",
        pid=holder,
        source=source,
        does="active" if statement else "idle-in-transaction",
        transaction_ms=interval_ms(row.get("blocking_trx_age")),
        statement=statement,
    )


def _of_blocked(source: str, row: Row) -> Iterator[DatabaseSession]:
    """Two sessions of a row of the joins of pg_locks that guides of PostgreSQL print."""
    waiter, holder = _number(row["blocked_pid"]), _number(row["blocking_pid"])
    if waiter is None or holder is None:
        return
    yield DatabaseSession(
        server="PostgreSQL",
        pid=waiter,
        source=source,
        user=row.get("blocked_user"),
        does="active",
        wait="lock",
        statement=row.get("blocked_statement"),
        blocked_by=(holder,),
    )
    yield DatabaseSession(
        server="PostgreSQL",
        pid=holder,
        source=source,
        user=row.get("blocking_user"),
        statement=row.get("current_statement_in_blocking_process") or row.get("blocking_statement"),
    )


def _of_transactions(source: str, row: Row) -> Iterator[DatabaseSession]:
    """A row of information_schema.innodb_trx."""
    pid = _number(row["trx_mysql_thread_id"])
    if pid is None:
        return
    statement = row.get("trx_query")
    yield DatabaseSession(
        server="MySQL",
        pid=pid,
        source=source,
        does="active" if statement else "idle-in-transaction",
        wait="lock" if row.get("trx_state") == "LOCK WAIT" else None,
        statement=statement,
    )


def _with_ages(rows: Sequence[Row], sessions: tuple[DatabaseSession, ...]) -> tuple[DatabaseSession, ...]:
    """Ages by the times of the rows: the newest time of an answer is the moment at which it was asked."""
    by_pid = {_number(row.get("pid")): row for row in rows if "xact_start" in row or "state_change" in row}
    times = [
        time
        for row in rows
        for name in ("now", "query_start", "state_change", "xact_start")
        if (time := moment(row.get(name))) is not None
    ]
    with_zone = [time for time in times if time.tzinfo is not None]
    now = max(with_zone or times, default=None)
    aged = []
    for session in sessions:
        row: Mapping[str, str] = by_pid.get(session.pid, {})
        if row and session.server == "PostgreSQL":
            session = msgspec.structs.replace(
                session,
                transaction_ms=_first(session.transaction_ms, age_ms(moment(row.get("xact_start")), now)),
                state_ms=_first(session.state_ms, age_ms(moment(row.get("state_change")), now)),
            )
        aged.append(session)
    return tuple(aged)


def _with_locks(rows: Sequence[Row], sessions: tuple[DatabaseSession, ...]) -> tuple[DatabaseSession, ...]:
    """Who waits for whom by rows of pg_locks, where the answers do not tell it otherwise."""
    waits: dict[tuple[str, ...], set[int]] = {}
    holds: dict[tuple[str, ...], set[int]] = {}
    may_be_quoted = False
    for row in rows:
        pid = _number(row.get("pid"))
        if pid is None or "locktype" not in row or "granted" not in row:
            continue
        may_be_quoted = may_be_quoted or row.may_be_quoted
        lock = tuple(
            row.get(name, "")
            for name in (
                "locktype",
                "database",
                "relation",
                "page",
                "tuple",
                "transactionid",
                "virtualxid",
                "objid",
            )
        )
        (holds if row["granted"] in ("t", "true") else waits).setdefault(lock, set()).add(pid)
    if not waits:
        return sessions
    queued = {lock: min(pids) for lock, pids in waits.items()}
    by_pid = {one.pid: one for one in sessions if one.server == "PostgreSQL"}
    for lock, pids in waits.items():
        for pid in pids:
            known = by_pid.get(pid)
            if known is None or known.blocked_by:
                continue
            # the lock of a row is held by nobody on the list: who waits for it waits behind the first of the queue
            others = tuple(sorted(holds.get(lock, set()) - {pid}))
            others = others or tuple({queued[lock]} - {pid})
            by_pid[pid] = msgspec.structs.replace(
                known, blocked_by=others, may_be_quoted=known.may_be_quoted or may_be_quoted
            )
    return (*by_pid.values(), *(one for one in sessions if one.server != "PostgreSQL"))


def _pids(text: str, own: int) -> tuple[int, ...]:
    numbers = (int(found) for found in _NUMBERS.findall(text))
    return tuple(dict.fromkeys(number for number in numbers if number not in (0, own)))


def _number(text: str | None) -> int | None:
    text = (text or "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 10 else None


def _duration(row: Row, *names: str) -> float | None:
    return next((interval_ms(row[name]) for name in names if name in row), None)


def _first(one: float | None, other: float | None) -> float | None:
    return other if one is None else one
