"""Whose class it is: the JDK's, a library's, or the application's, and of which web application."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from mqdiag.graph.heap import Heap
from mqdiag.knowledge.library import JDK
from mqdiag.knowledge.library_files import from_libraries
from mqdiag.knowledge.own_code import is_own_class

_LOADER = 2
"""column of a class's heads"""
_NAMES = ("resources.context.name", "contextName", "_name", "moduleName")
"""fields of Tomcat 8 to 11, Tomcat 7, Jetty, and WildFly"""


def is_jdk(name: str) -> bool:
    """True for classes of the JDK and for arrays."""
    return name.endswith("]") or name.startswith(JDK)


@from_libraries
@lru_cache(maxsize=1 << 14)
def is_application(name: str) -> bool:
    """True for what the user wrote: neither the JDK's, a library's, nor generated."""
    return not is_jdk(name) and is_own_class(name)


def is_library(name: str) -> bool:
    """True for all classes that are not the JDK's, the application's included."""
    return not is_jdk(name)


def named_class(heap: Heap, node: int) -> str:
    """The class of an object, or the one that a class object stands for."""
    row = heap.class_of_node.get(node)
    return heap.classes.names[row] if row is not None else heap.class_name(node)


def named_classes(heap: Heap, nodes: list[int]) -> list[str]:
    """The same of many objects."""
    rows, names, stands_for = heap.index.rows[nodes].tolist(), heap.classes.names, heap.class_of_node
    return [names[stands_for.get(node, row)] for node, row in zip(nodes, rows, strict=True)]


def web_application(heap: Heap, class_name: str) -> str | None:
    """Name of the web application whose loader defined a class; None for any other class."""
    rows = [row for row in heap.classes.indices_named(class_name) if row < heap.dump.classes.dumped]
    if not rows:
        return None
    loader = int(heap.index.lookup.find(heap.dump.classes.heads[rows[:1], _LOADER].astype(np.uint64))[0])
    if loader < 0 or heap.class_name(loader).startswith(("java.", "jdk.", "sun.")):
        return None
    for path in _NAMES:
        text = heap.string(heap.ref(loader, path))
        if text:
            return text
    return None
