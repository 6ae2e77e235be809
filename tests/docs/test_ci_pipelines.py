"""The pipelines of `ci/`, as docs/ci.md uses them, step by step as they stand, with kernels from an earlier run."""

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

WHEEL = f"https://packages.example.com/mqdiag-{__version__}-py3-none-any.whl"
USED = {"actions/cache", "github/codeql-action/upload-sarif"}
"""steps of the action that are not commands"""
CI = Path(__file__).parents[2] / "ci"
ACTION = yaml.safe_load((CI / "github" / "action.yml").read_text())
TEMPLATE = yaml.safe_load((CI / "gitlab" / "mqdiag.yml").read_text())
GITHUB, GITLAB = map(yaml.safe_load, blocks("yaml"))
(JENKINS,) = blocks("groovy")
_INPUT = re.compile(r"\$\{\{ inputs\.([\w-]+) \}\}")


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


def test_the_github_action(tmp_path: Path, known: str) -> None:
    (job,) = GITHUB["jobs"].values()
    (given,) = (step["with"] for step in job["steps"] if "ci/github" in step.get("uses", ""))
    assert set(given) <= set(ACTION["inputs"])
    values = {name: each.get("default", "") for name, each in ACTION["inputs"].items()} | given
    steps = ACTION["runs"]["steps"]
    assert ACTION["runs"]["using"] == "composite"
    assert {step["uses"].partition("@")[0] for step in steps if "uses" in step} == USED
    assert all(step["shell"] == "bash" for step in steps if "run" in step)
    assert all("${{" not in step["run"] for step in steps if "run" in step)  # inputs are values, never code
    (cache,) = (step["with"] for step in steps if step.get("uses", "").startswith("actions/cache@"))
    assert "${{ env.MQDIAG_VERSION }}" in cache["key"]
    for expected, baseline in ((1, ""), (0, known)):
        pipeline = Pipeline(tmp_path / str(expected), baseline)
        copy_kernels(Path(cache["path"].replace("~", str(pipeline.home))))
        assert pipeline.step("./load-test.sh") == 0
        files = {name: pipeline.home / name for name in ("GITHUB_ENV", "GITHUB_STEP_SUMMARY")}
        variables = {name: str(path) for name, path in files.items()}
        codes = {}
        for step in steps:
            if "run" in step:
                own = {
                    name: _INPUT.sub(lambda found: values[found[1]], each)
                    for name, each in step.get("env", {}).items()
                }
                codes[step["name"]] = pipeline.step(step["run"], **variables, **own)
                variables |= dict(line.split("=", 1) for line in files["GITHUB_ENV"].read_text().splitlines())
        assert codes == {"install": 0, "gate": expected, "summary": 0}, pipeline.said
        assert "consumer-cache-exceeds-heap" in files["GITHUB_STEP_SUMMARY"].read_text()
        written = {path.name for path in (pipeline.folder / values["reports"]).iterdir()}
        assert written == {"mqdiag.md", "mqdiag.sarif", "mqdiag.xml", "mqdiag.json"}
        assert variables["MQDIAG_KERNELS"] == cache["path"].replace("~", str(pipeline.home))
        assert variables["MQDIAG_VERSION"]
        assert "compiling kernels" not in pipeline.said


@pytest.mark.parametrize("expected", [1, 0])
def test_the_gitlab_template(expected: int, tmp_path: Path, known: str) -> None:
    (included,) = GITLAB["include"]
    assert included["file"] == "/ci/gitlab/mqdiag.yml"
    job = TEMPLATE[GITLAB["gate"]["extends"]]
    pipeline = Pipeline(tmp_path, "" if expected else known)
    (cached,) = job["cache"]["paths"]
    copy_kernels(pipeline.folder / cached)
    pipeline.folder.chmod(0o777)  # as a runner makes it
    kernels = job["variables"]["MQDIAG_KERNELS"].replace("/var/cache", str(pipeline.home))
    variables = {**job["variables"], **GITLAB["gate"]["variables"], "MQDIAG_KERNELS": kernels}
    assert set(GITLAB["gate"]["variables"]) <= set(job["variables"])
    assert pipeline.step("\n".join(GITLAB["load-test"]["script"])) == 0, pipeline.said
    script = "\n".join([*job["before_script"], *job["script"]])
    assert pipeline.step(script, **variables) == expected, pipeline.said
    assert pipeline.step("\n".join(job["after_script"]), **variables) == 0, pipeline.said
    assert (pipeline.folder / job["artifacts"]["reports"]["junit"]).stat().st_size
    (folder,) = job["artifacts"]["paths"]
    assert len(list((pipeline.folder / folder).iterdir())) == 4
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
