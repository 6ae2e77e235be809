"""Finds the texts of the source, for Babel: `make translations`.

A text is the first argument of `say`, a sentence of a rule's card, a word of a vocabulary
(`mqdiag/facts/vocabulary.py`), or a part of a command's help: its docstring, its examples, the help of its options.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Collection, Iterator
from typing import IO, Any

Found = tuple[int, str, str, list[str]]
"""line, function, message, comments: what Babel takes"""

CARD = ("title", "why", "remedy", "proven_on")
"""the arguments of `Rule` that are texts"""
HELP = ("help", "short_help")
"""the arguments of `commands.option` and `commands.command` that are texts"""
COMMANDS = frozenset(("command", "mqdiag"))
"""functions whose docstring is a help page"""
EXAMPLES = frozenset(("EXAMPLES", "EPILOG"))
"""constants that end a help page"""


def extract(
    source: IO[bytes], keywords: Collection[str], comment_tags: Collection[str], options: dict[str, Any]
) -> Iterator[Found]:
    """Babel's entry point: all texts of a Python file."""
    yield from texts(source.read())


def texts(source: bytes) -> Iterator[Found]:
    """All texts of a Python source."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = _name(node.func)
            if name == "say" and node.args:
                yield from _constants(node.args[0])
            named = CARD if name in ("Rule", "rule") else HELP if name in ("option", "command") else ()
            for keyword in node.keywords:
                if keyword.arg in named:
                    yield from _constants(keyword.value)
        elif isinstance(node, ast.Subscript) and _name(node.value) == "Literal":
            yield from _constants(node.slice)
        elif isinstance(node, ast.FunctionDef) and node.name in COMMANDS and (page := ast.get_docstring(node)):
            yield node.lineno, "gettext", page, []
        elif isinstance(node, ast.Assign) and _name(node.targets[0]) in EXAMPLES:
            for line, function, text, comments in _constants(node.value):
                yield line, function, inspect.cleandoc(text), comments


def _constants(node: ast.expr) -> Iterator[Found]:
    """String constants, also in tuples and in both branches of a condition."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str) and node.value:
            yield node.lineno, "gettext", node.value, []
    elif isinstance(node, ast.Tuple | ast.List):
        for element in node.elts:
            yield from _constants(element)
    elif isinstance(node, ast.Starred):
        yield from _constants(node.value)
    elif isinstance(node, ast.IfExp):
        yield from _constants(node.body)
        yield from _constants(node.orelse)


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Name):
        return function.id
    return function.attr if isinstance(function, ast.Attribute) else ""
