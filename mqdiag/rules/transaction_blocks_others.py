"""A session of a database keeps a transaction open, and other sessions wait for its locks."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime

from mqdiag.facts import Facts
from mqdiag.facts.services import DatabaseSession
from mqdiag.facts.stacks import ThreadFacts
from mqdiag.findings import Confidence, Severity, Subject, TimeRange
from mqdiag.rules.rule import Draft, Findings, Limits, Rule
from mqdiag.rules.shared.blocking_sessions import (
    Blocking,
    Holder,
    blocking,
    holder_of,
    is_lock_wait,
    waiting_processes,
)
from mqdiag.rules.shared.standstill import short_frame
from mqdiag.text import Text, Value
from mqdiag.time_ranges import between

RULE = Rule("transaction-blocks-others")
MOST_NAMED = 3
MOST_KEPT = 500
"""threads that wait, by which the findings about them are known"""


@RULE.sees("services")
def in_services(facts: Facts, limits: Limits) -> Findings:
    """One finding for each session that waits for no other one."""
    services = facts.services
    assert services is not None
    for found in blocking(services):
        holder = holder_of(found.session, services, facts.processes or ())
        waiting = waiting_processes(found, services, facts.processes or ())
        age_ms = max(
            (ms for ms in (found.longest_ms, found.session.transaction_ms) if ms is not None), default=None
        )
        if not waiting and age_ms is not None and age_ms < limits["seconds"] * 1000:
            continue
        yield _finding(facts, found, holder, waiting, age_ms)


@RULE.sees("services")
def without_holder(facts: Facts, limits: Limits) -> Findings:
    """One finding for sessions that wait long for a lock, where nothing says who holds it."""
    services = facts.services
    assert services is not None
    named = blocking(services)
    for server in dict.fromkeys(one.server for one in services.sessions):
        own = [one for one in services.sessions if one.server == server]
        explained = {one.pid for found in named if found.session.server == server for one in found.waiters}
        waiting = [one for one in own if is_lock_wait(one) and one.pid not in explained]
        longest = max((_since_ms(one) for one in waiting), default=0.0)
        open_long = (
            [one for one in own if one.does == "idle-in-transaction"] if waiting or not explained else []
        )
        longest_open = max(map(_since_ms, open_long), default=0.0)
        if not (waiting or open_long) or max(longest, longest_open) < limits["seconds"] * 1000:
            continue
        yield RULE.case(
            "holder-unknown" if waiting else "open-transaction",
            subject=Subject(resource=server),
            evidence={
                "server": server,
                "sessions": tuple(one.pid for one in waiting or open_long)[:MOST_KEPT],
                "open_sessions": tuple(one.pid for one in open_long)[:MOST_KEPT] or None,
                "blocked_sessions": len(waiting),
                "state_ms": longest or longest_open,
                "statement": max(waiting or open_long, key=_since_ms).statement,
            },
            words={"is_postgresql": server == "PostgreSQL", "is_mysql": server == "MySQL"},
            weight=float(len(waiting)),
            may_be_quoted=_since_sure_ms(waiting or open_long) < limits["seconds"] * 1000,
        )


def _since_sure_ms(sessions: Iterable[DatabaseSession]) -> float:
    """The longest wait of those that no user can have written."""
    return max((_since_ms(one) for one in sessions if not one.may_be_quoted), default=0.0)


def _since_ms(session: DatabaseSession) -> float:
    return max(session.state_ms or 0.0, session.transaction_ms or 0.0)


def _finding(
    facts: Facts,
    found: Blocking,
    holder: Holder | None,
    waiting: dict[str, tuple[str, ...]],
    age_ms: float | None,
) -> Draft:
    session = found.session
    thread = holder.threads[0] if holder is not None and holder.threads else None
    sure = thread is not None and holder is not None and holder.by_socket and len(holder.threads) == 1
    called = {own.name: _called(own.main_class, own.name) for own in facts.processes or ()}
    known = session.does is not None or bool(waiting)
    return RULE.case(
        _case(found, holder),
        subject=_owner(session),
        evidence={
            "server": session.server,
            "session": session.pid,
            "blocked_sessions": len(found.waiters),
            "blocked_ms": found.longest_ms,
            "transaction_ms": session.transaction_ms,
            "state_ms": session.state_ms,
            "user": session.user,
            "application": session.application,
            "client": session.client,
            "client_port": session.client_port,
            "statement": session.statement,
            "lock_of": found.of,
            "pid_of_holder": None if holder is None else holder.process.pid,
            "threads": tuple(one.name for one in holder.threads) if holder is not None else (),
            "frame": None if thread is None else thread.frame,
            "library": None if thread is None else thread.library,
            "waiting_threads": sum(map(len, waiting.values())),
            "felt_by": tuple(name for names in waiting.values() for name in names)[:MOST_KEPT],
        },
        words={
            "holder_called": None if holder is None else called[holder.process.name],
            "thread_named": None if holder is None or not holder.threads else _threads(holder.threads),
            "threads_of_holder": 0 if holder is None else len(holder.threads),
            "own_frame": None if thread is None else short_frame(thread.frame),
            "by_socket": holder is not None and holder.by_socket,
            "is_postgresql": session.server == "PostgreSQL",
            "is_mysql": session.server == "MySQL",
            "unknown_client": holder is None and session.client_port is not None,
            "waiting_called": tuple(called[name] for name in waiting) or None,
        },
        severity=Severity.ERROR if waiting or (age_ms is not None and known) else Severity.WARNING,
        confidence=Confidence.HIGH if (sure or thread is None) and known else Confidence.MEDIUM,
        because=None if known and (sure or thread is None) else RULE.word(_why_unsure(holder, known=known)),
        weight=float(len(found.waiters)),
        may_be_quoted=found.may_be_quoted,
        processes=() if holder is None else (holder.process.name,),
        felt_in=tuple(waiting),
        seen_in=("services", *(("stacks",) if holder is not None or waiting else ())),
        when=_when(facts, found, (*waiting, *(() if holder is None else (holder.process.name,)))),
    )


def _owner(session: DatabaseSession) -> Subject:
    """Who has the transaction, by what stays when a session with another number has it."""
    account = "@".join(filter(None, (session.user, session.database)))
    return Subject(account=account) if account else Subject(resource=session.server)


def _case(found: Blocking, holder: Holder | None) -> str:
    if holder is not None and holder.threads:
        return "held-by-thread"
    if found.session.does == "active":
        return "long-statement"
    return "idle-in-transaction"


def _when(facts: Facts, found: Blocking, processes: Collection[str]) -> tuple[TimeRange, ...]:
    """From the first wait that a log has, or the first thread dump, to the last; local times are left out."""
    times = [*found.times]
    for own in facts.processes or ():
        if own.name in processes and own.stacks is not None:
            times += [sample.captured_at for sample in own.stacks.series if sample.captured_at is not None]
    instants = sorted(at for text in times if (at := datetime.fromisoformat(text)).tzinfo is not None)
    return between(instants[0].isoformat(), instants[-1].isoformat()) if instants else ()


def _why_unsure(holder: Holder | None, *, known: bool) -> str:
    if not known:
        return "log-alone"
    return "other-threads" if holder is not None and holder.by_socket else "by-exclusion"


def _called(main_class: str | None, name: str) -> Text:
    if main_class is None:
        return Text("{name}", {"name": name})
    return Text("{main_class} ({name})", {"main_class": main_class, "name": name})


def _threads(threads: tuple[ThreadFacts, ...]) -> Value:
    names = tuple(one.name for one in threads)
    return names[0] if len(names) == 1 else names[:MOST_NAMED]
