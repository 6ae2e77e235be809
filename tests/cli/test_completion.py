"""Completion in the shells themselves: what is typed, Tab, what is offered."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mqdiag.cli import run
from mqdiag.render import formats
from tests.layers import CHECK
from tests.programs import need

pytestmark = CHECK

BIN = Path(sys.executable).parent

# The words typed so far, the last one unfinished, and the shell's own function for them.
BASH = """
source <(mqdiag completion bash)
COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
$(complete -p mqdiag | sed 's/.*-F \\([^ ]*\\) .*/\\1/') mqdiag
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
FISH = """
mqdiag completion fish | source
complete --do-complete '{line}'
"""
# zsh completes only at a terminal; so it gets one, and the screen is read.
ZSH = r"""
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PROMPT= ; fpath=("$FOLDER" $fpath); autoload -U compinit; compinit -u -D; setopt list_rows_first'
zpty -w shell 'bindkey "^I" complete-word; zstyle ":completion:*" list-prompt ""; echo rea""dy'
zpty -r -m shell output '*ready*'
zpty -w -n shell "$LINE"$'\t\t'
sleep 0.2
shown=
for turn in {1..40}; do
  zpty -r -t shell output && printf '%s' "$output" && shown+=$output
  [[ $shown == *$WANTED* ]] && break
  sleep 0.1
done
zpty -d shell
"""


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", "TERM": "dumb", **more}


def offered_by_bash(*words: str, folder: Path) -> set[str]:
    script = BASH.format(words=" ".join(f"'{word}'" for word in ("mqdiag", *words)))
    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return set(done.stdout.split())


def offered_by_fish(*words: str, folder: Path) -> set[str]:
    script = FISH.format(line=" ".join(("mqdiag", *words)))
    done = subprocess.run(
        ["fish", "--no-config", "-c", script],
        cwd=folder,
        env=environment(HOME=str(folder)),
        capture_output=True,
        text=True,
        check=True,
    )
    return {line.partition("\t")[0] for line in done.stdout.splitlines()}


def shown_by_zsh(*words: str, wanted: str, folder: Path) -> str:
    """What the terminal shows up to the wanted text, or within four seconds."""
    functions = folder / ".functions"
    functions.mkdir()
    with (functions / "_mqdiag").open("wb") as script:
        subprocess.run(["mqdiag", "completion", "zsh"], env=environment(), stdout=script, check=True)
    done = subprocess.run(
        ["zsh", "-f", "-c", ZSH],
        cwd=folder,
        env=environment(
            FOLDER=str(functions), LINE=" ".join(("mqdiag", *words)), WANTED=wanted, COLUMNS="80", LINES="60"
        ),
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "consumer.hprof").touch()
    (tmp_path / "consumer.log").touch()
    return tmp_path


def test_bash(folder: Path) -> None:
    assert offered_by_bash("st", folder=folder) == {"stacks"}
    assert offered_by_bash("heap", "--format", "", folder=folder) == set(formats())
    assert offered_by_bash("heap", "--heap", folder=folder) == {"--heap-limit"}
    assert offered_by_bash("rules", "consumer-c", folder=folder) == {
        "consumer-cache-exceeds-heap",
        "consumer-config-conflict",
    }


@pytest.mark.parametrize("words", [("heap", "consu"), ("heap", "x", "-o", "consu"), ("diff", "x", "consu")])
def test_bash_offers_files(folder: Path, words: tuple[str, ...]) -> None:
    """bash looks the names up itself: it is told so by `compopt`, which works inside a completion only."""
    script = "compopt() { echo asked-for: $*; }\n" + BASH.format(words=" ".join(("mqdiag", *words)))
    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert "asked-for: -o default" in done.stdout


def test_fish(folder: Path) -> None:
    need("fish")
    assert offered_by_fish("st", folder=folder) == {"stacks"}
    assert offered_by_fish("rules", "consumer-cache", folder=folder) == {"consumer-cache-exceeds-heap"}
    assert {"consumer.hprof", "consumer.log"} <= offered_by_fish("heap", "consu", folder=folder)


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (("heap", "--format", "s"), "sarif"),
        (("heap", "consu"), "consumer."),  # as far as both files go
    ],
)
def test_zsh(folder: Path, words: tuple[str, ...], wanted: str) -> None:
    need("zsh")
    assert wanted in shown_by_zsh(*words, wanted=wanted, folder=folder)


def test_a_shell_that_is_none(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["completion", "tcsh"]) == 2
    assert "'tcsh' is not one of" in capfd.readouterr().err
