from __future__ import annotations

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.thread_locks import Deadlock

CYCLE = Deadlock(
    threads=("ConsumeMessageThread_CID_1", "ConsumeMessageThread_CID_2"),
    locks=(
        "com.acme.Stock at com.acme.Stock.move(Stock.java:12)",
        "com.acme.Ledger at com.acme.Ledger.book(Ledger.java:30)",
    ),
    group="CID",
)


def fires() -> Facts:
    """Two workers, each with what the other needs."""
    return Facts(stacks=StacksFacts(samples=1, deadlocks=(CYCLE,)))


def silent() -> Facts:
    """No cycle."""
    return Facts(stacks=StacksFacts(samples=1))
