"""What is said of a lock that no thread of the dump owns, or whose owner has no frames."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from mqdiag.facts.vocabulary import Doing
from mqdiag.knowledge.remedies import remedy
from mqdiag.language import english
from mqdiag.rules.shared.standstill import acts
from tests.threads.made import CONSUME, READ, RUN, At, facts, report, states
from tests.threads.real_series import CASES, diagnosis_of

OTHER = ("com.acme.Prices.refresh(Prices.java:9)", "java.lang.Thread.run(Thread.java:840)")
LOCKS = {
    "reentrant": ("java.util.concurrent.locks.ReentrantLock$NonfairSync", "ReentrantLock.lock"),
    "reading": (
        "java.util.concurrent.locks.ReentrantReadWriteLock$NonfairSync",
        "ReentrantReadWriteLock$WriteLock.lock",
    ),
    "stamped": ("java.util.concurrent.locks.StampedLock", "StampedLock.readLock"),
}


@pytest.mark.parametrize(
    ("lock", "listed", "said"),
    [
        ("reentrant", False, "jstack -l does"),
        ("reentrant", True, "no living thread owns this one"),
        ("reading", False, "unless the lock is held for reading"),
        ("reading", True, "held for reading"),
        ("stamped", False, "a StampedLock, have no owner"),
        ("stamped", True, "a StampedLock, have no owner"),
    ],
)
def test_why_nobody_is_named(tmp_path: Path, lock: str, listed: bool, said: str) -> None:
    class_name, call = LOCKS[lock]
    frames = (
        "jdk.internal.misc.Unsafe.park(Native Method)",
        f"- parking to wait for  <{{stream}}> (a {class_name})",
        f"java.util.concurrent.locks.{call}(Locks.java:1)",
        "com.acme.Ledger.post(Ledger.java:17)",
        *CONSUME,
    )
    owned = ("<0x00000000f0000009> (a java.util.concurrent.locks.ReentrantLock$NonfairSync)",) if listed else ()
    sample = [
        *(At(f"ConsumeMessageThread_CID_{n}", 26 + n, frames, "WAITING (parking)") for n in (1, 2)),
        At("prices", 40, OTHER, "RUNNABLE", synchronizers=owned),
    ]
    (found,) = [each for each in report(tmp_path, [sample] * 5).findings if each.rule == "lock-convoy"]
    assert said in " ".join(map(english(), found.explanation))
    assert ("jstack -l PID" in english()(found.remedy[0])) is (not listed and lock != "stamped")


def test_a_thread_that_holds_what_others_wait_for_is_at_work(tmp_path: Path) -> None:
    """It is of no pool and waits in a call like a thread without work, while consume threads need its monitor."""
    monitor = "<0x00000000f0000077> (a com.acme.Stock)"
    waits = ("com.acme.Stock.take(Stock.java:20)", f"- waiting to lock {monitor}", *CONSUME)
    run = "java.lang.Thread.run(Thread.java:1)"
    reads = (*READ, "com.acme.Prices.refresh(Prices.java:9)", f"- locked {monitor}", run)
    sample = [
        At("prices", 40, reads),
        At("mails", 41, (*READ, "com.acme.Mails.poll(Mails.java:9)", run)),
        *(At(f"ConsumeMessageThread_CID_{number}", 50 + number, waits, "BLOCKED") for number in (1, 2)),
    ]
    made = report(tmp_path, [sample] * 5)
    assert made.stacks is not None
    assert states(made.stacks)["prices"] == "stuck"
    # it may be meant to wait there, as nobody needs what it has
    assert states(made.stacks)["mails"] == "unknown"
    found = {one.rule: one for one in made.findings}
    assert found["stuck-socket-read"].evidence["held_up"] == 2
    assert english()(found["stuck-socket-read"].title).startswith("Thread prices hangs")
    assert "2 other threads wait for a lock that it holds." in map(
        english(), found["stuck-socket-read"].explanation
    )
    assert found["lock-convoy"].caused_by == (found["stuck-socket-read"].fingerprint,)


def test_who_waits_behind_a_waiting_thread_does_not_wait_for_the_lock_of_the_last_one(tmp_path: Path) -> None:
    one, other = "<0x00000000f0000071> (a com.acme.Stock)", "<0x00000000f0000072> (a com.acme.Prices)"
    reads = (*READ, "com.acme.Prices.load(Prices.java:9)", f"- locked {other}", RUN)
    between = (
        "com.acme.Prices.get(Prices.java:5)",
        f"- waiting to lock {other}",
        "com.acme.Stock.take(Stock.java:5)",
        f"- locked {one}",
        *CONSUME,
    )
    waits = ("com.acme.Stock.take(Stock.java:4)", f"- waiting to lock {one}", *CONSUME)
    sample = [
        At("prices", 40, reads),
        At("ConsumeMessageThread_CID_1", 51, between, "BLOCKED"),
        *(At(f"ConsumeMessageThread_CID_{n}", 50 + n, waits, "BLOCKED") for n in (2, 3, 4)),
    ]
    found = {one.rule: one for one in report(tmp_path, [sample] * 5).findings}
    assert found["stuck-socket-read"].evidence["held_up"] == 1


def test_a_thread_that_rests_behind_a_lock_is_not_stuck_by_its_frames(tmp_path: Path) -> None:
    """It took the lock in the same method and gave it back, which no line of a dump without -l tells."""
    parked = "jdk.internal.misc.Unsafe.park(Native Method)"
    waits = (
        parked,
        "- parking to wait for  <{stream}> (a java.util.concurrent.locks.ReentrantLock$NonfairSync)",
        "java.util.concurrent.locks.ReentrantLock.lock(ReentrantLock.java:322)",
        "com.acme.Ledger.loop(Ledger.java:20)",
        *CONSUME,
    )
    rests = (
        parked,
        "java.util.concurrent.LinkedBlockingQueue.take(LinkedBlockingQueue.java:435)",
        "com.acme.Ledger.loop(Ledger.java:30)",
        "java.lang.Thread.run(Thread.java:840)",
    )
    sample = [
        *(At(f"ConsumeMessageThread_CID_{n}", 26 + n, waits, "WAITING (parking)") for n in (1, 2)),
        At("ledger", 40, rests, "WAITING (parking)"),
        # work may still come
        At("selector", 41, ("sun.nio.ch.EPoll.wait(Native Method)", "com.acme.Door.listen(Door.java:9)")),
    ]
    made = report(tmp_path, [sample] * 5)
    assert made.stacks is not None
    assert states(made.stacks)["ledger"] == "idle"
    assert "ledger" not in {thread for still in made.stacks.standstills for thread in still.threads}


def test_a_holder_in_one_sample_only_says_nothing_about_progress(tmp_path: Path) -> None:
    monitor = "<0x00000000f0000077> (a com.acme.Stock)"
    waits = ("com.acme.Stock.take(Stock.java:20)", f"- waiting to lock {monitor}", *CONSUME)
    workers = [At(f"ConsumeMessageThread_CID_{n}", 26 + n, waits, "BLOCKED") for n in (1, 2)]
    reads = (*READ, "com.acme.Prices.refresh(Prices.java:9)", f"- locked {monitor}", RUN)
    made = facts(tmp_path, [*[workers] * 4, [*workers, At("prices", 40, reads)]])
    assert states(made)["prices"] == "unknown"


def test_a_holder_without_a_frame_is_named_without_a_place(tmp_path: Path) -> None:
    """Some forms of dump name the owner of a lock, but show no frame of it."""
    lock = "<0x00000000f0000099> (a java.util.concurrent.locks.ReentrantLock$NonfairSync)"
    waits = (
        "jdk.internal.misc.Unsafe.park(Native Method)",
        f"- parking to wait for  {lock}",
        "java.util.concurrent.locks.ReentrantLock.lock(ReentrantLock.java:322)",
        "com.acme.Stock.take(Stock.java:20)",
        *CONSUME,
    )
    sample = [
        At("native-helper", 40, (), synchronizers=(lock,)),
        *(At(f"ConsumeMessageThread_CID_{number}", 50 + number, waits, "WAITING") for number in (1, 2)),
    ]
    (still,) = facts(tmp_path, [sample] * 5).standstills
    assert still.holder == "native-helper"
    assert still.holder_does is not None
    assert "?" not in still.holder_does
    assert still.remedy[0] == remedy("lock")[0]


@pytest.mark.parametrize(("line", "owner"), [(60, "SendMessageThread_3"), (10, None)])
def test_the_owner_is_behind_the_line_at_which_the_others_wait(
    tmp_path: Path, line: int, owner: str | None
) -> None:
    """One method takes two kinds of locks: many, each for a topic, and behind them one for all."""

    def waits(lock: str, at: int) -> tuple[str, ...]:
        return (
            "jdk.internal.misc.Unsafe.park(Native Method)",
            f"- parking to wait for  <{lock}> (a java.util.concurrent.locks.ReentrantLock$NonfairSync)",
            "java.util.concurrent.locks.ReentrantLock.lock(ReentrantLock.java:322)",
            f"com.acme.Ledger.put(Ledger.java:{at})",
            *CONSUME,
        )

    writes = (
        "java.io.RandomAccessFile.open0(Native Method)",
        f"com.acme.Ledger.put(Ledger.java:{line})",
        *CONSUME,
    )
    for_all = "0x00000000f0000001"
    sample = [
        At("SendMessageThread_1", 31, waits(for_all, 50), "WAITING (parking)"),
        At("SendMessageThread_2", 32, waits(for_all, 50), "WAITING (parking)"),
        At("SendMessageThread_3", 33, writes),
        At("SendMessageThread_4", 34, waits("0x00000000f0000002", 40), "WAITING (parking)"),
        At("SendMessageThread_5", 35, waits("0x00000000f0000003", 40), "WAITING (parking)"),
    ]
    owners = {lock.object_id: lock.owner for lock in facts(tmp_path, [sample] * 5).locks}
    assert owners[for_all] == owner
    assert owners["0x00000000f0000002"] is None


def test_a_holder_that_frames_alone_tell_is_named_with_reserve(tmp_path: Path) -> None:
    waits = (
        "jdk.internal.misc.Unsafe.park(Native Method)",
        "- parking to wait for  <0x00000000f0000001> (a java.util.concurrent.locks.ReentrantLock$NonfairSync)",
        "java.util.concurrent.locks.ReentrantLock.lock(ReentrantLock.java:322)",
        "com.acme.Ledger.post(Ledger.java:20)",
        *CONSUME,
    )
    reads = (*READ, "com.acme.Ledger.post(Ledger.java:30)", *CONSUME)
    sample = [
        *(At(f"ConsumeMessageThread_CID_{n}", 26 + n, waits, "WAITING (parking)") for n in (1, 2)),
        At("ConsumeMessageThread_CID_3", 40, reads),
    ]
    (found,) = [one for one in report(tmp_path, [sample] * 5).findings if one.rule == "lock-convoy"]
    assert english()(found.title).endswith("; ConsumeMessageThread_CID_3 seems to hold it")
    assert "jstack -l names the owner" in " ".join(map(english(), found.explanation))


def test_the_last_thread_of_a_chain_does_not_hold_the_first_lock(tmp_path: Path) -> None:
    one, other = "<0x00000000f0000071> (a com.acme.Stock)", "<0x00000000f0000072> (a com.acme.Prices)"
    run = "java.lang.Thread.run(Thread.java:1)"
    reads = (*READ, "com.acme.Prices.load(Prices.java:9)", f"- locked {other}", run)
    between = (
        "com.acme.Prices.get(Prices.java:5)",
        f"- waiting to lock {other}",
        "com.acme.Stock.take(Stock.java:5)",
        f"- locked {one}",
        run,
    )
    waits = ("com.acme.Stock.take(Stock.java:4)", f"- waiting to lock {one}", *CONSUME)
    sample = [
        At("prices", 40, reads),
        At("stock", 51, between, "BLOCKED"),
        *(At(f"ConsumeMessageThread_CID_{n}", 50 + n, waits, "BLOCKED") for n in (2, 3)),
    ]
    found = [one for one in report(tmp_path, [sample] * 5).findings if one.rule == "lock-convoy"]
    titles = [english()(one.title) for one in found if one.subject.group == "CID"]
    assert [title.partition("; ")[2] for title in titles] == ["the chain of locks ends at prices"]


def _lock(call: str, frame: str) -> tuple[str, ...]:
    return (
        "jdk.internal.misc.Unsafe.park(Native Method)",
        "- parking to wait for  <0x00000000f0000088> (a java.util.concurrent.locks.ReentrantReadWriteLock$FairSync)",
        f"java.util.concurrent.locks.ReentrantReadWriteLock${call}.lock(Locks.java:1)",
        frame,
        "java.lang.Thread.run(Thread.java:840)",
    )


def test_readers_behind_the_line_of_a_read_lock_hold_it_before_all_who_want_it(tmp_path: Path) -> None:
    """Two share the lock and wait for one answer each; a writer, and readers behind it, wait for both."""
    reads = (
        "jdk.internal.misc.Unsafe.park(Native Method)",
        "java.util.concurrent.CompletableFuture.get(CompletableFuture.java:2072)",
        "com.acme.Link.handle(Link.java:21)",
        "java.lang.Thread.run(Thread.java:840)",
    )
    sample = [
        At("main", 1, _lock("WriteLock", "com.acme.Link.add(Link.java:9)"), "WAITING (parking)"),
        *(
            At(f"r-{n}", 20 + n, _lock("ReadLock", "com.acme.Link.handle(Link.java:17)"), "WAITING (parking)")
            for n in (1, 2)
        ),
        *(At(f"h-{n}", 30 + n, reads, "WAITING (parking)") for n in (1, 2)),
    ]
    (lock,) = facts(tmp_path, [sample] * 3).locks
    assert (lock.owner, lock.inferred, lock.waiters) == ("h-1", True, ("main", "r-1", "r-2"))
    elsewhere = (*reads[:2], "com.acme.Link.handle(Link.java:25)", reads[3])
    (lock,) = facts(tmp_path, [[*sample[:-1], At("h-2", 32, elsewhere, "WAITING (parking)")]] * 3).locks
    assert lock.owner is None
    write = [At("w", 20, _lock("WriteLock", "com.acme.Link.handle(Link.java:17)"), "WAITING (parking)")]
    (lock,) = facts(tmp_path, [[*write, *sample[-2:]]] * 3).locks
    assert lock.owner is None


def test_a_deadlock_of_the_jvms_own_section_has_the_lines_and_locks_of_each_thread() -> None:
    """The dumps were taken without -l, so no line of a thread names an owner."""
    stacks = diagnosis_of(CASES / "deadlock-locks" / "series.tar.gz").report.stacks
    assert stacks is not None
    (found,) = stacks.deadlocks
    assert found.source == "jvm"
    one, other = found.members
    assert (one.wants_id, one.holds_id) == (other.holds_id, other.wants_id)
    assert one.frame is not None
    assert "LockDeadlock.transfer" in one.frame


def test_each_kind_of_wait_has_words_for_a_holder() -> None:
    for kind in get_args(Doing):
        words = acts(f"{kind} at com.acme.Orders.place(Orders.java:30)")
        assert words is not None
        assert english()(words).endswith(" at Orders.place(Orders.java:30)")
    assert acts("running") is None
