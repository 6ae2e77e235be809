"""What is said of a lock that no thread of the dump owns, or whose owner has no frames."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.language import english
from mqdiag.threads.cause_of_wait import LOCK_REMEDY
from tests.threads.made import CONSUME, At, facts, report

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
        ("reading", False, "jstack -l does"),
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
    assert still.remedy[0] == LOCK_REMEDY[0]
