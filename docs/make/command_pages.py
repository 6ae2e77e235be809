"""docs/cli.md, from the help texts of the commands themselves."""

from __future__ import annotations

import os
import subprocess
import sys

import click

from mqdiag.cli import mqdiag

INTRO = """\
# Command line

Made from the commands' own help by `make docs`; edit the help texts in `mqdiag/cli/`, not this page.

The report goes to standard output, everything else (progress, warnings, errors) to standard error. `-` reads
standard input where one file is expected.

| exit code | meaning |
|---|---|
| 0 | nothing at or above `--fail-on` |
| 1 | findings at or above `--fail-on` |
| 2 | wrong usage, or a bad configuration file |
| 3 | no input could be read, or the report could not be written, as on a full disk |
| 4 | an internal fault, such as a rule that crashed; the report is still written |

4 goes before 3, and 3 before 1. What `mqdiag.toml` can hold: [configuration.md](configuration.md).
"""


def command_page() -> str:
    """The page."""
    commands = mqdiag.list_commands(click.Context(mqdiag))
    return "\n".join([INTRO, _block("mqdiag"), *(_block("mqdiag", *name.split()) for name in commands)])


def _block(*words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *words, "--help"],
        env={**os.environ, "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=True,
    )
    lines = "\n".join(line.rstrip() for line in done.stdout.splitlines())
    return f"## {' '.join(words)}\n\n```text\n{lines}\n```\n"
