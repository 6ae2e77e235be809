"""Threads that hang or are slow, in dumps without CPU times."""

from __future__ import annotations

import shlex

from msgspec import structs

from mqdiag.capture.cpu_times import shell_loop
from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.stacks import Standstill, ThreadFacts
from mqdiag.facts.thread_pools import WorkerPool
from mqdiag.findings import Confidence, Finding, Severity
from mqdiag.knowledge.remedies import remedy
from mqdiag.language import english
from mqdiag.rules.discovery import all_rules
from mqdiag.rules.engine import run_rules
from tests.rules.examples.stuck_socket_read import READ


def found(still: Standstill, doing: str = "socket-read", **others: object) -> list[Finding]:
    threads = tuple(
        ThreadFacts(name=name, role=still.role, state="unknown", samples=(), doing=doing)  # type: ignore[arg-type]
        for name in still.threads
    )
    facts = StacksFacts(samples=5, seconds=10.4, judged=True, same_calls=(still,), threads=threads, **others)  # type: ignore[arg-type]
    return list(run_rules(all_rules(), Facts(stacks=facts)).findings)


def same_call(**values: object) -> Standstill:
    return structs.replace(READ, cpu_growth_ms=None, confidence="low", decided=False, **values)


def test_a_network_call_hangs_or_is_slow() -> None:
    (one,) = found(same_call())
    assert (one.rule, one.cause, one.severity) == ("stuck-socket-read", "hangs-or-slow", Severity.WARNING)
    assert one.confidence is Confidence.MEDIUM
    assert english()(one.title) == (
        "All 2 consume threads of group CID are in a network call of HttpURLConnection at"
        " InventoryClient.reserve(InventoryClient.java:48) in all 5 samples: they hang, or are slow"
    )
    # the one command that decides, then the setting
    assert [english()(action.command) for action in one.now] == [
        "mqdiag capture PID",
        "ss -tnp | grep pid=PID,",
    ]
    assert english()(one.then[0].text) == "Call setConnectTimeout and setReadTimeout."


def test_a_wait_hangs_or_is_slow() -> None:
    (one,) = found(same_call(kind="wait", cause="missing-timeout", library=None), "latch")
    assert (one.rule, one.cause, one.severity) == ("stuck-wait", "hangs-or-slow", Severity.WARNING)


def test_threads_that_run_may_have_work() -> None:
    (one,) = found(same_call(kind="wait", cause="missing-timeout", library=None, pool_size=9), "running")
    assert (one.rule, one.cause, one.severity) == ("cpu-bound-listener", "busy-loop", Severity.INFO)
    assert one.undecides


def test_a_pool_that_always_runs_has_no_free_thread() -> None:
    (one,) = found(same_call(kind="wait", cause="missing-timeout", library=None), "running")
    assert (one.rule, one.cause, one.severity) == ("cpu-bound-listener", "hangs-or-slow", Severity.WARNING)
    assert not one.undecides


def test_a_sleep_may_be_one_of_many() -> None:
    (one,) = found(same_call(kind="sleep", cause="sleep-in-listener", library=None), "sleep")
    assert (one.rule, one.cause, one.severity) == ("sleeping-listener", "sleep-in-listener", Severity.WARNING)


def test_nothing_is_left_to_say_of_what_is_told() -> None:
    pool = WorkerPool(role=READ.role, pool=READ.pool or "", group="CID", threads=READ.threads, unknown=2)
    assert [one.rule for one in found(same_call(), pools=(pool,))] == ["stuck-socket-read"]
    more = structs.replace(pool, unknown=3, threads=(*READ.threads, "ConsumeMessageThread_CID_3"))
    assert {one.rule for one in found(same_call(), pools=(more,))} == {
        "stuck-socket-read",
        "progress-not-judged",
    }


def test_the_loop_of_the_advice_is_that_of_capture() -> None:
    (advice,) = remedy("tell_hang_from_slow")
    line = shell_loop(None, 5, 3)
    assert shlex.split(line.partition(";")[0])
    assert line in english()(advice.filled({"pid": None}))
