"""What to run where a command needs packages that mqdiag itself does without."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from mqdiag.text import Text, say

BUNDLE_MARK = "mqdiag-bundle"
"""file that `install` of a bundle leaves in the environment which it made (.ci/install-bundle)"""


def how_to_add(extra: str, missing: Sequence[str]) -> Text:
    """A sentence that names packages which are not there, and the command that brings them.

    Args:
        extra: a name of `[project.optional-dependencies]`.
        missing: packages of it.
    """
    if Path(sys.prefix, BUNDLE_MARK).exists():
        return say(
            "this needs {missing:and}, which the bundle that mqdiag was installed from lacks: run {command} in a clone"
            " on a host with a network, and install that bundle",
            missing=tuple(missing),
            command=f"make bundle EXTRAS={extra}",
        )
    return say("this needs {missing:and}: {command}", missing=tuple(missing), command=install_command(extra))


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
