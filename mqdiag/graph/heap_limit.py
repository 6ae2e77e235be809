"""The largest heap that the JVM was allowed, from all places of the dump that know it.

No place is always right. The JDK's statics have the limit of direct memory, which is that of the heap only while
-XX:MaxDirectMemorySize is not set; an environment variable may be overridden on the command line. So each value is
compared with the others and with what the heap must at least have, and values that contradict give no limit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mqdiag.facts.heap import SIZES_OFF_SHARE
from mqdiag.facts.vocabulary import HeapBytesSource
from mqdiag.graph.heap import Heap
from mqdiag.graph.jvm import (
    arguments,
    direct_memory_follows_heap,
    direct_memory_limit,
    environment,
    respects_containers,
    saved_properties,
    system_properties,
)
from mqdiag.text import Text, say

_MAX_HEAP = re.compile(r"-(?:Xmx|XX:MaxHeapSize=)(\d{1,15})([kKmMgGtT]?)")
_MAX_SHARE = re.compile(r"-XX:MaxRAMPercentage=(\d{1,3}(?:\.\d{1,9})?)")
_SHIFTS = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}
_OPTION_VARIABLES = ("_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS")
"""read by every HotSpot JVM; an earlier one goes before a later one"""
_CONTAINER_VARIABLE = "CONTAINER_MAX_MEMORY"
"""set by run-java.sh of common base images from the cgroup's limit, in bytes"""
_NETTY = ".util.internal.PlatformDependent"
_NETTY_OPTION = "io.netty.maxDirectMemory"
_WHOLE_POOLS = ("G1 Old Gen", "ZHeap", "ZGC Old Generation", "Shenandoah", "Epsilon Heap")
"""pools that may grow up to the whole heap"""
_PART_POOLS = (
    ("Tenured Gen", "Eden Space", "Survivor Space"),
    ("PS Old Gen", "PS Eden Space", "PS Survivor Space"),
    ("CMS Old Gen", "Par Eden Space", "Par Survivor Space"),
)
"""pools that are the whole heap together, less the second survivor space"""
_SURVIVOR_SHARE = 1 / 3
"""The JVM's own maximum leaves out a survivor space: of ParallelGC at most a third of the young generation."""
_ROUNDED_BYTES = 8 << 20
_ROUNDED_SHARE = 1 / 64
"""The JVM rounds the heap up: a very small one to 8 MiB, others to whole regions."""
_UNDER_4_GIB = ("32-bit", 4 << 30)
"""compressed oops that need no base and no shift: the whole heap lies below this address"""
_OOPS_PROPERTY = "java.vm.compressedOopsMode"
_LEAST = 1 << 20
_MOST = 1 << 50


_PLACES: dict[HeapBytesSource, Text] = {
    "jvm-arguments": say("by the JVM's arguments"),
    "java-tool-options": say("by a variable such as JAVA_TOOL_OPTIONS"),
    "memory-pools": say("by the JVM's memory pools"),
    "container": say("by the container's memory"),
    "max-memory-static": say("by a static field of the JDK"),
}


class HeapLimit(NamedTuple):
    """The limit, or why there is none."""

    limit_bytes: int | None
    source: HeapBytesSource | None
    why_unknown: Text | None


class _Known(NamedTuple):
    limit_bytes: int
    source: HeapBytesSource
    less_survivor: bool
    """a survivor space is left out, as Runtime.maxMemory() does"""

    @property
    def most_bytes(self) -> int:
        """-Xmx can be no larger."""
        whole = self.limit_bytes / (1 - _SURVIVOR_SHARE) if self.less_survivor else self.limit_bytes
        return int(whole * (1 + _ROUNDED_SHARE)) + _ROUNDED_BYTES


_NOT_TOLD = say(
    "the dump has the limit of direct memory (-XX:MaxDirectMemorySize), but not the maximum of the heap: "
    "give --heap-limit"
)
_UNSURE = say(
    "the dump has a maximum, but does not show whether it is that of the heap or -XX:MaxDirectMemorySize: "
    "give --heap-limit"
)


def heap_limit(heap: Heap, live_bytes: int, memory_bytes: int | None = None) -> HeapLimit:
    """-Xmx, or that less a survivor space.

    Args:
        heap: the graph.
        live_bytes: of all reachable objects; the heap has at least as much.
        memory_bytes: of the machine or container, as the application has asked its JVM; None where it has not.
    """
    known = _known(heap, memory_bytes)
    if not known:
        return HeapLimit(None, None, _why_nothing(heap))
    best = known[0]
    for other in known[1:]:
        if not _same(best, other):
            return HeapLimit(
                None,
                None,
                say(
                    "two places of the dump contradict each other, {first:bytes} ({source}) and {second:bytes}"
                    " ({other}): give --heap-limit",
                    first=best.limit_bytes,
                    source=_PLACES[best.source],
                    second=other.limit_bytes,
                    other=_PLACES[other.source],
                ),
            )
    contradiction = _out_of_bounds(heap, best, live_bytes)
    return HeapLimit(None, None, contradiction) if contradiction else HeapLimit(*best[:2], None)


def contradicts(given: int, limit: HeapLimit) -> bool:
    """Whether a limit that the user gave can be none of this JVM, by what the dump knows."""
    if limit.limit_bytes is None or limit.source is None:
        return False
    less_survivor = limit.source in ("max-memory-static", "memory-pools")
    return not _same(_Known(limit.limit_bytes, limit.source, less_survivor), _Known(given, "option", False))


def least_heap_bytes(heap: Heap, live_bytes: int) -> int:
    """What the heap must at least have: its live objects, and the distance of its first object from its last.

    Only with compressed oops the heap is one range of addresses; ZGC takes many times as many as it may use.
    """
    if not _oops_mode(heap) or not heap.count:
        return live_bytes
    ids = heap.object_ids(np.array([0, heap.count - 1], np.int32))
    return max(live_bytes, int(ids.max()) - int(ids.min()))


def _known(heap: Heap, memory_bytes: int | None) -> list[_Known]:
    """The best place first. Memory and variables are asked only where nothing of the JVM itself tells the limit."""
    return list(_of_the_jvm(heap)) or list(_of_surroundings(heap, memory_bytes))


def _of_the_jvm(heap: Heap) -> Iterator[_Known]:
    direct = direct_memory_limit(heap)
    if direct is not None and direct.is_heap_limit:
        yield _Known(direct.limit_bytes, "max-memory-static", less_survivor=True)
    elif direct is None and (netty := _of_netty(heap)) is not None:
        yield _Known(netty, "max-memory-static", less_survivor=True)
    given = _max_heap(arguments(heap) or ())
    if given is not None:
        yield _Known(given, "jvm-arguments", less_survivor=False)
    pools = _of_pools(heap)
    if pools is not None:
        yield _Known(pools, "memory-pools", less_survivor=True)


def _of_surroundings(heap: Heap, memory_bytes: int | None) -> Iterator[_Known]:
    variables = environment(heap)
    given = arguments(heap)
    if given is not None:
        # The variables with options are among the arguments.
        container = _of_container(given, _container_bytes(heap, variables, memory_bytes))
        if container is not None:
            yield _Known(container, "container", less_survivor=False)
        return
    for name in _OPTION_VARIABLES:
        found = _max_heap(tuple(variables.get(name, "").split()))
        if found is not None:
            yield _Known(found, "java-tool-options", less_survivor=False)
            return


def _why_nothing(heap: Heap) -> Text | None:
    follows = direct_memory_follows_heap(heap)
    if follows is False:
        return _NOT_TOLD
    return _UNSURE if direct_memory_limit(heap) is not None else None


def _same(one: _Known, other: _Known) -> bool:
    low, high = sorted((one, other), key=lambda known: known.limit_bytes)
    return high.limit_bytes <= low.most_bytes


def _out_of_bounds(heap: Heap, known: _Known, live_bytes: int) -> Text | None:
    if live_bytes > known.limit_bytes * (1 + SIZES_OFF_SHARE):
        return say(
            "{limit:bytes} ({source}) cannot be the maximum of the heap, because live objects take {live:bytes}:"
            " give --heap-limit",
            limit=known.limit_bytes,
            source=_PLACES[known.source],
            live=live_bytes,
        )
    spread = least_heap_bytes(heap, 0)
    if spread > known.most_bytes:
        return say(
            "{limit:bytes} ({source}) cannot be the maximum of the heap, because its objects lie {spread:bytes} apart:"
            " give --heap-limit",
            limit=known.limit_bytes,
            source=_PLACES[known.source],
            spread=spread,
        )
    mode, most = _UNDER_4_GIB
    if _oops_mode(heap) == mode and known.limit_bytes > most:
        return say(
            "{limit:bytes} ({source}) cannot be the maximum of the heap, because the JVM placed it below {most:bytes}:"
            " give --heap-limit",
            limit=known.limit_bytes,
            source=_PLACES[known.source],
            most=most,
        )
    return None


def _oops_mode(heap: Heap) -> str:
    return (saved_properties(heap) or system_properties(heap)).get(_OOPS_PROPERTY, "")


def _max_heap(options: tuple[str, ...]) -> int | None:
    """The last -Xmx or -XX:MaxHeapSize, which is the one in force."""
    for option in reversed(options):
        match = _MAX_HEAP.fullmatch(option)
        if match:
            value = int(match[1]) << _SHIFTS[match[2].lower()]
            return value if _LEAST <= value <= _MOST else None
    return None


def _of_container(given: tuple[str, ...], memory_bytes: int | None) -> int | None:
    """-XX:MaxRAMPercentage of the memory that the JVM was allowed."""
    shares = [match[1] for option in given if (match := _MAX_SHARE.fullmatch(option))]
    if not shares or memory_bytes is None:
        return None
    value = int(memory_bytes * min(float(shares[-1]), 100.0) / 100)
    return value if value >= _LEAST else None


def _container_bytes(heap: Heap, variables: dict[str, str], memory_bytes: int | None) -> int | None:
    """What the application asked its JVM, else what an image's start script left in a variable.

    The JDK's own objects (jdk.internal.platform.CgroupV1Subsystem, CgroupV2Subsystem) have paths of the cgroup, and
    read the limit from its files anew each time.
    """
    if memory_bytes is not None and respects_containers(heap):
        return memory_bytes
    limit = variables.get(_CONTAINER_VARIABLE, "")
    return int(limit) if limit.isdecimal() and len(limit) <= 15 else None


def _of_netty(heap: Heap) -> int | None:
    """Netty's own limit, which is the JVM's maximum unless one of two options sets it."""
    if not direct_memory_follows_heap(heap) or _NETTY_OPTION in system_properties(heap):
        return None
    for row in heap.classes.indices_ending(_NETTY):
        for field in ("MAX_DIRECT_MEMORY", "DIRECT_MEMORY_LIMIT"):
            value = heap.classes.static_value(row, field)
            if isinstance(value, int) and value >= _LEAST:
                return value
    return None


def _of_pools(heap: Heap) -> int | None:
    """The maximum by MemoryUsage objects that a map keeps under the names of memory pools, as GcInfo does."""
    usages = heap.instances(heap.classes.indices_named("java.lang.management.MemoryUsage"))
    if not usages.size:
        return None
    _, entries = heap.referrers(usages[heap.reachable(usages)])
    most: dict[str, int] = {}
    names = heap.strings(heap.refs(entries, "key"))
    values = heap.numbers(heap.refs(entries, "value"), "max")
    for name, value in zip(names, values.tolist(), strict=True):
        if name is not None and value >= 0:
            most[name] = max(most.get(name, 0), value)
    for name in _WHOLE_POOLS:
        if most.get(name, 0) >= _LEAST:
            return most[name]
    for parts in _PART_POOLS:
        if all(part in most for part in parts):
            return sum(most[part] for part in parts)
    return None
