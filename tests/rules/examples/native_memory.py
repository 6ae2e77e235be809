from __future__ import annotations

from mqdiag.facts import Facts, ResourcesFacts
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.facts.resources import ProcessResources, ResourceReading

MIB = 1 << 20
KILL = LogEvent(kind="oom-killer-ran", count=1, values={"largest_resident_kib": 500 << 10})


def _killed(heap_used_bytes: int) -> Facts:
    reading = ResourceReading(
        path="resources/02.txt",
        pid=4711,
        memory_limit_bytes=512 * MIB,
        memory_bytes=400 * MIB,
        resident_bytes=380 * MIB,
        heap_bytes=heap_used_bytes + 20 * MIB,
        heap_used_bytes=heap_used_bytes,
        metaspace_bytes=13 * MIB,
    )
    return Facts(
        logs=LogsFacts(events=(KILL,)),
        resources=ResourcesFacts(processes=(ProcessResources(first=reading, last=reading),)),
    )


def fires() -> Facts:
    """The kernel killed a process of 500 MiB whose heap had 20 MiB in use."""
    return _killed(20 * MIB)


def silent() -> Facts:
    """The heap itself takes most of the memory: that is another fault."""
    return _killed(420 * MIB)
