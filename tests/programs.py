"""Programs that some tests need besides Python: missing ones fail a run in CI and skip tests elsewhere."""

from __future__ import annotations

import os
import re
import shutil
from collections import Counter
from collections.abc import Iterable
from typing import NoReturn

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
NOT_IN_CI = frozenset({"rsync", "sshd"})
"""what `.ci/run` does not install: few tests need it"""
_REASON = re.compile(r"no ([\w-]+): apt-get install ([\w-]+)")


def need(*names: str) -> None:
    """Skip the test, or the module that is being imported, if one of these programs is not on the PATH."""
    for name in names:
        if path_of(name) is None:
            _missing(name)


def path_of(name: str) -> str | None:
    """The path of a program, of a server too, which the PATH of a user without rights may not have."""
    return shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")


def _missing(name: str) -> NoReturn:
    reason = f"no {name}: apt-get install {PACKAGES[name]}"
    if os.environ.get("CI") and name not in NOT_IN_CI:
        pytest.fail(reason)
    pytest.skip(reason, allow_module_level=True)


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
