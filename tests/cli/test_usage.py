"""Wrong usage: one line that says what is wrong and what is near, exit code 2, before any work."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from mqdiag import __version__
from mqdiag.cli import mqdiag as commands
from mqdiag.cli import run
from mqdiag.errors import EXIT_USAGE
from tests.cli.conftest import Run

WRONG = [
    (["heep", "x"], "no command, file or folder 'heep'; did you mean heap?"),
    (["help"], "no such command 'help'; see mqdiag --help"),
    (["heap", "x", "--json"], "no such option --json; write --format json; see mqdiag heap --help"),
    (
        ["--format", "json", "heap", "x"],
        "no such option --format before the command; options of a command follow it",
    ),
    (["zzz"], "no command, file or folder 'zzz'; commands are: "),
    (["heap"], "argument DUMP is missing; see mqdiag heap --help"),
    (["heap", "x", "y"], "too many arguments: y; see mqdiag heap --help"),
    (["heap", "x", "--qick"], "no such option --qick; did you mean --quick?; see mqdiag heap --help"),
    (["heap", "x", "--lang"], "option --lang needs a value"),
    (["heap", "x", "--quick=1"], "option --quick takes no value"),
    (["heap", "x", "--format", "jsn"], "--format: 'jsn' is not one of"),
    (["show", "x", "y", "--limit", "-1"], "--limit: '-1' is not a number from 0 to 10,000"),
    (["fleet", "x", "--out", "y", "--limit", "0"], "--limit: '0' is not a number from 1 up"),
    (["fleet", "x"], "option --out is missing"),
    (["heap", "x", "--fail-on", "fatal"], "--fail-on is 'fatal'; it can be"),
    (["heap", "x", "--heap-limit", "2x"], "'2x' is not a size"),
    (["heap", "x", "--heap-limit", "2"], "'2' is less than any JVM's heap"),
    (["heap", "x", "--heap-limit", "65t"], "more than any JVM's heap (64 TiB)"),
    (["heap", "x", "--expect", "pullTresholdForQueue=4"], "did you mean pullThresholdForQueue"),
    (["heap", "x", "--expect", "g:"], "is not [GROUP:]KEY=VALUE"),
    (["heap", "x", "--config", "none.toml"], "none.toml: cannot be read: No such file"),
    (["heap", "x", "-o", "no/report.txt"], "--output no/report.txt: there is no folder"),
    (["heap", "x", "-o", "no/"], "--output no/: there is no folder"),
    (["heap", "x", "-o", "."], "--output .: is a folder"),
    (["heap", "x", "-o", ""], "--output '' is not a file name"),
    (["heap", "x", "--heap-limit", "99999t"], "'99999t' is more than any JVM's heap (64 TiB)"),
    (["rules", "Input_Incomplete"], "did you mean input-incomplete?"),
    (["rules", "stuck"], "did you mean offset-stuck-at-head, "),
    (["rules", "expry"], "did you mean expiry-cleaner-dead?"),
    (["rules", "input-incomplet"], "there is no rule 'input-incomplet'; did you mean input-incomplete?"),
]


@pytest.mark.parametrize(("arguments", "says"), WRONG, ids=[" ".join(words) for words, _ in WRONG])
def test_wrong_usage(
    arguments: list[str],
    says: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.txt").touch()
    (tmp_path / "notes").mkdir()
    assert run(arguments) == EXIT_USAGE
    out, err = capsys.readouterr()
    assert out == ""
    (line,) = err.splitlines()
    assert line.startswith("mqdiag: ")
    assert says in line


def test_no_command_shows_the_help_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == EXIT_USAGE
    out, err = capsys.readouterr()
    assert out == ""
    assert "Commands:" in err


def test_a_bad_configuration_file_is_found_and_named(mqdiag: Run, tmp_path: Path) -> None:
    (tmp_path / "mqdiag.toml").write_text("fail_on = 'error'\n")
    done = mqdiag("heap", "missing.hprof")
    assert done.code == EXIT_USAGE
    assert done.line.endswith("mqdiag.toml: unknown key fail_on; did you mean fail-on?")


PROCESSES = {
    "cache": [],
    "capture": ["0"],
    "completion": ["bash"],
    "diagnose": ["folder"],
    "diff": ["missing", "missing"],
    "fleet": ["folder"],
    "fleet compact": ["folder"],
    "fleet views": ["folder"],
    "heap": ["given"],
    "knowledge check": ["folder"],
    "logs": ["given"],
    "mcp": ["missing"],
    "query": ["given", "SELECT 1"],
    "recording": ["given"],
    "redact": ["given", "shared"],
    "rules": ["stuck-socket-read"],
    "secrets": ["given"],
    "show": ["given", "x"],
    "stacks": ["given"],
    "warm": ["--help"],
}
"""what each command does at once, in a process of its own"""


def test_each_command_says_the_same_in_a_process(mqdiag: Run, mqdiag_process: Run, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "given").write_text("no evidence\n")
    assert set(PROCESSES) == set(commands.list_commands(click.Context(commands)))
    for name, arguments in PROCESSES.items():
        words = [*name.split(), *arguments]
        # the size of the cache is a share of the disk's room, which others change meanwhile
        own = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "MQDIAG_CACHE_SIZE": "1g"}
        assert mqdiag_process(*words, **own) == mqdiag(*words, **own), name


def test_version_and_help(mqdiag: Run, mqdiag_process: Run) -> None:
    assert mqdiag_process("--version").out == f"mqdiag {__version__}\n"
    shown = mqdiag("--help")
    assert (shown.code, shown.err) == (0, "")
    assert mqdiag("-h").out == shown.out
    listed = shown.out.split("Commands:")[1].split("Exit codes:")[0].split("\n")
    assert {line.split()[0] for line in listed if line.strip()} >= {"heap", "rules", "warm"}
