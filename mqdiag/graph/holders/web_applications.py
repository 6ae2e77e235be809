"""Which web application a class belongs to, by its class loader."""

from __future__ import annotations

import numpy as np

from mqdiag.graph.heap import Heap

_LOADER = 2
"""column of a class's heads"""
_NAMES = ("resources.context.name", "contextName", "_name", "moduleName")
"""fields of Tomcat 8 to 11, Tomcat 7, Jetty, and WildFly"""


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
