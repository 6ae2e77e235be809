"""`make bundle`: one file that installs and runs where no network is, as in a namespace with nothing but itself."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from tests.layers import CHECK
from tests.packaging.conftest import ROOT, SOURCES, copy_tree, tracked

DUMP = ROOT / "fixtures" / "heap" / "oversized-oom-4.3.2" / "dump.hprof.gz"
NO_NETWORK = ("unshare", "--net") if os.geteuid() == 0 else ("unshare", "--map-root-user", "--net")


def offline(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a command without a network, and without anything of this environment."""
    return subprocess.run(
        [*NO_NETWORK, *map(str, words)],
        env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def namespace() -> None:
    if shutil.which("unshare") is None or offline("true").returncode:
        pytest.skip("no network namespaces here")
    assert offline("cat", "/proc/net/route").stdout.count("\n") <= 1, "the namespace has a route"


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundle of a copy of the tree, unpacked."""
    tree = copy_tree(ROOT, tmp_path_factory.mktemp("tree"), tracked(*SOURCES, "Makefile", ".ci", ".gitignore"))
    # Below another make, this one would print the folders that it enters and leaves.
    make = ["make", "--no-print-directory", "bundle"]
    done = subprocess.run(make, cwd=tree, capture_output=True, text=True, check=True)
    place = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(tree / done.stdout.splitlines()[-1]) as archive:
        archive.extractall(place, filter="data")
    (folder,) = place.iterdir()
    return folder


@CHECK
def test_it_installs_and_diagnoses_without_a_network(namespace: None, unpacked: Path, tmp_path: Path) -> None:
    python = (unpacked / "python-version").read_text().strip()
    interpreter = shutil.which(f"python{python}") or shutil.which("python3")
    assert interpreter is not None
    done = offline(unpacked / "install", tmp_path / "mqdiag", interpreter)
    assert done.returncode == 0, done.stderr
    done = offline(tmp_path / "mqdiag" / "bin" / "mqdiag", "heap", DUMP, "--format", "json")
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["findings"][0]["cause"] == "oversized-thresholds"


def test_another_python_is_refused_in_one_line(tmp_path: Path) -> None:
    shutil.copy(ROOT / ".ci" / "install-bundle", tmp_path / "install")
    (tmp_path / "python-version").write_text("2.7\n")
    done = subprocess.run(
        [tmp_path / "install", tmp_path / "mqdiag"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.startswith("the wheels are for Python 2.7 and python3 is 3.")
    assert not (tmp_path / "mqdiag").exists()
