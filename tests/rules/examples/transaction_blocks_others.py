from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.processes import ProcessFacts
from mqdiag.facts.services import DatabaseSession, ServicesFacts, Socket
from mqdiag.facts.stacks import SampleFacts, StacksFacts, ThreadAt, ThreadFacts

AT = "2026-11-28T01:14:28+00:00"
HOLDER = DatabaseSession(
    server="PostgreSQL",
    pid=26006,
    source="pg_stat_activity.txt",
    user="shop",
    application="payments",
    client="10.0.0.7",
    client_port=40184,
    does="idle-in-transaction",
    transaction_ms=55_000.0,
    state_ms=54_000.0,
    statement="UPDATE accounts SET balance = balance - 1 WHERE id = 7",
)
WAITER = DatabaseSession(
    server="PostgreSQL",
    pid=26197,
    source="pg_stat_activity.txt",
    client="10.0.0.8",
    client_port=54980,
    does="active",
    wait="Lock/transactionid",
    transaction_ms=40_000.0,
    state_ms=40_000.0,
    blocked_by=(26006,),
)
SOCKETS = (
    Socket(pid=70, local="10.0.0.7", local_port=40184, remote="10.0.0.1", remote_port=5432, source="ss.txt"),
    Socket(pid=80, local="10.0.0.8", local_port=54980, remote="10.0.0.1", remote_port=5432, source="ss.txt"),
)


def process(pid: int, thread: str, frame: str, library: str, remote: str) -> ProcessFacts:
    """A JVM with one thread that stands still."""
    stuck = ThreadFacts(
        name=thread,
        role="pool",
        state="stuck",
        samples=(ThreadAt(state="WAITING"),) * 5,
        frame=frame,
        library=library,
        remote=remote,  # type: ignore[arg-type]
    )
    series = tuple(SampleFacts(path=f"j{number}", format="jstack", captured_at=AT) for number in range(5))
    stacks = StacksFacts(samples=5, series=series, judged=True, threads=(stuck,))
    return ProcessFacts(name=f"pid {pid}", pid=pid, stacks=stacks)


PAYMENTS = process(
    70,
    "settlement-1",
    "com.acme.Payments.confirm(Payments.java:46)",
    "java.net.http.HttpClient",
    "missing-http-timeout",
)
ORDERS = process(80, "worker-1", "com.acme.Orders.book(Orders.java:74)", "PostgreSQL JDBC", "slow-database")


def facts(*sessions: DatabaseSession, sockets: tuple[Socket, ...] = SOCKETS) -> Facts:
    """A database with these sessions, and two JVMs."""
    return Facts(services=ServicesFacts(sessions=sessions, sockets=sockets), processes=(PAYMENTS, ORDERS))


def fires() -> Facts:
    """One session waits for another one, whose thread waits for an HTTP answer."""
    return facts(HOLDER, WAITER)


def silent() -> Facts:
    """Both do nothing outside of a transaction."""
    return Facts(
        services=ServicesFacts(
            sessions=(
                DatabaseSession(server="PostgreSQL", pid=1, source="a", does="idle"),
                DatabaseSession(server="PostgreSQL", pid=2, source="a", does="active"),
            )
        )
    )
