from __future__ import annotations

from msgspec import structs

from mqdiag.facts import Facts
from mqdiag.facts.services import DatabaseSession, LockWait, ServicesFacts
from mqdiag.findings import Finding, Severity
from mqdiag.language import english
from mqdiag.rules.engine import run_rules
from mqdiag.rules.shared.blocking_sessions import blocking
from mqdiag.rules.transaction_blocks_others import RULE
from tests.rules.examples import transaction_blocks_others as example


def _only(facts: Facts) -> Finding:
    (found,) = run_rules([RULE], facts).findings
    return found


def test_a_socket_ties_the_session_to_its_jvm_and_thread() -> None:
    found = _only(example.fires())
    assert found.evidence["threads"] == ("settlement-1",)
    assert (found.processes, found.felt_in) == (("pid 70",), ("pid 80",))
    assert found.confidence == "high"
    assert "SELECT pg_terminate_backend(26006)" in english()(found.now[0].command)


def test_without_sockets_the_jvm_that_is_left_is_medium() -> None:
    found = _only(example.facts(example.HOLDER, example.WAITER, sockets=()))
    assert found.processes == ("pid 70",)
    assert found.confidence == "medium"


def test_the_socket_of_a_process_without_evidence_names_no_thread() -> None:
    foreign = structs.replace(example.SOCKETS[0], pid=99)
    found = _only(example.facts(example.HOLDER, example.WAITER, sockets=(foreign, example.SOCKETS[1])))
    assert found.processes == ()
    assert found.cause == "idle-in-transaction"


def test_a_short_wait_that_no_jvm_feels_is_none() -> None:
    waiter = structs.replace(example.WAITER, state_ms=900.0, transaction_ms=900.0)
    holder = structs.replace(example.HOLDER, transaction_ms=1200.0, state_ms=100.0)
    facts = Facts(services=ServicesFacts(sessions=(holder, waiter)))
    assert run_rules([RULE], facts).findings == ()


def test_waits_of_a_log_that_ended_are_none() -> None:
    wait = LockWait(server="PostgreSQL", waiter=2, holders=(1,), source="a", waited_ms=60_000.0, ended=True)
    assert blocking(ServicesFacts(lock_waits=(wait,))) == ()
    assert len(blocking(ServicesFacts(lock_waits=(structs.replace(wait, ended=False),)))) == 1


def test_a_log_alone_is_a_warning() -> None:
    wait = LockWait(server="PostgreSQL", waiter=2, holders=(1,), source="a", waited_ms=60_000.0)
    found = _only(Facts(services=ServicesFacts(lock_waits=(wait,))))
    assert found.severity is Severity.WARNING
    assert found.confidence == "medium"


def test_sessions_behind_one_another_count_for_the_first() -> None:
    sessions = tuple(
        DatabaseSession(
            server="MySQL", pid=pid, source="a", does="active", blocked_by=(pid - 1,) if pid > 1 else ()
        )
        for pid in (1, 2, 3, 4)
    )
    (found,) = blocking(ServicesFacts(sessions=sessions))
    assert found.session.pid == 1
    assert [one.pid for one in found.waiters] == [2, 3, 4]


def test_a_circle_has_no_first_session() -> None:
    sessions = (
        DatabaseSession(server="MySQL", pid=1, source="a", blocked_by=(2,)),
        DatabaseSession(server="MySQL", pid=2, source="a", blocked_by=(1,)),
    )
    assert blocking(ServicesFacts(sessions=sessions)) == ()
