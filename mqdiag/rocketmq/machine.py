"""What a broker's store knows of the machine that it runs on."""

from __future__ import annotations

from mqdiag.graph.heap import Heap
from mqdiag.rocketmq import fields


def memory_bytes(heap: Heap) -> int | None:
    """The memory of the machine or container, as StoreUtil of a broker asked OperatingSystemMXBean for it.

    Returns:
        None where no broker is in the heap, or several copies of its classes say different things.
    """
    rows = [
        row
        for root in fields.package_roots(heap, "StoreUtil")
        for row in fields.class_rows(heap, root, "StoreUtil")
    ]
    # 0 while the class is not initialized
    found = {value for value in fields.static_numbers(heap, rows, "StoreUtil.memory_bytes") if value > 0}
    return found.pop() if len(found) == 1 else None
