"""Finds the texts of reports in the source, for Babel: `make translations`.

Texts stand in calls of `say`, `say_plural`, `later` and `counted`. Those who write a rule need not mark plain
constants: what stands in the arguments of `@rule`, `Draft`, `Skip` and a few others is text by its place.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import IO, Any

from mqdiag.language import plural_forms

Found = tuple[int, str, str | tuple[str, str], list[str]]
"""line, function, message or both plural forms, comments: what Babel takes"""

POSITIONS = {"say": (0,), "later": (0,), "verb": (1, 2), "table": (1, 2)}
"""which arguments of a function are texts"""
KEYWORDS = {
    "rule": ("title", "why", "remedy", "proven_on"),
    "Draft": ("title", "explanation", "remedy", "confidence_reason"),
    "Skip": ("reason",),
    "Cause": ("remedy",),
}
"""which named arguments of a function are texts"""
SUFFIX = "_heads"
"""names that end so hold the heads of a table"""
NUMBER = "#"
"""what a number column's head begins with"""


def extract(
    source: IO[bytes], keywords: Collection[str], comment_tags: Collection[str], options: dict[str, Any]
) -> Iterator[Found]:
    """Babel's entry point: all texts of a Python file."""
    yield from texts(source.read())


def texts(source: bytes) -> Iterator[Found]:
    """All texts of a Python source."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            yield from _of_call(node)
        elif isinstance(node, ast.Assign) and any(_holds_heads(target) for target in node.targets):
            yield from _constants(node.value)


def _of_call(node: ast.Call) -> Iterator[Found]:
    name = _name(node.func)
    if name == "say_plural":
        forms = [text for argument in node.args[:2] for _, _, text, _ in _constants(argument)]
        if len(forms) == 2:
            yield node.lineno, "ngettext", (str(forms[0]), str(forms[1])), []
    elif name == "counted":
        for line, _, noun, _ in _constants(node.args[1]):
            yield line, "ngettext", plural_forms(str(noun)), []
    for position in POSITIONS.get(name, ()):
        if position < len(node.args):
            yield from _constants(node.args[position])
    for keyword in node.keywords:
        if keyword.arg in KEYWORDS.get(name, ()):
            yield from _constants(keyword.value)


def _constants(node: ast.expr) -> Iterator[Found]:
    """String constants, also in tuples and in the branches of a condition; what is called in between speaks itself."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str) and node.value.removeprefix(NUMBER):
            yield node.lineno, "gettext", node.value.removeprefix(NUMBER), []
    elif isinstance(node, ast.Tuple | ast.List):
        for element in node.elts:
            yield from _constants(element)
    elif isinstance(node, ast.Starred):
        yield from _constants(node.value)
    elif isinstance(node, ast.IfExp):
        yield from _constants(node.body)
        yield from _constants(node.orelse)


def _holds_heads(target: ast.expr) -> bool:
    return isinstance(target, ast.Name) and f"_{target.id.lower()}".endswith(SUFFIX)


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Name):
        return function.id
    return function.attr if isinstance(function, ast.Attribute) else ""
