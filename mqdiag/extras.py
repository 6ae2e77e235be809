"""What to run where a command needs packages that mqdiag itself does without."""

from __future__ import annotations

import shlex
import sys
from importlib.util import find_spec


def install_command(extra: str) -> str:
    """A shell command that adds an extra's packages to the environment that runs now.

    It names this environment's own Python: another pip would look for mqdiag in a package index, where it is not.

    Args:
        extra: a name of `[project.optional-dependencies]`.
    """
    if find_spec("pip") is None:
        # an environment of uv has no pip of its own
        return f"uv pip install --python {shlex.quote(sys.executable)} 'mqdiag[{extra}]'"
    return f"{shlex.quote(sys.executable)} -m pip install 'mqdiag[{extra}]'"
