"""Texts for users are plain English in the words of the field, and docstrings of values begin with nouns.

The check looks for turns that this project once had in hundreds of texts. It cannot judge style; it keeps these out.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import pytest

from mqdiag.language import update
from tests.layers import CHECK

pytestmark = CHECK  # reads the whole source

RELATIVE = r"\b(?:that|which|who)\b[^,.;:(){}|]*"
PATTERNS = {
    r"\b(?:tells?|telling)\b(?!.*\b(?:from|apart)\b)": "evidence shows, a program reports, a setting has a value",
    r"(?<![Tt]here )\b(?:is|are|was|were|be) no (?!longer\b|one\b|more\b)": 'an X "is not a Y"',
    r"\bthat (?:is|are) none\b": 'name the fault: "has an invalid time", not "has a time that is none"',
    r"\b(?:meets?|met) (?:an?|the|it|its|what)\b": "a thread throws an error, a request fails: no program meets one",
    r"\b[Ww]hat\b[^.;:,?]*\b(?:is|are|was|were) what\b": "name both things",
    r"\b(?:is|are|was|were) of (?!class\b)": "evidence comes from a process, a thing belongs to one",
    r"\bof (?:whose|whom)\b|\bof those (?:asked|wanted)\b": "begin a new sentence with the owner as its subject",
    r"\bas \w+ (?:has|have) it\b": "name the source: as in kubectl",
    r"\b(?:no more|at most) so (?:many|much)\b|\bso (?:many|much) \w+ at most\b": "at most this many",
    r"(?i)(?:^|[.:;] )(?:how|whether|where|who|which)\b[^.,:;]*, [^.,:;]*\b(?:do|does|did) not\b": (
        "the subject comes first, then the verb, then the question"
    ),
    rf"{RELATIVE}{RELATIVE}\b(?:that|which|who)\b": "at most one relative clause inside another",
    r"\b(?:live|lives|gets?|got) on\b(?! (?:with|to|the|a)\b)": "runs on, makes progress",
}
"""what a text may not have, with the reason"""
ALLOWED = {
    "if you trust the input, set {cpu} or {memory}; 0 is no limit": "a value of 0 switches the limit off",
}
"""texts in which a pattern is right English"""


class Written(NamedTuple):
    """A text and the files that have it, from the package's folder on."""

    text: str
    files: tuple[str, ...]


@cache
def texts() -> tuple[Written, ...]:
    root = f"{update.SOURCE.name}/"
    return tuple(
        Written(str(message.id), tuple(name.removeprefix(root) for name, _ in message.locations))
        for message in update.template()
        if message.id
    )


def in_dialect(text: str) -> Iterator[str]:
    """Reasons against a text; a help page is looked at as one line."""
    line = " ".join(text.split())
    return (reason for pattern, reason in PATTERNS.items() if re.search(pattern, line))


def test_texts_are_plain_english() -> None:
    found = [
        f"{written.files[0]}: {written.text!r}: {reason}"
        for written in texts()
        if written.text not in ALLOWED
        for reason in in_dialect(written.text)
    ]
    assert found == []


def test_what_is_allowed_is_still_written_and_needs_it() -> None:
    assert {written.text for written in texts()} >= set(ALLOWED)
    assert all(any(in_dialect(text)) for text in ALLOWED)


@pytest.mark.parametrize(
    "text",
    [
        "The lines do not tell why",
        "How often that happens, so few lines do not show",
        "{path}: is no folder",
        "{who} has a time that is none",
        "Thread {thread} met the OutOfMemoryError",
        "What comes out is what goes in",
        "the samples are of different JVMs",
        "a process of whose end no line is logged",
        "the same as --namespace, as kubectl has it",
        "Analyse no more so many incidents",
        "the stack of the thread that runs the hooks that the call that hangs needs",
        "the application may want to live on",
    ],
)
def test_the_dialect_is_found(text: str) -> None:
    assert any(in_dialect(text))


@pytest.mark.parametrize(
    "text",
    [
        "One sample cannot tell a stuck thread from a slow one",
        "allocated= (jstack -e) tells them apart",
        "there is no jcmd",
        "The timer is no longer needed",
        "the requests go on with the next broker",
        "the lock that it waits for, which another thread holds",
    ],
)
def test_plain_english_passes(text: str) -> None:
    assert not list(in_dialect(text))


def docstrings(source: bytes) -> Iterator[tuple[int, str]]:
    """Line and text of every string that stands alone: of modules, classes, functions and values."""
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            yield node.lineno, node.value.value


def headless(source: bytes) -> list[int]:
    """Lines of docstrings that begin with "of": the reader has to guess the noun before it."""
    return [line for line, text in docstrings(source) if re.match(r"\s*of\b", text, re.IGNORECASE)]


def test_docstrings_begin_with_a_noun() -> None:
    found = [
        f"{path.relative_to(update.SOURCE)}:{line}"
        for path in sorted(update.SOURCE.rglob("*.py"))
        for line in headless(path.read_bytes())
    ]
    assert found == [], 'write what the value is: "share of the heap", not "of the heap"'


def test_a_docstring_without_a_noun_is_found() -> None:
    assert headless(b'SHARE = 0.5\n"""of the heap"""\nBYTES = 1\n"""bytes of the heap"""') == [2]
