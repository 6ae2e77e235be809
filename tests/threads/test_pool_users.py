"""Who is named as the user of an exhausted pool, where a JVM has one pool of connections or two."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.facts.stacks import Standstill
from mqdiag.findings import Confidence, Finding
from mqdiag.language import english
from tests.threads.made import CONSUME, READ, At, report

DRIVER = "com.mysql.cj.jdbc.ClientPreparedStatement.executeQuery(ClientPreparedStatement.java:972)"
WRAPPER = "com.zaxxer.hikari.pool.ProxyPreparedStatement.executeQuery(ProxyPreparedStatement.java:52)"


def waits(number: int, place: str, pool: str = "0x00000000e6500001") -> At:
    """A consume thread that wants a connection of the pool with this queue."""
    frames = (
        "jdk.internal.misc.Unsafe.park(Native Method)",
        f"- parking to wait for  <{pool}> (a java.util.concurrent.SynchronousQueue$TransferQueue)",
        "java.util.concurrent.SynchronousQueue.poll(SynchronousQueue.java:903)",
        "com.zaxxer.hikari.util.ConcurrentBag.borrow(ConcurrentBag.java:151)",
        "com.zaxxer.hikari.pool.HikariPool.getConnection(HikariPool.java:162)",
        f"com.acme.{place}.find({place}.java:33)",
        *CONSUME,
    )
    return At(f"ConsumeMessageThread_CID_{number}", 30 + number, frames, "TIMED_WAITING")


def uses(place: str, *wrappers: str) -> At:
    """A thread of another pool whose statement does not come back."""
    frames = (
        *READ,
        DRIVER,
        *wrappers,
        f"com.acme.{place}.find({place}.java:35)",
        "java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1136)",
        "java.lang.Thread.run(Thread.java:840)",
    )
    return At("reports-1", 90, frames)


def works(number: int, place: str, line: int) -> At:
    """A consume thread whose statement does not come back."""
    frames = (*READ, DRIVER, WRAPPER, f"com.acme.{place}.find({place}.java:{line})", *CONSUME)
    return At(f"ConsumeMessageThread_CID_{number}", 30 + number, frames)


def housekeeper(number: int) -> At:
    frames = ("java.util.concurrent.ThreadPoolExecutor.getTask(ThreadPoolExecutor.java:1062)",)
    return At(f"HikariPool-{number} housekeeper", 100 + number, frames, "TIMED_WAITING")


def exhausted(folder: Path, threads: list[At]) -> tuple[Finding, Standstill]:
    """The finding about the first group, with its facts."""
    made = report(folder, [threads] * 5)
    assert made.stacks is not None
    (found,) = [one for one in made.findings if one.rule == "connection-pool-exhausted"]
    (still,) = [one for one in made.stacks.standstills if one.kind == "pool"]
    return found, still


def test_a_thread_in_the_same_code_has_a_connection_of_the_pool(tmp_path: Path) -> None:
    threads = [waits(1, "OrderDao"), waits(2, "OrderDao"), uses("OrderDao", WRAPPER)]
    found, still = exhausted(tmp_path, threads)
    assert (still.holder, found.cause, found.confidence) == ("reports-1", "slow-database", Confidence.HIGH)


def test_the_same_code_may_use_two_pools(tmp_path: Path) -> None:
    """It came by other calls, which may hand it the other pool."""
    threads = [waits(1, "OrderDao"), waits(2, "OrderDao"), uses("OrderDao", WRAPPER)]
    found, still = exhausted(tmp_path, [*threads, housekeeper(1), housekeeper(2)])
    assert (still.holder, still.possible_user) == (None, "reports-1")
    assert (found.cause, found.confidence) == ("pool-too-small", Confidence.MEDIUM)


LISTENER = [waits(1, "OrderDao"), waits(2, "OrderDao"), housekeeper(1), housekeeper(2)]
"""consume threads of one listener that wait, in a JVM with two pools"""


def test_the_same_calls_give_the_cause_and_no_certainty(tmp_path: Path) -> None:
    found, still = exhausted(tmp_path, [*LISTENER, works(3, "OrderDao", 35)])
    assert (still.holder, still.possible_user) == (None, "ConsumeMessageThread_CID_3")
    assert (found.cause, found.confidence) == ("slow-database", Confidence.MEDIUM)
    assert "may be a connection of another pool" in english()(found.explanation[-1])


def test_a_thread_before_the_wait_has_no_connection_of_the_pool(tmp_path: Path) -> None:
    found, still = exhausted(tmp_path, [*LISTENER, works(3, "OrderDao", 31)])
    assert (still.holder, still.possible_user) == (None, "ConsumeMessageThread_CID_3")
    assert (found.cause, found.confidence) == ("pool-too-small", Confidence.MEDIUM)


def test_users_at_two_calls_of_one_listener_may_use_two_pools(tmp_path: Path) -> None:
    found, still = exhausted(tmp_path, [*LISTENER, works(3, "OrderDao", 35), works(4, "OrderDao", 41)])
    assert (still.holder, found.cause, found.confidence) == (None, "pool-too-small", Confidence.MEDIUM)


@pytest.mark.parametrize(("place", "holder"), [("PriceDao", "ConsumeMessageThread_CID_3"), ("OrderDao", None)])
def test_the_other_pool_is_known_by_other_code_that_waits_for_it(
    tmp_path: Path, place: str, holder: str | None
) -> None:
    other = waits(7, place, "0x00000000e6500999")
    other.name = "prices-1"
    made = report(tmp_path, [[*LISTENER, works(3, "OrderDao", 35), other]] * 5)
    assert made.stacks is not None
    still = next(one for one in made.stacks.standstills if one.group == "CID" and one.kind == "pool")
    assert still.holder == holder


def test_code_that_the_user_calls_is_no_other_code(tmp_path: Path) -> None:
    """It waits for the other pool, and the user may have come by it to that pool."""
    user, other = works(3, "OrderDao", 35), waits(7, "OrderMapper", "0x00000000e6500999")
    own = user.frames.index("com.acme.OrderDao.find(OrderDao.java:35)")
    user.frames = (*user.frames[:own], "com.acme.OrderMapper.read(OrderMapper.java:9)", *user.frames[own:])
    other.name = "prices-1"
    made = report(tmp_path, [[*LISTENER, user, other]] * 5)
    assert made.stacks is not None
    still = next(one for one in made.stacks.standstills if one.group == "CID" and one.kind == "pool")
    assert (still.holder, still.possible_user) == (None, "ConsumeMessageThread_CID_3")


def test_the_only_pool_of_a_library_is_the_pool(tmp_path: Path) -> None:
    _, still = exhausted(tmp_path, [waits(1, "OrderDao"), uses("ReportDao", WRAPPER), housekeeper(1)])
    assert still.holder == "reports-1"


def test_a_thread_in_other_code_may_have_a_connection_of_another_pool(tmp_path: Path) -> None:
    threads = [waits(1, "OrderDao"), uses("ReportDao", WRAPPER), housekeeper(1), housekeeper(2)]
    found, still = exhausted(tmp_path, threads)
    assert (still.holder, still.possible_user) == (None, "reports-1")
    assert (found.cause, found.confidence) == ("pool-too-small", Confidence.MEDIUM)
    assert "may be a connection of another pool" in english()(found.explanation[-1])


@pytest.mark.parametrize("wrapper", [WRAPPER, None])
def test_a_user_of_another_pool_is_not_named(tmp_path: Path, wrapper: str | None) -> None:
    """By code that waits for the other pool; by a statement that no pool of the library has wrapped."""
    threads = [waits(1, "OrderDao"), waits(2, "OrderDao"), uses("ReportDao", *([wrapper] if wrapper else []))]
    others = [waits(3, "ReportDao", "0x00000000e6500999")] if wrapper else []
    made = report(tmp_path, [[*threads, *others, housekeeper(1), housekeeper(2)]] * 5)
    assert made.stacks is not None
    orders = next(one for one in made.stacks.standstills if one.frame and "OrderDao" in one.frame)
    assert (orders.holder, orders.possible_user) == (None, None)


_EXECUTE = "org.apache.http.impl.execchain.MainClientExec.execute(MainClientExec.java:{})"
_NESTED = (
    "sun.misc.Unsafe.park(Native Method)",
    "- parking to wait for  <0x00000000f0000061> (a java.lang.Object)",
    "org.apache.http.pool.AbstractConnPool.getPoolEntryBlocking(AbstractConnPool.java:393)",
    _EXECUTE.format(190),
    "com.acme.Tokens.fetch(Tokens.java:56)",
    "org.apache.http.impl.auth.HttpAuthenticator.doAuth(HttpAuthenticator.java:233)",
    _EXECUTE.format(262),
    "com.acme.Orders.send(Orders.java:18)",
    "java.lang.Thread.run(Thread.java:748)",
)
_AT_WORK = (
    "java.net.SocketInputStream.socketRead0(Native Method)",
    "java.net.SocketInputStream.read(SocketInputStream.java:171)",
    _EXECUTE.format(272),
    "com.acme.Orders.send(Orders.java:18)",
    "java.lang.Thread.run(Thread.java:748)",
)


_IN_TRANSACTION = (
    "org.springframework.transaction.interceptor.TransactionAspectSupport.invokeWithinTransaction(T.java:388)",
    "com.acme.Orders.send(Orders.java:18)",
    "java.lang.Thread.run(Thread.java:748)",
)
_REQUIRES_NEW = (
    "sun.misc.Unsafe.park(Native Method)",
    "com.zaxxer.hikari.util.ConcurrentBag.borrow(ConcurrentBag.java:151)",
    "com.zaxxer.hikari.pool.HikariPool.getConnection(HikariPool.java:162)",
    "org.springframework.jdbc.datasource.DataSourceTransactionManager.doBegin(D.java:265)",
    "org.springframework.transaction.support.AbstractPlatformTransactionManager.handleExistingTransaction(A.java:429)",
    "com.acme.Audit.write(Audit.java:12)",
    *_IN_TRANSACTION,
)


@pytest.mark.parametrize(
    ("frames", "other", "found"),
    [
        (_NESTED, None, True),
        (_NESTED, _AT_WORK, False),
        (_REQUIRES_NEW, None, True),
        (_REQUIRES_NEW, ("com.acme.Prices.cell(Prices.java:77)", *_IN_TRANSACTION), False),
        (_REQUIRES_NEW, ("java.util.concurrent.FutureTask.get(FutureTask.java:190)", *_IN_TRANSACTION), False),
        ((*_NESTED[:4], *_NESTED[7:]), None, False),
    ],
)
def test_a_call_inside_of_a_call_waits_for_a_second_connection(
    frames: tuple[str, ...], other: tuple[str, ...] | None, found: bool, tmp_path: Path
) -> None:
    """One dump shows it: nobody else works with a connection that could come back."""
    timed = "TIMED_" if frames == _REQUIRES_NEW else ""
    sample = [At("sender-1", 7, frames, f"{timed}WAITING (parking)")]
    sample += [] if other is None else [At("sender-2", 8, other)]
    told = [one for one in report(tmp_path, [sample]).findings if one.rule == "connection-pool-exhausted"]
    assert ["second connection" in one.title.template for one in told] == [True] * found
    # a timeout ends the wait of HikariCP, not a restart alone
    assert [bool(one.now) for one in told] == [not timed] * found
