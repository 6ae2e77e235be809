"""No file imports another one that imports it, deferred imports and those for types included."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.layers import CHECK

PACKAGE = Path(__file__).parents[1] / "mqdiag"


def imports() -> dict[str, set[str]]:
    """The modules of this project that each module imports anywhere in its file."""
    files = {
        ".".join(("mqdiag", *file.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__"): file
        for file in PACKAGE.rglob("*.py")
    }
    found: dict[str, set[str]] = {}
    for module, file in files.items():
        names = set()
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                names |= {name.name for name in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                names |= {
                    f"{node.module}.{name.name}" if f"{node.module}.{name.name}" in files else node.module
                    for name in node.names
                }
        found[module] = {name for name in names if name in files and name != module}
    return found


def in_circles(graph: dict[str, set[str]]) -> set[str]:
    """The modules that reach themselves."""
    circles = set()
    for start in graph:
        reached: set[str] = set()
        waiting = list(graph[start])
        while waiting:
            module = waiting.pop()
            if module not in reached:
                reached.add(module)
                waiting += graph.get(module, ())
        if start in reached:
            circles.add(start)
    return circles


@CHECK
def test_there_are_no_circles() -> None:
    assert in_circles(imports()) == set()


def test_a_circle_is_seen() -> None:
    assert in_circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == {"b", "c"}
