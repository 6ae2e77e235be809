"""The Chinese catalogue is whole, is what the source says, and is compiled."""

from __future__ import annotations

import ast
import io
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

from mqdiag.language import extract, update
from mqdiag.language.update import catalogue_path, compiled, is_translated, read, template

HINT = "run `make translations` and translate what is new in mqdiag.po"
SPOKEN = ("rules", "verdict", "diff", "render/text", "render/html", "render/markdown", "render/wording")
"""packages whose sentences people read"""
SHELL = "commands.py"
"""lines for a shell, the same in every language"""


def keys(catalogue: update.Catalog) -> set[str | tuple[str, ...]]:
    return {
        message.id if isinstance(message.id, str) else tuple(message.id) for message in catalogue if message.id
    }


def test_every_text_of_the_source_is_in_the_catalogue_and_nothing_else() -> None:
    source, known = keys(template()), keys(read("zh"))
    assert source - known == set(), HINT
    assert known - source == set(), HINT


def test_every_text_is_translated() -> None:
    assert [message.id for message in read("zh") if message.id and not is_translated(message.string)] == [], (
        HINT
    )


def placeholders(text: str) -> set[tuple[str, str | None, str | None]]:
    return {
        (name, spec, conversion) for _, name, spec, conversion in Formatter().parse(text) if name is not None
    }


def test_a_translation_has_the_placeholders_of_its_original() -> None:
    for message in read("zh"):
        original = message.id if isinstance(message.id, str) else message.id[1]
        said = message.string if isinstance(message.string, str) else message.string[0]
        if message.id and "{" in original + said:
            assert placeholders(said) == placeholders(original), original


def test_the_compiled_catalogue_is_of_the_one_that_is_edited() -> None:
    path = catalogue_path("zh")
    assert path.with_suffix(".mo").read_bytes() == compiled(read("zh")), HINT


def test_translations_of_sentences_are_chinese() -> None:
    sentence = re.compile(r"[a-z]{2,} [a-z]{2,} [a-z]{2,}")
    for message in read("zh"):
        original = message.id if isinstance(message.id, str) else message.id[0]
        said = message.string if isinstance(message.string, str) else message.string[0]
        if sentence.search(original):
            assert re.search(r"[\u4e00-\u9fff]", said), original


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('say("a {b}", b=say("c"))', {"a {b}", "c"}),
        ('say("one" if x else "two", n=1)', {"one", "two"}),
        ('X = {"key": later("late")}', {"late"}),
        ('counted(n, "queue")', {("{number:,} queue", "{number:,} queues")}),
        ('say_plural("{number} one", "{number} many", n)', {("{number} one", "{number} many")}),
        ('Draft(title="t", remedy=("r", call("no")), evidence={"no": "no"})', {"t", "r"}),
        ('@rule(name="no", title="t", why="w", references=("no",))\ndef check(): ...', {"t", "w"}),
        ('table("no", "Caption", ("head", "#number"), rows)', {"Caption", "head", "number"}),
        ('heads = ("a", "#b")', {"a", "b"}),
        ('log("no")', set()),
    ],
)
def test_texts_are_found_by_their_place(source: str, found: set[str | tuple[str, str]]) -> None:
    assert {text for _, _, text, _ in extract.extract(io.BytesIO(source.encode()), (), (), {})} == found


def spoken_files() -> Iterator[Path]:
    for folder in SPOKEN:
        for path in sorted((update.SOURCE / folder).rglob("*.py")):
            if path.name != SHELL:
                yield path


@pytest.mark.parametrize("path", tuple(spoken_files()), ids=lambda path: str(path.relative_to(update.SOURCE)))
def test_no_sentence_is_glued_past_the_catalogue(path: Path) -> None:
    """An f-string with words in it is a sentence that nobody can translate: it has to be a call of `say`."""
    glued = [f"line {line}: {text}" for line, text in _glued(ast.parse(path.read_bytes()))]
    assert glued == [], 'write say("... {name} ...", name=value)'


def _glued(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Raise | ast.Assert):
            continue
        if isinstance(node, ast.FunctionDef) and node.name in ("fires", "silent"):
            continue
        if isinstance(node, ast.JoinedStr):
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "\0" for part in node.values)
            if re.search(r"[a-z]{2,} [a-z]{2,}|\0 (?!min)[a-z]{3,} \0|^[a-z]{3,}: \0", text):
                yield node.lineno, text.replace("\0", "{}")
        yield from _glued(node)
