"""What the dump says of its JVM: version, and the largest heap it was allowed."""

from __future__ import annotations

import numpy as np

from mqdiag.graph.collections import map_entries
from mqdiag.graph.heap import Heap

_MAX_MEMORY_STATICS = (
    ("jdk.internal.misc.VM", "directMemory"),
    ("sun.misc.VM", "directMemory"),
    ("java.nio.Bits", "MAX_MEMORY"),
    ("java.nio.Bits", "maxMemory"),
)
_NETTY = ".util.internal.PlatformDependent"
_UNSET = 64 << 20
"""VM.directMemory before the JVM has set it"""
_LEAST = 1 << 20


def max_memory_bytes(heap: Heap) -> int | None:
    """-Xmx, or that less a survivor space, as statics of the JDK or Netty keep it; None when none does.

    Wrong only when -XX:MaxDirectMemorySize is set.
    """
    direct = max_direct_memory_bytes(heap)
    if direct is not None:
        return direct
    for row in heap.classes.indices_ending(_NETTY):
        for field in ("MAX_DIRECT_MEMORY", "DIRECT_MEMORY_LIMIT"):
            value = heap.classes.static_value(row, field)
            if isinstance(value, int) and value >= _LEAST:
                return value
    return None


def max_direct_memory_bytes(heap: Heap) -> int | None:
    """-XX:MaxDirectMemorySize, which is -Xmx where it is not set, as statics of the JDK keep it."""
    for class_name, field in _MAX_MEMORY_STATICS:
        for row in heap.classes.indices_named(class_name):
            value = heap.classes.static_value(row, field)
            if isinstance(value, int) and value >= _LEAST and value != _UNSET:
                return value
    return None


def system_properties(heap: Heap) -> dict[str, str]:
    """System.props; empty when it cannot be read."""
    for row in heap.classes.indices_named("java.lang.System"):
        props = heap.classes.static_ref(row, "props")
        if props >= 0:
            _, keys, values = map_entries(heap, np.array([props], np.int32))
            texts = zip(heap.strings(keys), heap.strings(values), strict=True)
            return {key: value for key, value in texts if key is not None and value is not None}
    return {}


def jvm_name(heap: Heap) -> str | None:
    """Like "OpenJDK 64-Bit Server VM 17.0.15+6"; None when the properties are not there."""
    properties = system_properties(heap)
    name, version = properties.get("java.vm.name"), properties.get("java.vm.version")
    return " ".join(part for part in (name, version) if part) or None
