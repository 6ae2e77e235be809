"""Help that teaches: every command has examples, they run, and the man page is one."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from mqdiag.cli import mqdiag, run
from tests.folded import folded
from tests.layers import CHECK
from tests.programs import need

ROOT = Path(__file__).parents[2]
NAMES = mqdiag.list_commands(click.Context(mqdiag))
WIDEST = 78  # with the two that click indents them by, a line of 80 columns

# Examples that no test can run as they stand, and why.
NOT_RUN = {
    "mqdiag fleet": "starts Spark; tests/fleet runs it",
    "mqdiag fleet views": "needs the tables of a fleet; tests/fleet/test_views.py runs it",
    "mqdiag fleet compact": "needs the tables of a fleet; tests/fleet/test_compact.py runs it",
    "mqdiag completion": "writes into the user's home; tests/cli/test_completion.py runs it",
    "MQDIAG_KERNELS=": "compiles everything again; tests/packaging does",
    "mqdiag capture": "needs a running JVM",
    "mqdiag mcp": "waits for an assistant; tests/mcp runs it",
    "mqdiag cache": "removes what the user keeps; tests/cache runs it",
}


def command(name: str) -> click.Command:
    found = mqdiag.get_command(click.Context(mqdiag), name)
    assert found is not None
    return found


def examples(name: str) -> list[str]:
    """The command lines, those that go on in a second line put together."""
    block = re.search(r"Examples:\n(.*?)(?:\n\n|\Z)", command(name).examples, re.DOTALL)
    lines = re.sub(r"\n {6}(--)", r" \1", block[1] if block else "").splitlines()
    return [line.strip() for line in lines if not line.startswith("      ")]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with evidence under the names that the examples use."""
    heap, stacks, logs = (ROOT / "fixtures" / kind for kind in ("heap", "stacks", "logs"))
    shutil.unpack_archive(stacks / "apache4-stuck" / "series.tar.gz", tmp_path / "series", filter="data")
    samples = sorted(path for path in (tmp_path / "series").rglob("*") if path.is_file())
    places = {
        "team": ROOT / "fixtures" / "knowledge" / "acme",
        "dump.hprof.gz": heap / "oversized-oom-4.3.2" / "dump.hprof.gz",
        "before.hprof.gz": heap / "healthy-busy-4.9.8" / "dump.hprof.gz",
        "after.hprof.gz": heap / "stuck-one-4.9.8" / "dump.hprof.gz",
        "samples.tar.gz": stacks / "apache4-stuck" / "series.tar.gz",
        "recording.jfr": ROOT / "fixtures" / "recordings" / "stuck-jdk17" / "recording.jfr.xz",
        "recording.jfr.xz": ROOT / "fixtures" / "recordings" / "stuck-jdk17" / "recording.jfr.xz",
        "catalina.out": samples[0],
        "paste.txt": samples[0],
        "gc.log": next((logs / "client-gc-thrashing-4.9.7" / "g1-58m").glob("gc.log*")),
        "incident": ROOT / "fixtures" / "incidents" / "stuck-http",
        "rocketmq_client.log": ROOT / "fixtures" / "incidents" / "stuck-http" / "rocketmq_client.log",
        **{f"jstack-{place}.txt": sample for place, sample in enumerate(samples, 1)},
        **{
            path.name.removesuffix(".gz"): path
            for path in sorted((logs / "page-cache-busy-5.3.3" / "broker").iterdir())
        },
    }
    for name, target in places.items():
        (tmp_path / name).symlink_to(target)
    (tmp_path / "heap.sql").write_text("SELECT class, instances FROM classes")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@folded("name", NAMES)
def test_every_command_has_examples_that_fit_a_terminal(name: str) -> None:
    assert examples(name)
    lines = (command(name).examples).splitlines()
    assert not [line for line in lines if len(line) > WIDEST]


@folded("name", NAMES)
def test_examples_use_options_that_there_are(name: str) -> None:
    known = {spelling for parameter in command(name).params for spelling in parameter.opts}
    for line in examples(name):
        assert line.split("=")[0].split()[0] in ("mqdiag", "cat", "MQDIAG_KERNELS"), line
        assert set(re.findall(r" (--?[a-z][a-z-]*)", line)) <= known, line


@CHECK
@pytest.mark.parametrize(
    "name",
    [
        "diagnose",
        "diff",
        "heap",
        "knowledge check",
        "logs",
        "query",
        "recording",
        "redact",
        "rules",
        "secrets",
        "show",
        "stacks",
        "warm",
    ],
)
def test_examples_run(name: str, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    if name == "diff":
        for report in ("before", "after"):
            run(["heap", f"{report}.hprof.gz", "--format", "json", "-o", f"{report}.json"])
    ran = 0
    for line in examples(name):
        if line.startswith("mqdiag ") and " < " not in line and not line.startswith(tuple(NOT_RUN)):
            assert run(shlex.split(line)[1:]) in (0, 1), (line, capfd.readouterr().err)
            ran += 1
        elif line.startswith("cat ") or " < " in line:
            path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
            done = subprocess.run(
                ["bash", "-c", line], env={**os.environ, "PATH": path}, capture_output=True, check=False
            )
            assert done.returncode in (0, 1), (line, done.stderr)
    assert ran


def test_every_example_is_run_or_says_why_not() -> None:
    run_here = {
        "diagnose",
        "diff",
        "heap",
        "knowledge check",
        "logs",
        "query",
        "recording",
        "redact",
        "rules",
        "secrets",
        "show",
        "stacks",
        "warm",
    }
    for name in set(NAMES) - run_here:
        assert any(reason.endswith(name) for reason in NOT_RUN), name


@CHECK
def test_the_man_page_is_one(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, str(ROOT / "docs" / "make"), "--pages", "--root", str(tmp_path)], check=True
    )
    page = tmp_path / "docs" / "man" / "mqdiag.1"
    text = page.read_text()
    for name in NAMES:
        assert re.search(rf"^\.SS mqdiag {name} ", text, re.MULTILINE)
    need("groff")
    done = subprocess.run(
        ["groff", "-man", "-ww", "-Tutf8", str(page)], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert "EXAMPLES" in done.stdout.upper()
