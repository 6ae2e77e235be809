"""Translations fit their originals, and no sentence is made in a way that nobody can translate."""

from __future__ import annotations

import ast
import io
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from mqdiag.language import extract, update
from mqdiag.language.update import read
from mqdiag.text import ARGUMENT, KINDS, placeholders
from tests.folded import folded
from tests.layers import CHECK

SPOKEN = (
    "rules",
    "causes",
    "diff",
    "diagnose",
    "render",
    "threads",
    "capture",
    "cli",
    "read",
    "redact",
    "fleet",
)
"""packages whose sentences people read"""
SHELL = "collect_commands.py"
"""lines for a shell, the same in every language"""
ENGLISH_RECORDS = {
    "capture/folder.py": ("failed: {}", "not done: {}"),
    "capture/samples.py": ("thread dump {}",),
    "capture/remote/run.py": ("thread dump {}",),
    "rules/card_names.py": (
        "nothing gives {}; {}",
        "no check asks for the limit {}; they ask for {}",
        "a check asks for the limit {}, which the card does not have",
        "there is no rule {}; expected the name of one",
        ", such as {}",
    ),
}
"""sentences that a file keeps in English for readers of every language: manifests of captures, mistakes in cards"""
NO_SENTENCES = {
    "capture/run.py": ("kubectl exec POD -- {}", "docker exec {} {}", "docker logs {}"),
    "cli/common/failures.py": ("mqdiag: {}",),
    "cli/common/progress.py": ("mqdiag: {}",),
    "fleet/work/worklist.py": (
        "pragma synchronous = off; pragma journal_mode = off; {}",
        "select {}, file from files order by {}",
        "select day, incident from todo order by {}",
        "select incident from known where taken and run = ? and incident in ({})",
    ),
    "read/stacks/endpoint.py": (' owned by "{}" Id={}', "\n\tNumber of locked synchronizers = {}\n"),
    "threads/roles.py": ("virtual thread #{}",),
    "read/stacks/server_forms.py": (' owned by "{}" Id={}',),  # as jstack of a ThreadInfo
}
"""the same in every language: commands for a shell, the name of the program before its lines, SQL, the JVM's form of a
thread, and the name of a thread that has none, by which samples and reports are compared"""


def messages() -> Iterator[tuple[str, str]]:
    """Originals and translations; what is not translated yet is told by `make translations-check`."""
    for message in read("zh"):
        if message.id and message.string:
            yield str(message.id), str(message.string)


def test_most_texts_are_translated() -> None:
    """An empty catalogue would pass all other tests."""
    assert len(list(messages())) > 1000


def placeholders_of(text: str) -> set[tuple[str, str]]:
    """Those of a template; words that go with a number need no counterpart in Chinese."""
    return {(name, kind) for name, kind in placeholders(text) if "|" not in kind}


@CHECK
def test_a_translation_has_the_placeholders_of_its_original() -> None:
    for original, said in messages():
        if "{" in original + said and original in templates():
            names = {name for name, _ in placeholders(original)}
            assert placeholders_of(said) == placeholders_of(original), original
            assert {name for name, _ in placeholders(said)} <= names, original


@CHECK
def test_every_template_has_known_kinds() -> None:
    for text in templates():
        for _, kind in placeholders(text):
            assert kind in KINDS or kind.startswith(ARGUMENT) or kind.count("|") == 1, text


@cache
def templates() -> frozenset[str]:
    """Texts that are filled with values; those of help pages are shown as they stand."""
    found = set()
    for path in update.SOURCE.rglob("*.py"):
        if "cli" not in path.relative_to(update.SOURCE).parts:
            found |= {text for _, _, text, _ in extract.texts(path.read_bytes())}
    for path in (update.SOURCE / "knowledge").rglob("*.toml"):
        with path.open("rb") as file:
            found |= {text for _, _, text, _ in extract.extract_toml(file, (), (), {})}
    return frozenset(found)


def test_translations_of_sentences_are_chinese() -> None:
    sentence = re.compile(r"[a-z]{2,} [a-z]{2,} [a-z]{2,}")
    for original, said in messages():
        if sentence.search(original):
            assert re.search(r"[\u4e00-\u9fff]", said), original


@folded(
    "source, found",
    [
        ('say("a {b}", b=say("c"))', {"a {b}", "c"}),
        ('say("one" if x else "two", n=1)', {"one", "two"}),
        ('Rule(name="no", title="t", why="w", remedy=("r",), references=("no",))', {"t", "w", "r"}),
        ('State = Literal["stuck", "idle"]', {"stuck", "idle"}),
        ('@commands.option("--no", help="h")\ndef command() -> int:\n    """page"""', {"h", "page"}),
        ('EPILOG = """\n  e"""', {"e"}),
        ('log("no")', set()),
        ('WORDS.say("no", n=1)', set()),
    ],
)
def test_texts_are_found_by_their_place(source: str, found: set[str | tuple[str, str]]) -> None:
    assert {text for _, _, text, _ in extract.extract(io.BytesIO(source.encode()), (), (), {})} == found


@folded(
    "source, found",
    [
        ('packages = ["no."]\n[[library]]\nname = "no"\nremedy = ["a", "b"]', {"a", "b"}),
        ('[[holder]]\nknown_as = "a"\nremedy = "b"\nlike = "no"', {"a", "b"}),
        ('[remedies]\none = ["a"]\nname = ["b"]', {"a", "b"}),
        ('why = """\none\nline"""', {"one line"}),
        ('explanation = ["a", { if = "no", say = "b" }, ["c"]]', {"a", "b", "c"}),
        ('[case.title]\nseverity = "no"', set()),
        ('caption = "a"\ncolumns = [{ head = "b", of = "no", none = "", flag = "c" }]', {"a", "b", "c"}),
    ],
)
def test_texts_of_data_are_found_by_their_key(source: str, found: set[str]) -> None:
    extracted = extract.extract_toml(io.BytesIO(source.encode()), (), (), {})
    assert {text for _, _, text, _ in extracted} == found


def spoken_files() -> Iterator[Path]:
    for folder in SPOKEN:
        for path in sorted((update.SOURCE / folder).rglob("*.py")):
            if path.name != SHELL:
                yield path


@CHECK
@folded("path", spoken_files())
def test_no_sentence_is_glued_past_the_catalogue(path: Path) -> None:
    """An f-string with words in it is a sentence that nobody can translate: it has to be a call of `say`."""
    known = known_texts(str(path.relative_to(update.SOURCE)))
    found = list(_glued(ast.parse(path.read_bytes())))
    glued = [f"line {line}: {text}" for line, text in found if text not in known]
    assert glued == [], 'write say("... {name} ...", name=value)'
    assert known <= {text for _, text in found}, "the lists name a text that is no longer there"


def known_texts(name: str) -> set[str]:
    return {*ENGLISH_RECORDS.get(name, ()), *NO_SENTENCES.get(name, ())}


def test_the_lists_name_files_that_are_looked_at() -> None:
    looked_at = {str(path.relative_to(update.SOURCE)) for path in spoken_files()}
    assert {*ENGLISH_RECORDS, *NO_SENTENCES} <= looked_at


@folded(
    "source, found",
    [
        ('problem = f"{left} bytes are left"', ["{} bytes are left"]),
        ('say("{why}", why=f"the data is damaged ({error})")', ["the data is damaged ({})"]),
        ('re.sub(X, f"the data is damaged ({error})", text)', ["the data is damaged ({})"]),
        ('X = re.compile(rf"consumer group {NAME}")', []),
        ('X = re.compile(one + f"consumer group {NAME}")', []),
        ('raise ValueError(f"no such table {name}")', []),
        ('path = f"{folder}/{name}"', []),
        ('say("{left} bytes are left", left=left)', []),
    ],
)
def test_glued_sentences_are_found(source: str, found: list[str]) -> None:
    assert [text for _, text in _glued(ast.parse(source))] == found


def _glued(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Raise | ast.Assert):
            continue
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("re.compile", "lazy_pattern"):
            continue
        if isinstance(node, ast.FunctionDef) and node.name in ("fires", "silent"):
            continue
        if isinstance(node, ast.JoinedStr):
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "\0" for part in node.values)
            if re.search(r"[a-z]{2,} [a-z]{2,}|\0 (?!min)[a-z]{3,} \0|^[a-z]{3,}: \0", text):
                yield node.lineno, text.replace("\0", "{}")
        yield from _glued(node)
