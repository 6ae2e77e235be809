"""The pipelines of docs/ci.md, run step by step as they stand, with compiled kernels from an earlier run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from mqdiag import __version__
from mqdiag.cli import run
from mqdiag.kernel import folder as kernels
from tests.docs.test_ci_page import DUMP, blocks
from tests.layers import CHECK

pytestmark = CHECK

WHEEL = f"mqdiag-{__version__}-py3-none-any.whl"
USED = {"actions/checkout", "actions/setup-python", "actions/cache", "github/codeql-action/upload-sarif"}
"""steps of GitHub Actions that are not commands"""
GITHUB, GITLAB = map(yaml.safe_load, blocks("yaml"))
(JENKINS,) = blocks("groovy")


class Pipeline:
    """A folder like that of a job: a load test, a python that installs the wheel, a file of known findings."""

    def __init__(self, folder: Path, known: str) -> None:
        self.folder, self.home, self.programs = folder / "project", folder / "home", folder / "bin"
        for made in (self.folder / "build", self.home, self.programs):
            made.mkdir(parents=True)
        self._program(self.folder / "load-test.sh", f"cp '{DUMP}' build/consumer.hprof")
        # The wheel itself is installed by tests/packaging, which needs minutes.
        self._program(self.programs / "python", f'test "$*" = "-m pip install {WHEEL}"')
        self._program(self.programs / "mqdiag", f"exec '{sys.executable}' -m mqdiag \"$@\"")
        (self.folder / "mqdiag-baseline.toml").write_text(known)
        self.said = ""

    def _program(self, path: Path, line: str) -> None:
        path.write_text(f"#!/bin/sh\n{line}\n")
        path.chmod(0o755)

    def step(self, script: str, **variables: str) -> int:
        """Run a step as a CI server does, and give its exit code."""
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", script],
            cwd=self.folder,
            env={"PATH": f"{self.programs}:{os.environ['PATH']}", "HOME": str(self.home), "MQDIAG": WHEEL}
            | variables,
            capture_output=True,
            text=True,
            check=False,
        )
        self.said += done.stdout + done.stderr
        return done.returncode


@pytest.fixture
def known(tmp_path: Path) -> str:
    path = tmp_path / "baseline.toml"
    assert run(["heap", str(DUMP), "--write-baseline", str(path), "--fail-on", "never", "-o", "/dev/null"]) == 0
    return path.read_text()


def copy_kernels(target: Path) -> None:
    """What the cache of a CI server brings back."""
    assert kernels.is_ready(["heap"]), "the run above has compiled them"
    source = Path(kernels._chosen().read[0].path)
    shutil.copytree(source, target / source.name, ignore=shutil.ignore_patterns("lock"))


def test_github_actions(tmp_path: Path, known: str) -> None:
    (job,) = GITHUB["jobs"].values()
    steps = job["steps"]
    assert {step["uses"].partition("@")[0] for step in steps if "uses" in step} == USED
    (cache,) = (step["with"] for step in steps if step.get("uses", "").startswith("actions/cache@"))
    assert "${{ env.MQDIAG }}" in cache["key"]
    for expected, baseline in ((1, ""), (0, known)):
        pipeline = Pipeline(tmp_path / str(expected), baseline)
        copy_kernels(Path(cache["path"].replace("~", str(pipeline.home))))
        files = {name: pipeline.home / name for name in ("GITHUB_ENV", "GITHUB_STEP_SUMMARY")}
        variables = {name: str(path) for name, path in files.items()}
        codes = {}
        for step in steps:
            if "run" in step:
                codes[step.get("name")] = pipeline.step(step["run"], **variables)
                variables |= dict(line.split("=", 1) for line in files["GITHUB_ENV"].read_text().splitlines())
        assert codes == {None: 0, "gate": expected, "summary": 0}, pipeline.said
        assert "consumer-cache-exceeds-heap" in files["GITHUB_STEP_SUMMARY"].read_text()
        assert (pipeline.folder / "build" / "mqdiag.sarif").exists()
        assert variables["MQDIAG_KERNELS"] == cache["path"].replace("~", str(pipeline.home))
        assert "compiling kernels" not in pipeline.said


def test_gitlab_ci(tmp_path: Path, known: str) -> None:
    job = GITLAB["gate"]
    pipeline = Pipeline(tmp_path, known)
    (cached,) = job["cache"]["paths"]
    copy_kernels(pipeline.folder / cached)
    pipeline.folder.chmod(0o777)  # as a runner makes it
    script = "\n".join([*job["before_script"], *job["script"], *job["after_script"]])
    variables = {"MQDIAG_KERNELS": job["variables"]["MQDIAG_KERNELS"].replace("/var/cache", str(pipeline.home))}
    assert pipeline.step(script.replace("/var/cache", str(pipeline.home)), **variables) == 0, pipeline.said
    reports = [*job["artifacts"]["paths"], job["artifacts"]["reports"]["junit"]]
    assert all((pipeline.folder / report).stat().st_size for report in reports)
    assert "compiling kernels" not in pipeline.said
    assert "is not used" not in pipeline.said


def test_jenkins(tmp_path: Path, known: str) -> None:
    pipeline = Pipeline(tmp_path, known)
    copy_kernels(pipeline.home / "kernels")
    scripts = re.findall(r"\bsh '(.*?)'", JENKINS)
    assert len(scripts) == 2
    for script in scripts:
        assert pipeline.step(script, MQDIAG_KERNELS=str(pipeline.home / "kernels")) == 0, pipeline.said
    read = re.findall(r"(?:junit|artifacts:) '(.*?)'", JENKINS)
    assert len(read) == 2
    assert all((pipeline.folder / report).stat().st_size for report in read)
