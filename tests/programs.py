"""Programs that some tests need besides Python: tests are skipped where one is missing, and each run ends with them."""

from __future__ import annotations

import os
import re
import shutil
from collections import Counter
from collections.abc import Iterable

import pytest

PACKAGES = {
    "java": "openjdk-17-jdk-headless",
    "javac": "openjdk-17-jdk-headless",
    "jcmd": "openjdk-17-jdk-headless",
    "chromium": "chromium",
    "zsh": "zsh",
    "fish": "fish",
    "groff": "groff-base",
    "rsync": "rsync",
    "sshd": "openssh-server",
}
"""the Debian package of each"""
_REASON = re.compile(r"no ([\w-]+): apt-get install ([\w-]+)")


def need(*names: str) -> None:
    """Skip the test, or the module that is being imported, if one of these programs is not on the PATH."""
    for name in names:
        if path_of(name) is None:
            pytest.skip(f"no {name}: apt-get install {PACKAGES[name]}", allow_module_level=True)


def path_of(name: str) -> str | None:
    """The path of a program, of a server too, which the PATH of a user without rights may not have."""
    return shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")


def summary(reasons: Iterable[str]) -> str | None:
    """The last line of `make test`: how many tests and modules were skipped for lack of which program.

    Args:
        reasons: of all skips, those with other reasons too.
    """
    counts = Counter(found.groups() for reason in reasons if (found := _REASON.search(reason)))
    missing = [
        f"{count} without {name} (apt-get install {package})" for (name, package), count in counts.items()
    ]
    return f"skipped for lack of a program: {', '.join(missing)}" if missing else None
