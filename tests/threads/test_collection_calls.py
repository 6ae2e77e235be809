"""Threads that call System.gc(): the user's own code, or the JDK for direct buffers."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.language import english
from tests.threads.made import CONSUME, TAKE, At, report

GC = ("java.lang.Runtime.gc(Native Method)", "java.lang.System.gc(System.java:1907)")
DIRECT = (
    *GC,
    "java.nio.Bits.reserveMemory(Bits.java:190)",
    "java.nio.DirectByteBuffer.<init>(DirectByteBuffer.java:124)",
)
IDLE = At("ConsumeMessageThread_CID_2", 91, TAKE, "WAITING (parking)", 5.0)


@pytest.mark.parametrize(
    ("frames", "cause", "title"),
    [
        (
            GC,
            "system-gc",
            "Listener.consumeMessage(Listener.java:19) calls System.gc(): 1 thread waits for collections",
        ),
        (
            DIRECT,
            "direct-memory-full",
            "Direct buffers have reached their limit: the JDK calls System.gc() for each new one",
        ),
    ],
)
def test_who_asks_for_collections(tmp_path: Path, frames: tuple[str, ...], cause: str, title: str) -> None:
    calls = At("ConsumeMessageThread_CID_1", 90, (*frames, *CONSUME), "RUNNABLE", 5.0)
    found = [
        one for one in report(tmp_path, [[calls, IDLE]] * 3).findings if one.rule == "explicit-collections"
    ]
    assert [(one.cause, english()(one.title)) for one in found] == [(cause, title)]


def test_one_call_among_many_samples_is_nothing(tmp_path: Path) -> None:
    calls = At("ConsumeMessageThread_CID_1", 90, (*GC, *CONSUME), "RUNNABLE", 5.0)
    rests = At("ConsumeMessageThread_CID_1", 90, TAKE, "WAITING (parking)", 5.0)
    samples = [[calls, IDLE], *([[rests, IDLE]] * 2)]
    assert "explicit-collections" not in {one.rule for one in report(tmp_path, samples).findings}
