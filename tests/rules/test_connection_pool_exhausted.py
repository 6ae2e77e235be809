"""connection-pool-exhausted: what is said of threads that give up and wait again."""

from __future__ import annotations

import msgspec
import pytest

from mqdiag.causes.link import standing
from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.facts.thread_pools import ConnectionWaits
from mqdiag.findings import Confidence, Finding, Severity
from mqdiag.language import english
from mqdiag.rules import connection_pool_exhausted
from tests.rules.checks import findings

WAITS = ConnectionWaits(
    library="HikariCP",
    cause="pool-too-small",
    pool="ConsumeMessageThread_CID",
    group="CID",
    threads=("ConsumeMessageThread_CID_1", "ConsumeMessageThread_CID_2"),
    pool_size=2,
    waiting=(2, 1, 2, 2),
    frame="com.acme.orders.OrderDao.insert(OrderDao.java:22)",
)


def found(waits: ConnectionWaits = WAITS, seconds: float | None = 30.0) -> Finding:
    stacks = StacksFacts(samples=4, seconds=seconds, judged=True, connection_waits=(waits,))
    (finding,) = findings(connection_pool_exhausted, Facts(stacks=stacks))
    return finding


@pytest.mark.parametrize("group", ["CID", None])
def test_threads_wait_in_almost_every_sample(group: str | None) -> None:
    title = english()(found(msgspec.structs.replace(WAITS, group=group)).title)
    assert "for a connection of HikariCP at OrderDao.insert" in title


def test_a_leak_that_nobody_saw_is_called_probable() -> None:
    finding = found()
    assert (finding.cause, finding.confidence) == ("connection-leak", Confidence.MEDIUM)
    assert english()(finding.explanation[-1]).endswith("did not close them (leaked).")


@pytest.mark.parametrize(
    ("numbers", "cause", "confidence"),
    [((6, 6), "connection-leak", Confidence.HIGH), ((0, 0), "database-unreachable", Confidence.MEDIUM)],
)
def test_the_pools_own_numbers_tell_a_leak_from_a_database_that_gives_none(
    numbers: tuple[int, int], cause: str, confidence: Confidence
) -> None:
    ran_dry = LogEvent(
        kind="pool-ran-dry", count=3, values=dict(zip(("connections", "in_use"), numbers, strict=True))
    )
    stacks = StacksFacts(samples=4, seconds=30.0, judged=True, connection_waits=(WAITS,))
    found = findings(connection_pool_exhausted, Facts(stacks=stacks, logs=LogsFacts(events=(ran_dry,))))
    (finding,) = standing(found)
    assert (finding.cause, finding.confidence) == (cause, confidence)


@pytest.mark.parametrize(
    ("seconds", "severity"), [(30.0, Severity.ERROR), (2.0, Severity.WARNING), (None, Severity.WARNING)]
)
def test_only_a_time_that_is_known_makes_an_error(seconds: float | None, severity: Severity) -> None:
    assert found(seconds=seconds).severity == severity
