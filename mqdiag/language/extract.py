"""Finds the texts of the source, for Babel: `make translations`.

In Python, a text is the first argument of `say`, a sentence of a rule's card, a word of a vocabulary
(`mqdiag/facts/vocabulary.py`), or a part of a command's help: its docstring, the help of its options. In TOML
(`mqdiag/knowledge`), the key says whether a string is a text.
"""

from __future__ import annotations

import ast
import inspect
import tomllib
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
PAGE_END = "EPILOG"
"""the constant that ends the first help page"""
TEXT_KEYS = frozenset(
    (
        # of a library
        "remedy", "known_as", "more_threads", "consume_later",
        # of a rule's card
        "title", "why", "now", "actions", "risk", "because", "explanation", "consequence", "in_chain", "proven_on",
        "say", "first_of", "then", "label",
        # of a table of a report
        "head", "caption", "note", "rest", "none", "flag",
    )
)  # fmt: skip
"""keys of TOML whose string, or strings in a list, are texts; a table in such a list is looked through key by key"""
TEXT_TABLES = frozenset(("remedies", "words", "lists", "leads_to", "skips", "examples"))
"""keys of TOML tables whose strings are all texts, whatever their keys"""


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
            # A method of that name takes the key of a text in a file of data.
            if isinstance(node.func, ast.Name) and name == "say" and node.args:
                yield from _constants(node.args[0])
            named = CARD if name in ("Rule", "rule") else HELP if name in ("option", "command") else ()
            for keyword in node.keywords:
                if keyword.arg in named:
                    yield from _constants(keyword.value)
        elif isinstance(node, ast.Subscript) and _name(node.value) == "Literal":
            yield from _constants(node.slice)
        elif isinstance(node, ast.FunctionDef) and node.name in COMMANDS and (page := ast.get_docstring(node)):
            yield node.lineno, "gettext", page, []
        elif isinstance(node, ast.Assign) and _name(node.targets[0]) == PAGE_END:
            for line, function, text, comments in _constants(node.value):
                yield line, function, inspect.cleandoc(text), comments


def extract_toml(
    source: IO[bytes], keywords: Collection[str], comment_tags: Collection[str], options: dict[str, Any]
) -> Iterator[Found]:
    """Babel's entry point: all texts of a TOML file; a text on several lines is one line to the catalogue.

    The parser does not tell lines, and the catalogue has none.
    """
    for text in _texts_of(tomllib.load(source), all_keys=False, is_text=False):
        yield 1, "gettext", _as_shown(text), []


def _as_shown(text: str) -> str:
    """A text as a report has it: on one line, but for the paragraphs of help pages."""
    if text.startswith("\b"):
        return inspect.cleandoc(text)
    return " ".join(text.split()) if "\n" in text else text


def _texts_of(value: Any, *, all_keys: bool, is_text: bool) -> Iterator[str]:
    """Texts in a value of TOML.

    Args:
        value: a string, a list, a table, or anything else.
        all_keys: a table has texts under all its keys.
        is_text: a string is a text.
    """
    if isinstance(value, str):
        if is_text and value:
            yield value
    elif isinstance(value, list):
        for part in value:
            yield from _texts_of(part, all_keys=all_keys, is_text=is_text)
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from _texts_of(part, all_keys=key in TEXT_TABLES, is_text=all_keys or key in TEXT_KEYS)


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
