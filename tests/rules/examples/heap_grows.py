from __future__ import annotations

from typing import Any

from msgspec import structs

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.heap_classes import Suspect
from mqdiag.facts.heap_threads import HeapThread
from mqdiag.facts.processes import ProcessFacts
from tests.rules.examples.consumer import example

MIB = 1 << 20


def facts(sizes: tuple[int, ...], minutes: tuple[int, ...] = (0, 2, 4), **changes: Any) -> Facts:
    """A heap dump for each size in MiB of one cache, of one process, written at these minutes."""
    return Facts(
        processes=tuple(
            ProcessFacts(
                name=f"dump {number}", pid=1, inputs=(f"dump{number}",), heap=_heap(number, size, at, changes)
            )
            for number, (size, at) in enumerate(zip(sizes, minutes, strict=False), 1)
        )
    )


def _heap(number: int, size: int, minute: int, changes: dict[str, Any]) -> HeapFacts:
    heap = example().heap
    assert heap is not None
    cache = Suspect(
        class_name="java.util.concurrent.ConcurrentHashMap",
        object_id=f"0x{number}",
        retained_bytes=size * MIB,
        share=0.5,
        path=(),
        owner="application",
        label="com.acme.Seen.ORDERS",
        kind="field",
        own_inside=(f"com.acme.Order: {size * 1000:,}",),
    )
    apart = changes.get("apart", 0) * number
    threads = tuple(HeapThread(name=f"worker-{one}", tid=f"0x{one + apart:x}") for one in range(5))
    return structs.replace(
        heap,
        captured_at=f"2026-11-28T02:{minute:02}:00.000+00:00",
        shallow_bytes=(10 + size) * MIB,
        suspects=(structs.replace(cache, **changes.get("cache", {})),),
        threads=threads,
    )


def fires() -> Facts:
    """A cache with 4,000, 10,000 and 16,000 entries in three dumps, two minutes apart."""
    return facts((4, 10, 16))


def silent() -> Facts:
    """It grew by a tenth."""
    return facts((40, 42, 44))
