from __future__ import annotations

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.heap import MessageHolder, MessageTotals


def _facts(elsewhere: int, holders: tuple[MessageHolder, ...]) -> Facts:
    heap = HeapFacts(
        objects=100_000,
        shallow_bytes=200_000_000,
        unreachable_objects=0,
        unreachable_bytes=0,
        process_queues=8,
        messages=elsewhere + 20,
        messages_in_queues=20,
        message_totals=MessageTotals(in_queues=20, elsewhere=elsewhere, elsewhere_bytes=elsewhere * 40_000),
        message_holders=holders,
    )
    return Facts(heap=heap)


def fires() -> Facts:
    """An audit trail of the application keeps 2,000 consumed messages."""
    holder = MessageHolder(
        holder_class="com.acme.Audit",
        holder_field="TRAIL",
        object_id="0x1",
        messages=2000,
        retained_bytes=80_000_000,
        path=("class com.acme.Audit", "TRAIL java.util.ArrayList"),
    )
    return _facts(2000, (holder,))


def silent() -> Facts:
    """The application keeps a few messages, as any listener does."""
    return _facts(499, ())
