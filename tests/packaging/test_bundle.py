"""`make bundle`: a file that installs and runs where no network is, by a user without rights whose home is read-only.

It is tried with each Python that a release has a bundle for, as far as it is here.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.layers import CHECK, some_later
from tests.packaging.conftest import PYPROJECT, ROOT, SOURCES, copy_tree, tracked

SAMPLE = "fixtures/heap/oversized-oom-5.3.3/dump.hprof.gz"
OWN = "{}.{}".format(*sys.version_info)
VERSIONS = [
    words.rpartition(" ")[2]
    for words in PYPROJECT["project"]["classifiers"]
    if words.startswith("Programming Language :: Python :: 3.")
]
ROOT_USER = os.geteuid() == 0
NAMESPACE = ("unshare", "--net", "--mount") if ROOT_USER else ("unshare", "--map-root-user", "--net", "--mount")
NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups") if ROOT_USER else ()


def interpreter(version: str) -> Path | None:
    """The Python of that version; one of pyenv too that is not the chosen one."""
    chosen = shutil.which(f"python{version}")
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for found in [chosen, *sorted(pyenv.glob(f"{version}.*/bin/python"), reverse=True)]:
        if found is not None:
            words = [found, "-c", "import sys; print(sys.base_prefix)"]
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            if done.returncode == 0:
                return Path(done.stdout.strip()) / "bin" / f"python{version}"
    return None


@dataclass(frozen=True)
class Host:
    """A folder as a machine: a Python, a home that nobody may write, a folder that is the user's own."""

    folder: Path
    base: Path
    """where the Python is installed, which the user may not see there"""

    @property
    def python(self) -> Path:
        return self.folder / "python" / "bin" / "python3"

    def run(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        """Run a command without a network, rights, and anything of this environment."""
        mount = f"mount --bind {shlex.quote(str(self.base))} {shlex.quote(str(self.folder / 'python'))}"
        command = shlex.join([*NOBODY, *map(str, words)])
        return subprocess.run(
            [*NAMESPACE, "sh", "-c", f"{mount} && exec {command}"],
            cwd=self.folder / "own",
            env={
                "PATH": "/usr/bin:/bin:/usr/sbin:/sbin",
                "HOME": str(self.folder / "home"),
                # a Python that looks for its own library where it was built
                "LD_LIBRARY_PATH": str(self.folder / "python" / "lib"),
            },
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture
def host(version: str) -> Iterator[Host]:
    found = interpreter(version)
    if found is None:
        pytest.skip(f"no Python {version} here")
    with tempfile.TemporaryDirectory(prefix="mqdiag-bundle-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        for made in ("python", "home", "own"):
            (folder / made).mkdir()
        (folder / "home").chmod(0o555)
        if ROOT_USER:
            os.chown(folder / "own", 65534, 65534)
        host = Host(folder, found.parents[1])
        if host.run("true").returncode:
            pytest.skip("no namespaces here")
        assert host.run("cat", "/proc/net/route").stdout.count("\n") <= 1, "the namespace has a route"
        yield host


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_tree(
        ROOT, tmp_path_factory.mktemp("tree"), tracked(*SOURCES, "Makefile", ".ci", ".gitignore", SAMPLE)
    )


@CHECK
@pytest.mark.parametrize("version", some_later(VERSIONS, lambda version: version != OWN))
def test_it_installs_and_diagnoses_without_network_and_rights(version: str, host: Host, tree: Path) -> None:
    # Below another make, this one would print the folders that it enters and leaves.
    make = ["make", "--no-print-directory", "bundle", f"PYTHONS={version}"]
    done = subprocess.run(make, cwd=tree, capture_output=True, text=True, check=True)
    with tarfile.open(tree / done.stdout.splitlines()[-1]) as archive:
        archive.extractall(host.folder, filter="data")
    (unpacked,) = host.folder.glob("mqdiag-*/")
    assert {path.name for path in unpacked.iterdir()} == {
        "LICENSE",
        "NOTICE",
        "README.md",
        "extras",
        "host",
        "install",
        "sample.hprof.gz",
        "wheels",
    }
    place = host.folder / "own" / "mqdiag"
    done = host.run(unpacked / "install", place, host.python)
    assert (done.returncode, done.stderr) == (0, "")
    (told,) = [line for line in done.stdout.splitlines() if line.startswith("try it: ")]
    done = host.run(*told.removeprefix("try it: ").split(), "--format", "json")
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["findings"][0]["cause"] == "oversized-thresholds"
    assert list((host.folder / "home").iterdir()) == []
    done = host.run(place / "bin" / "mqdiag", "query", unpacked / "sample.hprof.gz", "SELECT 1")
    assert done.returncode == 2
    assert "make bundle EXTRAS=query" in done.stderr


@pytest.mark.parametrize("host", ["Python 2.7 on x86_64", "Python {}.{} on sparc".format(*sys.version_info)])
def test_another_host_is_refused_in_one_line(host: str, tmp_path: Path) -> None:
    shutil.copy(ROOT / ".ci" / "install-bundle", tmp_path / "install")
    (tmp_path / "host").write_text(f"{host}\n")
    done = subprocess.run(
        [tmp_path / "install", tmp_path / "mqdiag"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.startswith(f"the wheels are for {host}, and python3 is Python 3.")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "mqdiag").exists()
