"""Who of a database's sessions holds up the others, in which JVM and thread it is, and which JVMs wait for it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

import msgspec

from mqdiag.facts.processes import ProcessFacts
from mqdiag.facts.services import DatabaseKind, DatabaseSession, LockWait, ServicesFacts, Socket
from mqdiag.facts.stacks import ThreadFacts

DATABASE = "slow-database"
STANDING = frozenset({"stuck", "blocked"})
_LOCK_WAITS = ("Lock/", "lock", "Waiting for", "waiting for")
_LIBRARIES: Mapping[DatabaseKind, tuple[str, ...]] = {
    "PostgreSQL": ("PostgreSQL",),
    "MySQL": ("MySQL", "MariaDB"),
}
"""how the names of their client libraries begin"""


class Blocking(msgspec.Struct, frozen=True, kw_only=True):
    """A session that waits for no other one, and the sessions that wait for it."""

    session: DatabaseSession
    waiters: tuple[DatabaseSession, ...]
    """sessions that wait for it, straight or behind one another"""
    longest_ms: float | None = None
    """for how long the first of them has waited; at least so long where a log alone tells"""
    of: str | None = None
    """what is locked: a row, a table"""
    times: tuple[str, ...] = ()
    """times of the lines of logs that show it"""
    may_be_quoted: bool = False
    """nothing shows it but what may stand in a statement or value of a user"""


class Holder(msgspec.Struct, frozen=True, kw_only=True):
    """The JVM that a session belongs to, and its threads that may have the transaction."""

    process: ProcessFacts
    by_socket: bool
    """a socket of the process shows it; else no other JVM of the evidence is left"""
    threads: tuple[ThreadFacts, ...] = ()
    """those that stand still, and not in a call of the database"""


def blocking(services: ServicesFacts) -> tuple[Blocking, ...]:
    """The sessions that hold up others, the one with most of them first; none where they wait in a circle."""
    sessions = {(one.server, one.pid): one for one in services.sessions}
    found = []
    servers = [*(one.server for one in services.sessions), *(one.server for one in services.lock_waits)]
    for server in dict.fromkeys(servers):
        waits = _current_waits(services, server)
        edges = _edges(services, server, waits)
        for pid, waiters in _roots(edges).items():
            known = [
                sessions.get((server, one)) or DatabaseSession(server=server, pid=one, source="")
                for one in sorted(waiters)
            ]
            times = [one.state_ms for one in known if one.state_ms is not None and one.blocked_by]
            own = [wait for wait in waits if wait.waiter in waiters]
            times += [_waited_ms(wait, services) for wait in own]
            locks = [wait.of for wait in own if pid in wait.holders and wait.of]
            found.append(
                Blocking(
                    session=sessions.get((server, pid)) or DatabaseSession(server=server, pid=pid, source=""),
                    waiters=tuple(known),
                    longest_ms=max(times, default=None),
                    of=locks[0] if locks else None,
                    times=tuple(at for wait in own for at in (wait.first, wait.last) if at is not None),
                    may_be_quoted=_may_be_quoted(sessions.get((server, pid)), known, own),
                )
            )
    return tuple(sorted(found, key=lambda one: -len(one.waiters)))


def _may_be_quoted(
    holder: DatabaseSession | None, waiters: Iterable[DatabaseSession], waits: Iterable[LockWait]
) -> bool:
    """Whether a user may have written the holder, or all that wait for it."""
    if holder is not None and holder.may_be_quoted:
        return True
    sure = {one.waiter for one in waits if not one.may_be_quoted}
    sure |= {one.pid for one in waiters if one.blocked_by and not one.may_be_quoted}
    return not sure


def holder_of(
    session: DatabaseSession, facts: ServicesFacts, processes: Iterable[ProcessFacts]
) -> Holder | None:
    """The JVM of a session; None where neither a socket tells it nor one alone is left."""
    processes = tuple(processes)
    own = _by_socket(session, facts.sockets, processes)
    if own is not None:
        return Holder(process=own, by_socket=True, threads=_outside(own))
    if any(socket.local_port == session.client_port for socket in facts.sockets):
        return None  # of a process that no evidence is of
    candidates = [one for one in processes if _outside(one) and not waiting_threads(one, session.server)]
    if len(candidates) != 1:
        return None
    return Holder(process=candidates[0], by_socket=False, threads=_outside(candidates[0]))


def waiting_processes(
    found: Blocking, facts: ServicesFacts, processes: Iterable[ProcessFacts]
) -> dict[str, tuple[str, ...]]:
    """The JVMs of the waiting sessions, with their threads that wait for the database."""
    known: dict[str, tuple[str, ...]] = {}
    processes = tuple(processes)
    by_socket = {
        own.name
        for waiter in found.waiters
        if (own := _by_socket(waiter, facts.sockets, processes)) is not None
    }
    for process in processes:
        threads = waiting_threads(process, found.session.server)
        if threads and (process.name in by_socket or not by_socket):
            known[process.name] = threads
    return known


def waiting_threads(process: ProcessFacts, server: DatabaseKind) -> tuple[str, ...]:
    """Names of the threads of a JVM that stand still in a call of such a database."""
    if process.stacks is None:
        return ()
    return tuple(
        thread.name
        for thread in process.stacks.threads
        if _stands(thread) and thread.remote == DATABASE and _may_be_of(thread, server)
    )


def _may_be_of(thread: ThreadFacts, server: DatabaseKind) -> bool:
    """Whether its library is that of the database, or one that serves any."""
    library = thread.library or ""
    others = [name for kind, names in _LIBRARIES.items() if kind != server for name in names]
    return not library.startswith(tuple(others))


def _stands(thread: ThreadFacts) -> bool:
    return thread.state in STANDING or thread.same_call is not None


def _outside(process: ProcessFacts) -> tuple[ThreadFacts, ...]:
    """Threads of the user's own code that stand still elsewhere than in a call of the database."""
    if process.stacks is None:
        return ()
    return tuple(
        thread
        for thread in process.stacks.threads
        if _stands(thread) and thread.remote != DATABASE and thread.frame is not None
    )


def _by_socket(
    session: DatabaseSession, sockets: Iterable[Socket], processes: Iterable[ProcessFacts]
) -> ProcessFacts | None:
    if session.client_port is None:
        return None
    pids = {
        socket.pid
        for socket in sockets
        if socket.local_port == session.client_port and _same_host(socket.local, session.client)
    }
    own = [process for process in processes if process.pid in pids]
    return own[0] if len(own) == 1 else None


def _same_host(local: str, client: str | None) -> bool:
    """Whether the client's end of a socket can be that which the database names: a name is no address."""
    return client is None or client == local or not client[:1].isdigit()


def _current_waits(services: ServicesFacts, server: DatabaseKind) -> list[LockWait]:
    """Waits of logs that nothing says have ended; an answer of the database knows better which sessions wait."""
    waits = [one for one in services.lock_waits if one.server == server and not one.ended]
    answered = {one.pid: one for one in services.sessions if one.server == server and one.does is not None}
    if not answered:
        return waits
    return [one for one in waits if one.waiter in answered and is_lock_wait(answered[one.waiter])]


def is_lock_wait(session: DatabaseSession) -> bool:
    """Whether a session waits for a lock, as the database calls it."""
    return session.does == "active" and (session.wait or "").startswith(_LOCK_WAITS)


def _edges(services: ServicesFacts, server: DatabaseKind, waits: Iterable[LockWait]) -> dict[int, set[int]]:
    """For each session those that it waits for."""
    edges: dict[int, set[int]] = defaultdict(set)
    for session in services.sessions:
        if session.server == server and session.blocked_by:
            edges[session.pid] |= set(session.blocked_by)
    for wait in waits:
        if wait.holders and wait.waiter not in edges:
            edges[wait.waiter] |= set(wait.holders) - {wait.waiter}
    return edges


def _roots(edges: Mapping[int, set[int]]) -> dict[int, set[int]]:
    """The sessions that others wait for and that wait for none, with all who wait for them."""
    behind: dict[int, set[int]] = defaultdict(set)
    for waiter, holders in edges.items():
        for holder in holders:
            behind[holder].add(waiter)
    found: dict[int, set[int]] = {}
    for root in [one for one in behind if not edges.get(one)]:
        seen: set[int] = set()
        left = [root]
        while left:
            for waiter in behind.get(left.pop(), ()):
                if waiter not in seen:
                    seen.add(waiter)
                    left.append(waiter)
        found[root] = seen
    return found


def _waited_ms(wait: LockWait, services: ServicesFacts) -> float:
    """How long a wait has lasted at least: to the end of its log."""
    waited = wait.waited_ms or 0.0
    end = services.database_log_ends.get(wait.source)
    try:
        if end is not None and wait.first is not None:
            passed = datetime.fromisoformat(end) - datetime.fromisoformat(wait.first)
            waited += max(0.0, passed / timedelta(milliseconds=1))
    except (ValueError, TypeError):
        pass
    return waited
