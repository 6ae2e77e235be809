"""What is built: once for all tests of this folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EPOCH = "1767225600"  # any fixed time
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
SOURCES = PYPROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["only-include"]


@dataclass(frozen=True)
class Built:
    """A wheel and an sdist of this tree."""

    wheel: Path
    sdist: Path


def build(source: Path, out: Path, *kinds: str) -> Built:
    """Build with the build backend of this environment, so that nothing is fetched."""
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", *kinds, "--outdir", str(out), str(source)],
        env={**os.environ, "SOURCE_DATE_EPOCH": EPOCH},
        capture_output=True,
        check=True,
    )
    return Built(wheel=next(out.glob("*.whl"), out), sdist=next(out.glob("*.tar.gz"), out))


def tracked(*places: str, root: Path = ROOT) -> set[str]:
    """Files of the tree, those that are not yet committed too."""
    done = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *places],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    return {name for name in done.stdout.splitlines() if (root / name).exists()}


def copy_tree(source: Path, target: Path, files: Iterable[str]) -> Path:
    """The files elsewhere, with other times and rights."""
    for name in sorted(files):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / name, target / name)
        (target / name).chmod(0o600)
    return target


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources as they stand now, whatever is edited while the tests run."""
    return copy_tree(ROOT, tmp_path_factory.mktemp("tree"), tracked(*SOURCES, ".gitignore"))


@pytest.fixture(scope="session")
def built(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The sdist, and the wheel made from that sdist."""
    return build(tree, tmp_path_factory.mktemp("dist"))
