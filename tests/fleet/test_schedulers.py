"""The examples for Airflow and Dagster as they stand, in environments of their own: what can pass is tried again."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tests.commit import ROOT
from tests.fleet.made_fleet import FIXTURES
from tests.layers import NIGHTLY
from tests.waiting import PATIENCE_S, wait_until

EXAMPLES = ROOT / "docs" / "schedulers"
DAY = "2026-11-27"
DEAD_MASTER = "--master=spark://127.0.0.1:1"
MATERIALIZE = f"""\
import sys
import dagster
from dagster_asset import definitions, fleet_tables
definitions.resolve_asset_graph()
with dagster.DagsterInstance.ephemeral() as instance:
    result = dagster.materialize([fleet_tables], partition_key="{DAY}", instance=instance, raise_on_error=False)
if not result.success:
    (failure,) = [event.step_failure_data for event in result.all_events if event.is_step_failure]
    sys.exit(f"failed, {{failure.user_failure_data.description}}")
(made,) = result.asset_materializations_for_node("fleet_tables")
print({{key: value.value for key, value in made.metadata.items()}})
"""
ASK_FOR_A_RETRY = f"""\
import dagster
from dagster_asset import fleet_tables
try:
    fleet_tables(dagster.build_asset_context(partition_key="{DAY}"))
except dagster.RetryRequested as error:
    print("again after", error.seconds_to_wait, error.__cause__)
"""


def environment(package: str) -> Path:
    """Programs of an environment with one package, which is kept for the next night."""
    folder = ROOT / "build" / "schedulers" / package
    if not (folder / "ready").exists():
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        subprocess.run([str(folder / "bin" / "pip"), "install", "--quiet", package], check=True)
        (folder / "ready").touch()
    return folder / "bin"


@pytest.fixture
def variables(tmp_path: Path) -> dict[str, str]:
    """What the examples are told, over the thread dumps of a consumer that hangs."""
    host = tmp_path / "evidence" / "orders" / "h1"
    host.mkdir(parents=True)
    with tarfile.open(FIXTURES / "stacks" / "latch-stuck" / "series.tar.gz") as series:
        series.extractall(host, filter="data")
    return {
        **os.environ,
        "PYTHONPATH": str(EXAMPLES),
        "PYTHONDONTWRITEBYTECODE": "1",
        "MQDIAG": str(Path(sys.executable).parent / "mqdiag"),
        "MQDIAG_EVIDENCE": str(host.parents[1]),
        "MQDIAG_OUT": str(tmp_path / "out"),
        "DAGSTER_DISABLE_TELEMETRY": "1",
        "DAGSTER_HOME": "",
        "AIRFLOW_HOME": str(tmp_path / "airflow"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__DAGS_FOLDER": str(EXAMPLES),
    }


def runs_of(variables: dict[str, str]) -> list[str]:
    return [mark.name for mark in Path(variables["MQDIAG_OUT"], "_runs").glob("*.json")]


@NIGHTLY
def test_a_dag_of_airflow(variables: dict[str, str], tmp_path: Path) -> None:
    airflow = str(environment("apache-airflow>=3.1") / "airflow")
    subprocess.run([airflow, "db", "migrate"], env=variables, check=True, capture_output=True)

    def states() -> dict[str, str]:
        with sqlite3.connect(tmp_path / "airflow" / "airflow.db", timeout=PATIENCE_S) as base:
            return dict(base.execute("SELECT task_id, state FROM task_instance").fetchall())

    def tested(**more: str) -> str:
        command = [airflow, "dags", "test", "mqdiag_fleet", DAY]
        done = subprocess.run(command, env=variables | more, capture_output=True, text=True, check=False)
        return done.stdout + done.stderr

    told = tested()
    assert states() == {"diagnose": "success", "compact": "success"}, told
    assert "Returned value was: {'answer': 'fault', 'error': 1}" in told
    assert len(runs_of(variables)) == 1
    for wrong, code in (({"MQDIAG_OPTIONS": "--bogus"}, 2), ({"MQDIAG_EVIDENCE": str(tmp_path / "no")}, 3)):
        told = tested(**wrong)
        assert states() == {"diagnose": "failed", "compact": "upstream_failed"}, told
        assert f"mqdiag ended with {code} (" in told
    # It waits ten minutes before it tries again.
    command = [airflow, "dags", "test", "mqdiag_fleet", DAY]
    with subprocess.Popen(
        command,
        env=variables | {"MQDIAG_OPTIONS": DEAD_MASTER},
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        wait_until(lambda: states().get("diagnose") == "up_for_retry", "the retry")
        os.killpg(process.pid, signal.SIGKILL)


@NIGHTLY
def test_an_asset_of_dagster(variables: dict[str, str], tmp_path: Path) -> None:
    python = str(environment("dagster") / "python")

    def ran(script: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [python, "-c", script], env=variables | more, capture_output=True, text=True, check=False
        )

    done = ran(MATERIALIZE)
    assert done.returncode == 0, done.stderr
    assert "'answer': 'fault', 'error': 1, 'tables': " in done.stdout
    assert len(runs_of(variables)) == 1
    for wrong, code in (({"MQDIAG_OPTIONS": "--bogus"}, 2), ({"MQDIAG_EVIDENCE": str(tmp_path / "no")}, 3)):
        done = ran(MATERIALIZE, **wrong)
        assert f"failed, mqdiag ended with {code} (" in done.stderr
        assert done.returncode == 1
    told = ran(ASK_FOR_A_RETRY, MQDIAG_OPTIONS=DEAD_MASTER).stdout
    assert told.startswith("again after 600 mqdiag ended with 4 (can pass): mqdiag: Spark does not start"), told
