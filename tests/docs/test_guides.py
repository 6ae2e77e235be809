"""Every command that a page shows runs, or is listed here with the reason why no test can run it."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from mqdiag.cli import mqdiag, run
from tests.docs.written_pages import DOCS, ROOT, written
from tests.folded import folded
from tests.layers import CHECK, NIGHTLY
from tests.programs import need

GUIDES = [*written("guides/*.md"), *written("zh/*.md")]
PAGES = [ROOT / "README.md", *written("*.md"), *GUIDES]

# First words of commands that are not run here, and why.
NOT_RUN = {
    "export": "puts the command on the PATH of a shell, as each of these tests has it",
    "make": "sets up, builds or tests; that the target exists is checked",
    "mqdiag capture": "needs a running JVM; tests/capture runs it",
    "mqdiag completion": "writes into the user's home; tests/cli/test_completion.py runs it",
    "mqdiag fleet": "starts Spark; tests/fleet runs it",
    "env/bin/mqdiag": "starts Spark; tests/fleet runs it",
    "python": "makes an environment for a cluster",
    "PYSPARK_PYTHON=./environment/bin/python": "needs a cluster",
    "python3": "makes an environment, as tests/packaging does",
    ".venv/bin/pip": "installs, as tests/packaging does",
    "pip": "fetches the extra from a package index",
    "pipx": "tests/packaging runs it",
    "uv": "tests/packaging runs it",
    "docker": "tests/packaging runs it where a container daemon is",
    "git": "needs the address of the repository",
    "kubectl": "needs a cluster",
    "jcmd": "needs a running JVM",
    "jinfo": "needs a running JVM",
    "jstack": "needs a running JVM",
    "for": "needs a running JVM",
    "cp": "copies logs of the user's own processes",
    "mqadmin": "needs a running broker",
    "duckdb": "tests/fleet runs the same SQL by its library",
}
# Pages whose commands are run by a test of their own.
ELSEWHERE = {"ci.md", "performance.md", "accuracy.md"}


def commands(page: Path) -> Iterator[str]:
    """Lines of the page's shell blocks, those that go on put together."""
    for block in re.findall(
        r"^```(?:sh|bash|shell)\n(.*?)^```$", page.read_text("utf-8"), re.DOTALL | re.MULTILINE
    ):
        for line in block.replace("\\\n", " ").splitlines():
            if line.strip() and not line.startswith("#"):
                yield line.split("  #")[0].strip()


def shown_outputs(page: Path) -> set[str]:
    """Commands whose output the page shows: `docs/make --check` runs them."""
    return set(re.findall(r"<!-- output of: (.*?)(?: \| head -n \d+)? -->", page.read_text("utf-8")))


def reason(command: str) -> str | None:
    return next((why for word, why in NOT_RUN.items() if f"{command} ".startswith(f"{word} ")), None)


def ours(command: str) -> str | None:
    found = re.match(r"(?:\.venv/bin/)?(mqdiag .*)", command)
    return found[1] if found else None


ALL = {page: list(commands(page)) for page in PAGES if page.name not in ELSEWHERE}
TO_RUN = sorted(
    {
        line
        for page, lines in ALL.items()
        for line in filter(None, map(ours, lines))
        if reason(line) is None and line not in shown_outputs(page)
    }
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder like a clone with a dump in it: the fixtures are there, and what is written is thrown away."""
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    (recording,) = (ROOT / "fixtures" / "recordings" / "busy-jdk17").glob("*.jfr*")
    (tmp_path / "recording.jfr.xz").symlink_to(recording)
    (tmp_path / "dump.hprof").symlink_to(ROOT / "fixtures" / "heap" / "stuck-one-4.9.8" / "dump.hprof.gz")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@CHECK
@pytest.mark.parametrize("command", TO_RUN)
def test_the_command_runs(command: str, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(shlex.split(command)[1:]) in (0, 1), capfd.readouterr().err


@folded("page", ALL)
def test_what_is_not_run_has_its_reason(page: Path) -> None:
    unknown = [line for line in ALL[page] if not (ours(line) or reason(line))]
    assert not unknown


@folded("page", ALL)
def test_commands_options_and_targets_exist(page: Path) -> None:
    makefile = (ROOT / "Makefile").read_text()
    known = {
        name: mqdiag.get_command(click.Context(mqdiag), name)
        for name in mqdiag.list_commands(click.Context(mqdiag))
    }
    for line in ALL[page]:
        for target in re.findall(r"^make ([a-z-]+)", line):
            assert f"\n{target}: " in makefile, line
        if (command := ours(line)) is None:
            continue
        words = command.split()
        name = next((name for name in (" ".join(words[1:3]), words[1]) if name in known), "")
        if "/" in words[1]:
            name = "diagnose"  # evidence without a command
        assert name, line
        options = {spelling for parameter in known[name].params for spelling in parameter.opts}
        assert {word.split("=")[0] for word in words if word.startswith("--")} <= options, line


@folded("page", GUIDES)
def test_a_guide_is_short(page: Path) -> None:
    prose = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    assert len(prose.splitlines()) <= 110


@folded("page", sorted((DOCS / "zh").glob("*.md")))
def test_a_chinese_page_stands_beside_an_english_one(page: Path) -> None:
    if page.name == "README.md":
        return
    english = next(path for path in (DOCS / "guides" / page.name, DOCS / page.name) if path.exists())
    assert set(commands(page)) == set(commands(english))
    shown = {line.replace(" --lang zh", "") for line in shown_outputs(page)}
    assert shown <= set(commands(english))


@CHECK
def test_a_jvm_takes_the_flags(tmp_path: Path) -> None:
    """Those of newer JDKs; JDK 8 is not at hand."""
    need("java")
    newer, older = re.findall(r"```text\n(.*?)```", (DOCS / "guides" / "jvm-flags.md").read_text(), re.DOTALL)
    assert set(older.split()) >= {"-XX:+HeapDumpOnOutOfMemoryError", "-XX:+ExitOnOutOfMemoryError"}
    flags = [flag.replace("/dumps", str(tmp_path)) for flag in newer.split()]
    done = subprocess.run(["java", *flags, "-version"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert {path.suffix for path in tmp_path.iterdir()} == {".log", ".jfr"}


@NIGHTLY
def test_the_check_sees_an_output_that_differs(tmp_path: Path) -> None:
    guide = tmp_path / "docs" / "guides" / "x.md"
    guide.parent.mkdir(parents=True)
    guide.write_text("<!-- output of: mqdiag rules input-incomplete | head -n 3 -->\n```text\nold\n```\n")
    make = [sys.executable, str(DOCS / "make"), "--root", str(tmp_path)]
    subprocess.run(make, capture_output=True, check=True)
    assert "input-incomplete" in guide.read_text()
    command, _, shown = guide.read_text().partition("-->")
    guide.write_text(f"{command}-->{shown.replace('input', 'INPUT')}")
    done = subprocess.run([*make, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("docs/guides/x.md ")
