"""What the dump says of its JVM: version, properties, arguments and environment."""

from __future__ import annotations

from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from mqdiag.graph.collections import items, map_entries
from mqdiag.graph.heap import Heap

_VM_CLASSES = ("jdk.internal.misc.VM", "sun.misc.VM")
_MAX_DIRECT_STATICS = (
    *((name, "directMemory") for name in _VM_CLASSES),
    ("java.nio.Bits", "MAX_MEMORY"),
    ("java.nio.Bits", "maxMemory"),
)
_DIRECT_PROPERTY = "sun.nio.MaxDirectMemorySize"
_DIRECT_OPTION = "-XX:MaxDirectMemorySize="
_NOT_SET = ("", "0", "-1")
"""values of the property while -XX:MaxDirectMemorySize is not given: JDK 11 and older write -1, newer ones nothing"""
_RESPECTS_CONTAINERS = 14
"""OperatingSystemMXBean tells the memory of the container since this JDK (JDK-8226575); older ones that of the host"""
_BEFORE_START = 64 << 20
"""VM.directMemory before the JVM has set it"""
_LEAST = 1 << 20


_saved: WeakKeyDictionary[Heap, dict[str, str] | None] = WeakKeyDictionary()


class DirectMemoryLimit(NamedTuple):
    """The most that direct buffers may take, as statics of the JDK keep it."""

    limit_bytes: int
    is_heap_limit: bool | None
    """the JVM took the maximum of the heap, because -XX:MaxDirectMemorySize is not set; None when that is unknown"""


def direct_memory_limit(heap: Heap) -> DirectMemoryLimit | None:
    """The limit, and where the JVM has it from; None when no static tells it."""
    saved = saved_properties(heap)
    for class_name, field in _MAX_DIRECT_STATICS:
        for row in heap.classes.indices_named(class_name):
            value = heap.classes.static_value(row, field)
            if not isinstance(value, int) or value < _LEAST or (value == _BEFORE_START and saved is None):
                continue
            return DirectMemoryLimit(value, direct_memory_follows_heap(heap))
    return None


def direct_memory_follows_heap(heap: Heap) -> bool | None:
    """Whether -XX:MaxDirectMemorySize is not set; None when the dump tells neither."""
    saved = saved_properties(heap)
    if saved is not None:
        return saved.get(_DIRECT_PROPERTY, "") in _NOT_SET
    given = arguments(heap)
    return None if given is None else not any(one.startswith(_DIRECT_OPTION) for one in given)


def saved_properties(heap: Heap) -> dict[str, str] | None:
    """Properties that the JVM kept for itself at its start; None when it had not, or they cannot be read.

    Read once for each heap, because half a dozen questions begin with them.
    """
    if heap not in _saved:
        _saved[heap] = _read_saved_properties(heap)
    return _saved[heap]


def _read_saved_properties(heap: Heap) -> dict[str, str] | None:
    for class_name in _VM_CLASSES:
        for row in heap.classes.indices_named(class_name):
            saved = _texts(heap, heap.classes.static_ref(row, "savedProps"))
            if saved:
                return saved
    return None


def system_properties(heap: Heap) -> dict[str, str]:
    """System.props; empty when it cannot be read."""
    for row in heap.classes.indices_named("java.lang.System"):
        props = heap.classes.static_ref(row, "props")
        if props >= 0:
            return _texts(heap, props)
    return {}


def arguments(heap: Heap) -> tuple[str, ...] | None:
    """Arguments of the JVM, the last one in force; None where nobody asked for them.

    RuntimeMXBean.getInputArguments leaves them in the heap, as Netty and many agents call it. JAVA_TOOL_OPTIONS,
    JDK_JAVA_OPTIONS and _JAVA_OPTIONS are among them, in the order in which the JVM takes them.
    """
    beans = heap.instances(heap.classes.indices_named("sun.management.VMManagementImpl"))
    lists = heap.refs(beans, "vmArgs")
    lists = lists[lists >= 0][:1]
    if not lists.size:
        return None
    _, texts = items(heap, lists)
    return tuple(text for text in heap.strings(texts) if text is not None)


def environment(heap: Heap) -> dict[str, str]:
    """Environment variables; empty where nobody asked for one."""
    for row in heap.classes.indices_named("java.lang.ProcessEnvironment"):
        variables = heap.classes.static_ref(row, "theEnvironment")
        if variables >= 0:
            return _texts(heap, variables)
    return {}


def respects_containers(heap: Heap) -> bool:
    """Whether OperatingSystemMXBean of this JDK tells the container's memory where there is a container."""
    version = system_properties(heap).get("java.specification.version", "")
    return version.isdecimal() and int(version[:4]) >= _RESPECTS_CONTAINERS


def jvm_name(heap: Heap) -> str | None:
    """Like "OpenJDK 64-Bit Server VM 17.0.15+6"; None when the properties are not there."""
    properties = system_properties(heap)
    name, version = properties.get("java.vm.name"), properties.get("java.vm.version")
    return " ".join(part for part in (name, version) if part) or None


def _texts(heap: Heap, map_node: int) -> dict[str, str]:
    """A map of strings, or of what ProcessEnvironment wraps around strings."""
    _, keys, values = map_entries(heap, np.array([map_node], np.int32))
    texts = zip(*(_strings(heap, nodes) for nodes in (keys, values)), strict=True)
    return {key: value for key, value in texts if key is not None and value is not None}


def _strings(heap: Heap, nodes: np.ndarray) -> list[str | None]:
    wrapped = heap.refs(nodes, "str")
    return heap.strings(np.where(wrapped >= 0, wrapped, nodes).astype(np.int32))
