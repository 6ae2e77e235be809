"""What to run where a command needs packages that mqdiag itself does without."""

from __future__ import annotations

import shlex
import sys


def install_command(extra: str) -> str:
    """A shell command that adds an extra's packages to the environment that runs now.

    It names this environment's own Python: another pip would look for mqdiag in a package index, where it is not.

    Args:
        extra: a name of `[project.optional-dependencies]`.
    """
    return f"{shlex.quote(sys.executable)} -m pip install 'mqdiag[{extra}]'"
