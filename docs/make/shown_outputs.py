"""The outputs shown in README.md and in guides, taken from the commands that stand above them.

    <!-- output of: mqdiag heap fixtures/... -->
    ```text
    ...
    ```

A command may end in `| head -n N`, which cuts the output at the end of a section and says so.
"""

from __future__ import annotations

import functools
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

BLOCK = re.compile(
    r"(?P<mark><!-- output of: (?P<command>mqdiag [^|\n]+?)(?: \| head -n (?P<lines>\d+))? -->\n```text\n)"
    r".*?(?P<end>^```$)",
    re.DOTALL | re.MULTILINE,
)


def with_outputs(text: str, root: Path) -> str:
    """The text with every shown output taken again."""

    def taken(found: re.Match[str]) -> str:
        shown = _output(found["command"], root).splitlines()
        return found["mark"] + "\n".join(_cut(shown, found["lines"])) + "\n" + found["end"]

    return BLOCK.sub(taken, text)


@functools.cache
def _output(command: str, root: Path) -> str:
    """What the command prints; guides in two languages show the same."""
    done = subprocess.run(
        [sys.executable, "-m", *shlex.split(command)],
        cwd=root,
        env={**os.environ, "NO_COLOR": "1", "LC_ALL": "C.UTF-8", "LANGUAGE": "", "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{command}: exit {done.returncode}: {done.stderr}")
    return done.stdout


def _cut(shown: list[str], lines: str | None) -> list[str]:
    """At most so many lines, ending with a whole section."""
    if lines is None or len(shown) <= int(lines):
        return shown
    end = max((place for place in range(int(lines)) if not shown[place]), default=int(lines))
    return [*shown[:end], "", "..."]
