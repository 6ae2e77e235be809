"""A copy of the repository, in which a test carries out the steps of a guide."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
COPIED = (
    "mqdiag", "tests", "docs", "CHANGELOG.md", "Containerfile", "LICENSE", "NOTICE", "Makefile", "README.md",
    "SECURITY.md", "pyproject.toml",
)  # fmt: skip
LINKED = ("fixtures",)
"""too large to copy, and only read"""
TOOLS = Path(sys.executable).parent
KERNELS = ROOT / "mqdiag" / "_kernel_cache"
"""compiled kernels of the repository; those of the copy are the same"""


class CopiedTree:
    """A copy, and the commands of the developer's environment that run in it.

    Compiled modules of the program are copied too, as the interpreter compares them with the time and size of their
    source, and commands keep those that they compile: else each would compile the whole program.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in COPIED:
            if (ROOT / name).is_dir():
                compiled = () if name == "mqdiag" else ("__pycache__",)
                left = shutil.ignore_patterns("_kernel_cache", ".pytest_cache", *compiled)
                shutil.copytree(ROOT / name, folder / name, ignore=left)
            else:
                shutil.copy(ROOT / name, folder / name)
        for name in LINKED:
            (folder / name).symlink_to(ROOT / name)

    def run(self, command: str) -> str:
        """What a command writes, such as "pytest tests/rules"; it must succeed."""
        name, *arguments = shlex.split(command)
        environment = {**os.environ, "PYTHONPATH": str(self.folder), "MQDIAG_KERNELS": str(KERNELS)}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        done = subprocess.run(
            [*_program(name), *arguments],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout


def block_of(page: Path, language: str) -> str:
    """The only block of a page in this language."""
    (block,) = blocks_of(page, language)
    return block


def blocks_of(page: Path, language: str) -> list[str]:
    """All blocks of a page in this language, in their order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)


def _program(name: str) -> list[str]:
    if name == "python":
        return [sys.executable]
    if name == "pytest":
        return [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    if name == "mqdiag":
        return [sys.executable, "-m", "mqdiag"]
    return [str(TOOLS / name)]
