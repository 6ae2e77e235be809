"""Rules about threads that consume nothing, on dumps of any JVM."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from mqdiag.diagnose.logs import diagnose_logs
from mqdiag.facts import Facts
from mqdiag.facts.stacks import SampleFacts, ThreadFacts
from mqdiag.findings import Finding
from mqdiag.language import english
from mqdiag.rules.discovery import all_rules
from mqdiag.rules.engine import run_rules
from mqdiag.text import say
from tests.folded import folded
from tests.rules.examples import (
    busy_loop,
    carriers_pinned,
    event_loop_blocked,
    standstill,
    stuck_socket_read,
    threads_grow,
)
from tests.threads.made import HTTP, SLEEP, TAKE, report
from tests.threads.test_any_thread import LOCK, PARK, TASK, WAITING, hidden, many, named


def of(facts: Facts) -> list[Finding]:
    return list(run_rules(all_rules(), facts).findings)


def changed(facts: Facts, part: str, **values: object) -> Facts:
    """The facts with other values in the first row of a part."""
    stacks = facts.stacks
    assert stacks is not None
    row = structs.replace(getattr(stacks, part)[0], **values)
    return Facts(stacks=structs.replace(stacks, **{part: (row,)}))


def test_a_map_that_is_changed_within_its_own_change_is_a_loop_of_consume_threads_too() -> None:
    values = {"share_of_core": None, "allocated_bytes": None, "seconds": 10.0, "updates_within": True}
    for role in ("other", "consume-worker"):
        (found,) = of(changed(busy_loop.fires(), "busy_threads", role=role, **values))
        assert (found.rule, found.severity) == ("busy-loop", "warning")
        assert "ConcurrentHashMap within the function" in english()(found.title)


@folded(
    "values, severity",
    [
        ({}, "warning"),
        ({"share_of_core": 0.6}, "info"),
        # that many new objects are work
        ({"allocated_bytes": 80 << 20}, "info"),
        ({"allocated_bytes": None}, "warning"),
        ({"share_of_core": None, "allocated_bytes": None, "seconds": 180.0}, "warning"),
        ({"samples": 2}, "info"),
    ],
)
def test_a_loop_or_work(values: dict[str, object], severity: str) -> None:
    (found,) = of(changed(busy_loop.fires(), "busy_threads", **values))
    assert (found.rule, found.severity) == ("busy-loop", severity)
    advice, counted = " ".join(map(english(), found.remedy)), found.evidence["allocated_bytes"] is not None
    assert ("jstack -e" not in advice) is counted, "allocated= is asked for where the dumps lack it"
    assert (found.confidence == "high") is ("new objects" in english()(found.confidence_reason))


@pytest.mark.parametrize(
    ("threads", "severity"),
    [((40, 50, 60, 70), "warning"), ((4, 14, 24, 34), "info"), ((100, 104, 108, 112), "info")],
)
def test_a_few_more_threads_may_be_a_pool_that_fills(threads: tuple[int, ...], severity: str) -> None:
    found = of(changed(threads_grow.fires(), "growing_kinds", threads=threads))
    assert [(one.rule, one.severity) for one in found] == [("threads-grow", severity)]


@pytest.mark.parametrize(
    ("values", "severity"),
    [
        ({}, "error"),
        ({"state": "unknown"}, "warning"),
        ({"state": "progressing"}, "warning"),
        ({"samples": 1}, "info"),
    ],
)
def test_a_loop_that_waits(values: dict[str, object], severity: str) -> None:
    (found,) = of(changed(event_loop_blocked.fires(), "blocked_loops", **values))
    assert (found.rule, found.severity) == ("event-loop-blocked", severity)


def test_a_hidden_deadlock_is_the_root_of_the_convoy(tmp_path: Path) -> None:
    found = {one.rule: one for one in report(tmp_path, [hidden(0)] * 4).findings}
    root = found["deadlock"]
    assert (root.cause, root.severity) == ("hidden-deadlock", "error")
    assert root.evidence["taken_at"] == "com.acme.Orders.place(Orders.java:30)"
    assert found["lock-convoy"].caused_by == (root.fingerprint,)


def test_a_pool_that_waits_for_futures_is_a_warning(tmp_path: Path) -> None:
    frames = (
        PARK,
        "java.util.concurrent.CompletableFuture.get(CompletableFuture.java:1908)",
        "com.acme.Report.make(Report.java:30)",
        *TASK,
    )
    (found,) = report(tmp_path, [many("report", 4, frames, WAITING)] * 5).findings
    assert (found.rule, found.cause, found.severity) == ("threads-stuck", "missing-timeout", "warning")


@pytest.mark.parametrize(
    "frames",
    [
        # listeners of their own queue, a server that reads a kept connection, a scheduler
        (PARK, "java.util.concurrent.LinkedBlockingQueue.take(L.java:442)", "com.L.r(L.java:4)", *TASK),
        (*HTTP[:3], "com.acme.Server.serve(Server.java:20)", *TASK),
        ("java.lang.Thread.sleep(Native Method)", "com.acme.Poller.run(Poller.java:9)", *TASK),
        (PARK, "java.util.concurrent.CountDownLatch.await(CountDownLatch.java:231)", "com.acme.M.run(M.java:3)", *TASK),
        TAKE,
    ],
)  # fmt: skip
@pytest.mark.parametrize("cpu", [5.0, None])
def test_what_may_be_a_rest_is_no_fault(tmp_path: Path, frames: tuple[str, ...], cpu: float | None) -> None:
    # one that rests shows that somebody may wake the others
    sample = [*many("pool-1-thread", 4, frames, WAITING, cpu), named("resting", 9, TAKE, WAITING)]
    found = report(tmp_path, [sample] * 5).findings
    assert [one for one in found if one.severity in ("error", "warning")] == []


def test_a_call_in_a_lock_explains_the_convoy_of_another_pool(tmp_path: Path) -> None:
    holds = (*HTTP[:6], "com.acme.Link.open(Link.java:9)", f"- locked {LOCK}", *TASK)
    waits = ("com.acme.Link.send(Link.java:20)", f"- waiting to lock {LOCK}", *TASK)
    sample = [named("link", 1, holds), *many("sender", 3, waits, "BLOCKED (on object monitor)")]
    found = {one.rule: one for one in report(tmp_path, [sample] * 5).findings}
    assert found["lock-convoy"].caused_by == (found["threads-stuck"].fingerprint,)


@pytest.mark.parametrize(("waiters", "severity"), [(12, "warning"), (5, "info"), (4, None)])
def test_a_lock_that_changes_hands(tmp_path: Path, waiters: int, severity: str | None) -> None:
    waits = ("com.acme.Link.send(Link.java:20)", f"- waiting to lock {LOCK}", *TASK)
    holds = (
        "java.lang.Thread.sleep(Native Method)",
        "com.acme.Link.send(Link.java:22)",
        f"- locked {LOCK}",
        *TASK,
    )
    busy = ("com.acme.Work.run(Work.java:9)", *TASK)
    samples = []
    for number in range(4):
        pool = many("sender", waiters + 1, waits, "BLOCKED (on object monitor)", 5.0 + 40 * number)
        pool[number] = named("sender", number + 1, holds, "TIMED_WAITING (sleeping)", 5.0 + 40 * number)
        samples.append([*pool, *many("other", 8, busy, cpu=5.0 + 300 * number)])
    found = [one for one in report(tmp_path, samples).findings if one.rule == "lock-convoy"]
    assert [(one.cause, one.severity) for one in found] == ([("slow-holder", severity)] if severity else [])


@pytest.mark.parametrize(
    ("jvm", "advised"), [("(21.0.7+6 mixed mode)", True), ("(25+36-LTS mixed mode)", False)]
)
def test_a_jdk_24_is_not_told_to_be_one(jvm: str, advised: bool) -> None:
    stacks = carriers_pinned.fires().stacks
    assert stacks is not None
    sample = SampleFacts(path="a", format="jstack", jvm=f"OpenJDK 64-Bit Server VM {jvm}")
    (found,) = of(Facts(stacks=structs.replace(stacks, series=(sample,))))
    assert ("JDK 24" in english()(found.then[0].text)) is advised


@pytest.mark.parametrize(
    ("values", "size"),
    [
        ({}, "consumeThreadMin"),
        ({"role": "pool", "group": None, "pool": "web"}, "at the same time"),
        # nobody uses one: a larger pool runs dry later
        ({"holder": None}, None),
    ],
)
def test_the_size_of_a_connection_pool(values: dict[str, object], size: str | None) -> None:
    waits: dict[str, object] = {
        "kind": "pool",
        "library": "Druid",
        "holder": "ConsumeMessageThread_CID_9",
        "holder_does": "socket-read at com.acme.Dao.find(Dao.java:33)",
        "remedy": (
            say("Set maxActive of Druid to at least consumeThreadMin plus the other users of the pool."),
        ),
    }
    pool = structs.replace(stuck_socket_read.READ, **{**waits, **values})
    own = ThreadFacts(name="Druid-ConnectionPool-Create-12", role="other", state="idle", samples=())
    facts = standstill.example(pool)
    assert facts.stacks is not None
    (found,) = of(Facts(stacks=structs.replace(facts.stacks, threads=(own,))))
    advice = " ".join(map(english(), found.remedy))
    assert found.rule == "connection-pool-exhausted"
    assert size in advice if size else "maxActive" not in advice


@pytest.mark.parametrize(("ms", "told"), [(1302641, True), (5200, False)])
def test_vertx_says_for_how_long_a_thread_has_been_in_one_task(ms: int, told: bool, tmp_path: Path) -> None:
    log = tmp_path / "console.log"
    log.write_text(
        "2026-11-19 11:50:27,219 WARN  [io.ver.cor.imp.BlockedThreadChecker] (vertx-blocked-thread-checker) Thread"
        f" Thread[vert.x-worker-thread-2,5,main] has been blocked for {ms} ms, time limit is 60000 ms\n"
        "\tat app//com.acme.Orders.send(Orders.java:73)\n"
    )
    found = [one for one in diagnose_logs([log]).report.findings if one.rule == "threads-stuck"]
    assert [one.evidence["threads"] for one in found] == ([("vert.x-worker-thread-2",)] if told else [])


@pytest.mark.parametrize(("counts", "told"), [((10, 33), True), ((10, 25), False), ((20, 39), False)])
def test_two_samples_show_a_leak_only_where_many_threads_are_new(
    counts: tuple[int, int], told: bool, tmp_path: Path
) -> None:
    samples = [many("Thread", count, SLEEP, "TIMED_WAITING (sleeping)") for count in counts]
    found = [one.severity for one in report(tmp_path, samples).findings if one.rule == "threads-grow"]
    assert found == (["warning"] if told else [])
