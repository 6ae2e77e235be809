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


def _waits(pid: int, **more: object) -> DatabaseSession:
    return structs.replace(
        DatabaseSession(server="MySQL", pid=pid, source="a", does="active", wait="lock", state_ms=800_000.0),
        **more,
    )


def _open(pid: int) -> DatabaseSession:
    return DatabaseSession(
        server="MySQL", pid=pid, source="a", does="idle-in-transaction", transaction_ms=900_000.0
    )


def test_a_wait_whose_holder_is_one_of_two_is_told_without_it() -> None:
    wait = LockWait(server="MySQL", waiter=13, source="a", waited_ms=800_000.0)
    found = _only(
        Facts(services=ServicesFacts(sessions=(_open(11), _open(12), _waits(13)), lock_waits=(wait,)))
    )
    assert (found.cause, found.evidence["sessions"]) == ("holder-unknown", (13,))
    assert found.evidence["open_sessions"] == (11, 12)


def test_a_wait_that_is_explained_does_not_hide_another() -> None:
    sessions = (_open(11), _waits(12, blocked_by=(11,)), _waits(13))
    found = run_rules([RULE], Facts(services=ServicesFacts(sessions=sessions))).findings
    assert {one.cause for one in found} == {"idle-in-transaction", "holder-unknown"}


def test_what_a_user_may_have_written_is_a_warning_of_low_confidence() -> None:
    sessions = (_open(11), _waits(12, blocked_by=(11,), may_be_quoted=True))
    found = _only(Facts(services=ServicesFacts(sessions=sessions)))
    assert (found.severity, found.confidence, found.may_be_quoted) == (Severity.WARNING, "low", True)
    sure = (*sessions, _waits(13, blocked_by=(11,)))
    assert _only(Facts(services=ServicesFacts(sessions=sure))).confidence == "high"
    alone = _only(Facts(services=ServicesFacts(sessions=(_waits(12, may_be_quoted=True),))))
    assert (alone.cause, alone.confidence) == ("holder-unknown", "low")
