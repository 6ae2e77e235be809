"""Holds the time in a dump's header against the times that its own objects have.

The header has eight bytes for the time, and all ages of a report are counted from them. A dump that was edited, joined,
or written by a host with a wrong clock would make a stuck consumer look healthy and a healthy one stuck. A RocketMQ
client stamps what it does with the same clock: pulls, calls of the listener, locks of queues, and every ten seconds a
snapshot of its statistics, whether messages come or not.
"""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
import numpy as np

from mqdiag.facts.heap import CLOCKS, TIME
from mqdiag.graph.heap import Heap, Nodes
from mqdiag.read.hprof.header import FIRST_MS, LAST_MS
from mqdiag.rocketmq import fields
from mqdiag.rocketmq.client import find_clients
from mqdiag.text import Text, say

_AHEAD_MS = 2000
"""an object cannot be younger than its dump; a clock that is being set back is no gross error"""
_BEHIND_MS = 35_000
"""without a stamp for so long a client had stopped altogether, or the header is wrong; the dump cannot tell which.

A pull waits 30 s for an answer at the most, and a snapshot follows another after 10 s, stuck listeners or not.
"""
_HOSTS_APART_MS = 60_000
"""by which a message may be younger than the dump that holds it: its broker has a clock of its own"""
_OWN = (
    (
        "ProcessQueue",
        ("ProcessQueue.last_pull_ms", "ProcessQueue.last_consume_ms", "ProcessQueue.last_lock_ms"),
    ),
    ("CallSnapshot", ("CallSnapshot.at_ms",)),
)
"""classes that the client stamps with the clock of its host, and their fields"""


def check_clock(heap: Heap) -> dict[str, Text]:
    """Make a time unknown that the heap contradicts, so that no age is counted from it.

    Returns:
        Why it is unknown, for `HeapFacts.unknown`; empty where it is believed, or where there is no RocketMQ client.
    """
    clients = find_clients(heap)
    if not clients:
        return {}
    written = heap.header.captured_at_ms
    if not written:
        return {TIME: say("the header of the dump has no plausible time")}
    newest = max(
        (
            _newest(heap, fields.instances(heap, client.root, role), stamps)
            for client in clients
            for role, stamps in _OWN
        ),
        default=0,
    )
    if not newest or -_AHEAD_MS <= written - newest <= _BEHIND_MS:
        stored = max(
            _newest(heap, client.objects("MessageExt"), ("MessageExt.stored_ms",)) for client in clients
        )
        if stored - written <= _HOSTS_APART_MS:
            return {}
        return {
            CLOCKS: say(
                "by the broker's clock a message was stored at {stored:time}, and by the client's clock the dump that"
                " holds it was taken at {written:time}",
                stored=_shown(stored),
                written=_shown(written),
            )
        }
    heap.header = msgspec.structs.replace(heap.header, captured_at_ms=0)
    return {
        TIME: say(
            "the header of the dump says {written:time}, and the newest time in its heap is {newest:time}",
            written=_shown(written),
            newest=_shown(newest),
        )
    }


def _newest(heap: Heap, nodes: Nodes, stamps: tuple[str, ...]) -> int:
    """The newest plausible stamp of objects, epoch milliseconds; 0 without any."""
    found = [fields.numbers(heap, nodes, stamp) for stamp in stamps]
    times = np.concatenate([np.zeros(1, np.int64), *found])
    return int(times[(times > FIRST_MS) & (times < LAST_MS)].max(initial=0))


def _shown(at_ms: int) -> str:
    """A time as RFC 3339."""
    return datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(timespec="seconds")
