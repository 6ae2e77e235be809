"""Names from evidence that are commands, formulas or controls somewhere: each output is read as its own readers do."""

from __future__ import annotations

import csv
import importlib
import io
import json
import re
from contextlib import suppress
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest

from mqdiag.diagnose.stacks import diagnose_stacks
from mqdiag.facts import Input
from mqdiag.findings import Report, Subject
from mqdiag.render import TABLES, View, formats, renderer
from mqdiag.render.wording.ci_commands import Syntax, without_commands
from mqdiag.text import say
from tests.hostile.crafted_texts import ring_of_locks
from tests.layers import one_in_each_run
from tests.render import samples
from tests.render.html.test_page import Outline
from tests.render.test_markdown import OURS, Page

COMMANDS = (
    "::error title=x::y",
    "   ::set-output name=x::y",
    "\t::stop-commands::x",
    "##[error]x",
    "a ##vso[task.setvariable variable=PATH]x",
    "##VSO[task.complete]",
    "##teamcity[buildStatus status='FAILURE']",
)
CONTROLS = "\u202egnp.exe\u2066\u200b\u2028\x9b31m"
FORMULAS = ("=cmd()", "x;=cmd()", 'x; "+cmd()', "x; @cmd()", "-cmd()")
MARKUP = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "</textarea><svg onload=alert(1)>",
    "[x](javascript:alert(1))",
    "![x](http://127.0.0.1/x.png)",
    "http://127.0.0.1/x",
    "a`<b>`|c|``d",
    "]]>&x;<!--",
)
NAMES = (*COMMANDS, CONTROLS, *FORMULAS, *MARKUP)
_COMMAND = re.compile(r"##(vso|teamcity)?\[", re.IGNORECASE)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """A diagnosis with a hostile name in every thread, one file and the frames."""
    text = ring_of_locks(len(NAMES))
    for number, name in enumerate(NAMES, 1):
        text = text.replace(f'"ConsumeMessageThread_{number}"', f'"{name}"')
    path = tmp_path_factory.mktemp("hostile") / "##vso[x] ;=a().txt"
    path.write_text(text.replace("app.Listener.consume", "app.##vso[a]Listener.consume"))
    return diagnose_stacks([str(path)]).report


def outputs(report: Report, name: str) -> list[str]:
    if name == "csv":
        return [renderer(name)(report, View(table=table)) for table in TABLES]
    return [renderer(name)(report, View(detail="full", all_threads=True))]


@pytest.mark.parametrize("name", formats())
def test_no_line_is_a_command_of_a_ci_system(name: str, report: Report) -> None:
    for output in outputs(report, name):
        assert not _COMMAND.search(output)
        starting = [line for line in output.splitlines() if line.lstrip().startswith("::")]
        own = re.compile(r"::(error|warning|notice) title=[^:]*::")
        assert all(own.match(line) for line in starting) if name == "github" else not starting


@one_in_each_run(4)
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", formats())
def test_a_command_that_a_format_lets_through_is_broken_in_the_end(name: str, command: str) -> None:
    syntax = importlib.import_module(f"mqdiag.render.{name}").SYNTAX
    broken = without_commands(f"first line\n{command}\n", syntax)
    assert not _COMMAND.search(broken)
    if syntax not in (Syntax.COMMANDS, Syntax.JSON):
        assert not any(line.lstrip().startswith("::") for line in broken.splitlines())


def test_json_holds_the_names_as_they_are_and_no_hidden_character(report: Report) -> None:
    (output,) = outputs(report, "json")
    assert output.replace("\n", "").isprintable()
    assert {thread["name"] for thread in json.loads(output)["stacks"]["threads"]} == set(NAMES)


@pytest.mark.parametrize("name", ["text", "markdown", "github", "sarif", "junit", "csv"])
def test_no_output_holds_a_hidden_character(name: str, report: Report) -> None:
    for output in outputs(report, name):
        assert output.replace("\n", "").isprintable()


def test_what_programs_read_is_still_read_whatever_the_names_are(report: Report) -> None:
    """Which formats are JSON or XML is told by their output, so that no new format can be forgotten."""
    read = {name: syntax for name in formats() if name != "csv" and (syntax := _syntax(name, samples.ARTICLE))}
    assert set(read) >= {"json", "sarif", "gitlab", "junit"}
    for told in (report, *map(_named, NAMES)):
        assert {name: _syntax(name, told) for name in read} == read


def _named(name: str) -> Report:
    """A report with a name in the title, the subject and the files of its findings."""
    found = [
        msgspec.structs.replace(one, title=say("{name}", name=name), subject=Subject(group=name, thread=name))
        for one in samples.ARTICLE.findings
    ]
    inputs = [msgspec.structs.replace(one, path=name) for one in samples.ARTICLE.inputs]
    unread = Input(path=name, complete=False, error=say("is no {name}", name=name))
    return msgspec.structs.replace(samples.ARTICLE, findings=tuple(found), inputs=(*inputs, unread))


def _syntax(name: str, report: Report) -> str | None:
    """What a program reads an output as."""
    (output,) = outputs(report, name)
    with suppress(ValueError):
        json.loads(output)
        return "JSON"
    with suppress(ElementTree.ParseError):
        ElementTree.fromstring(output)
        return "XML"
    return None


def test_no_name_becomes_markup_of_a_summary(report: Report) -> None:
    """Its own elements are those that the tests of the format allow: no script, image or link."""
    assert Page(*outputs(report, "markdown")).tags <= OURS


def test_no_name_becomes_an_element_of_a_page(report: Report) -> None:
    shown = Outline(*outputs(report, "html"))
    names = [tag for tag, _ in shown.tags]
    assert names.count("script") == 1
    assert not {"img", "textarea", "b"} & set(names)
    assert not [key for _, given in shown.tags for key in dict(given) if key.startswith("on")]
    assert all(name in shown.text for name in MARKUP)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_no_cell_is_a_formula_whatever_the_separator(separator: str, report: Report) -> None:
    for output in outputs(report, "csv"):
        for row in csv.reader(io.StringIO(output), delimiter=separator):
            for cell in row:
                begins = cell.lstrip(" \"'\u00a0" if separator != "," else " \u00a0")
                is_number = re.fullmatch(r"[-+]?[\d.]+", begins)
                assert (
                    begins[:1] not in "=+-@"
                    or not begins
                    or is_number
                    or cell.lstrip().startswith(("'", "\"'"))
                )


def test_an_error_on_a_terminal_holds_no_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from mqdiag.cli import run

    assert run(["heap", str(tmp_path / "##vso[task.complete]x")]) == 3
    assert "\\x23#vso[" in capsys.readouterr().err
