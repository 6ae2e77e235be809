"""The wheel in fresh environments, far from the tree: `make package-check`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import jsonschema_rs
import pytest

from mqdiag import __version__
from tests.layers import CHECK
from tests.packaging.conftest import ROOT, Built

pytestmark = CHECK

DUMP = ROOT / "fixtures" / "heap" / "oversized-oom-4.3.2" / "dump.hprof.gz"
NOBODY = 65534
NETWORK = ("PIP_", "UV_", "SSL_", "HTTP", "NO_PROXY", "ALL_PROXY", "REQUESTS_")


@dataclass(frozen=True)
class Installed:
    """An environment with the wheel and what it needs, nothing else."""

    prefix: Path

    @property
    def python(self) -> Path:
        return self.prefix / "bin" / "python"

    @property
    def mqdiag(self) -> Path:
        return self.prefix / "bin" / "mqdiag"


def run(*words: str | Path, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command that sees neither this tree nor this environment."""
    return subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env={"PATH": "/usr/bin:/bin", "HOME": str(cwd), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def pip(python: Path, *words: str | Path) -> None:
    options = ("--python", str(python), "install", "--quiet", "--disable-pip-version-check")
    subprocess.run([sys.executable, "-m", "pip", *options, *map(str, words)], check=True)


def found_cause(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 1, done.stderr
    return str(json.loads(done.stdout)["findings"][0]["cause"])


@pytest.fixture(scope="module")
def open_folder() -> Iterator[Path]:
    """A folder that every user may enter; pytest keeps its own from all others."""
    with tempfile.TemporaryDirectory(prefix="mqdiag-packaging-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture(scope="module")
def installed(built: Built, open_folder: Path) -> Installed:
    prefix = open_folder / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(prefix)], check=True)
    pip(prefix / "bin" / "python", built.wheel)
    return Installed(prefix)


@pytest.fixture(scope="module")
def warm(installed: Installed, open_folder: Path) -> Installed:
    """With compiled kernels, of which no run has to tell any more."""
    assert run(installed.mqdiag, "warm", cwd=open_folder).returncode == 0
    return installed


def test_it_runs_from_the_environment_alone(installed: Installed, tmp_path: Path) -> None:
    where = run(installed.python, "-c", "import mqdiag; print(mqdiag.__file__)", cwd=tmp_path).stdout
    assert Path(where).is_relative_to(installed.prefix)
    assert run(installed.mqdiag, "--version", cwd=tmp_path).stdout == f"mqdiag {__version__}\n"
    assert (installed.prefix / "share" / "man" / "man1" / "mqdiag.1").is_file()


def test_a_dump_is_diagnosed_and_the_report_fits_the_schema_in_the_wheel(
    installed: Installed, tmp_path: Path
) -> None:
    done = run(installed.mqdiag, "heap", DUMP, "--format", "json", cwd=tmp_path)
    assert found_cause(done) == "oversized-thresholds"
    schema = next(installed.prefix.glob("lib/python*/site-packages/mqdiag/render/json/report.schema.json"))
    jsonschema_rs.validate(json.loads(schema.read_text()), json.loads(done.stdout))


@pytest.mark.parametrize("format_name", ["html", "sarif", "junit", "markdown", "github", "csv"])
def test_every_format_has_what_it_needs(warm: Installed, tmp_path: Path, format_name: str) -> None:
    done = run(warm.mqdiag, "heap", DUMP, "--format", format_name, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    assert "consumer-cache-exceeds-heap" in done.stdout


def test_it_speaks_chinese(installed: Installed, tmp_path: Path) -> None:
    done = run(installed.mqdiag, "heap", DUMP, "--lang", "zh", cwd=tmp_path, PYTHONIOENCODING="utf-8")
    assert done.returncode == 1, done.stderr
    assert "消费者组 CID_oversized-oom-4_3_2 缓存的消息" in done.stdout


def test_other_evidence_is_diagnosed(installed: Installed, tmp_path: Path) -> None:
    done = run(
        installed.mqdiag, "diagnose", ROOT / "fixtures/incidents/stuck-http", "--format=json", cwd=tmp_path
    )
    assert found_cause(done) == "missing-http-timeout"


def test_the_extras_are_named_when_they_are_not_there(installed: Installed, tmp_path: Path) -> None:
    done = run(installed.mqdiag, "fleet", DUMP, "--out", tmp_path / "out", cwd=tmp_path)
    assert done.returncode == 2
    # by pip or by uv, whichever the environment has
    assert "pip install" in done.stderr
    assert str(installed.python) in done.stderr
    assert done.stderr.rstrip().endswith("'mqdiag[spark]'")


def test_a_user_without_rights_compiles_into_the_volume_once(installed: Installed, open_folder: Path) -> None:
    """What the container does: an installation that cannot be written, and one folder that can."""
    root = os.getuid() == 0
    user = NOBODY if root else os.getuid()
    volume, evidence = open_folder / "kernels", open_folder / "evidence"
    for folder in (volume, evidence):
        folder.mkdir()
    shutil.copy(DUMP, evidence)
    os.chown(volume, user, -1)
    nobody = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups") if root else ()
    heap = (*nobody, installed.mqdiag, "heap", DUMP.name, "--format", "json")
    seen = []
    for _ in range(2):
        done = run(*heap, cwd=evidence, MQDIAG_KERNELS=str(volume), HOME="/nonexistent")
        assert found_cause(done) == "oversized-thresholds"
        (state,) = volume.iterdir()
        seen.append({path: path.stat() for path in state.glob("*.o")})
    first, second = seen
    assert first
    assert {path: kept.st_mtime_ns for path, kept in first.items()} == {
        path: kept.st_mtime_ns for path, kept in second.items()
    }
    assert {kept.st_uid for kept in first.values()} == {user}


@pytest.mark.parametrize(
    ("tool", "words", "folders"),
    [
        ("pipx", ("install",), ("PIPX_HOME", "PIPX_BIN_DIR", "PIPX_MAN_DIR")),
        ("uv", ("tool", "install"), ("UV_TOOL_DIR", "UV_TOOL_BIN_DIR")),
    ],
)
def test_tools_that_install_commands_take_the_wheel(
    built: Built, tmp_path: Path, tool: str, words: tuple[str, ...], folders: tuple[str, ...]
) -> None:
    own = tmp_path / "tool"
    subprocess.run([sys.executable, "-m", "venv", str(own)], check=True)
    pip(own / "bin" / "python", tool)
    places = {name: str(tmp_path / name) for name in folders}
    # how this machine reaches its package index
    network = {name: os.environ[name] for name in os.environ if name.upper().startswith(NETWORK)}
    done = run(own / "bin" / tool, *words, built.wheel, cwd=tmp_path, UV_SYSTEM_CERTS="1", **network, **places)
    assert done.returncode == 0, done.stderr
    command = Path(places[folders[1]]) / "mqdiag"
    assert found_cause(run(command, "heap", DUMP, "--format", "json", cwd=tmp_path)) == "oversized-thresholds"


def test_the_bill_of_materials_names_what_is_installed(installed: Installed, tmp_path: Path) -> None:
    cyclonedx = Path(sys.executable).parent / "cyclonedx-py"
    for name in ("one", "two"):
        words = ("environment", "--output-reproducible", "--output-file", name, installed.python)
        done = run(cyclonedx, *words, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    bill = json.loads((tmp_path / "one").read_text())
    parts = {part["name"].lower(): part["version"] for part in bill["components"]}
    assert bill["bomFormat"] == "CycloneDX"
    assert parts["mqdiag"] == __version__
    assert {"click", "msgspec", "numba", "numpy", "jinja2"} <= set(parts)


def container_daemon() -> bool:
    if shutil.which("docker") is None:
        return False
    return subprocess.run(["docker", "info"], capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(
    not container_daemon(), reason="no container daemon; the tests above take the same steps without"
)
def test_the_image_builds_and_diagnoses(tmp_path: Path) -> None:
    subprocess.run(["docker", "build", "--file", "Containerfile", "--tag", "mqdiag", "."], cwd=ROOT, check=True)
    mounts = ("--volume", f"{DUMP.parent}:/evidence:ro", "--tmpfs", "/var/cache/mqdiag:uid=10001,exec")
    words = (
        "docker",
        "run",
        "--rm",
        "--network",
        "none",
        *mounts,
        "mqdiag",
        "heap",
        DUMP.name,
        "--format",
        "json",
    )
    done = run(*words, cwd=tmp_path, PATH=os.environ["PATH"])
    assert found_cause(done) == "oversized-thresholds"
