"""docs/kubernetes against the API's own schema, against the command line, and against itself."""

from __future__ import annotations

import copy
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pyspark
import pytest
import yaml

from mqdiag.cli.fleet import command
from mqdiag.cli.fleet_compact import command as compaction
from mqdiag.config import parse_size
from tests.layers import one_in_each_run

FOLDER = Path(__file__).parents[2] / "docs/kubernetes"
PYTHON_WORKER = 512 << 20
CLASS = "org/apache/spark/scheduler/cluster/k8s/KubernetesExecutorBackend"


def documents() -> list[dict[str, Any]]:
    return [
        one
        for name in ("executor", "fleet")
        for one in yaml.safe_load_all((FOLDER / f"{name}.yaml").read_text())
    ]


EXECUTOR, *_, NIGHTLY = documents()
DRIVER = NIGHTLY["spec"]["jobTemplate"]["spec"]["template"]["spec"]
COMMAND = DRIVER["containers"][0]["command"]
SETTINGS = dict(word.removeprefix("--conf=").split("=", 1) for word in COMMAND if word.startswith("--conf="))
SCRIPT = COMMAND.index("/opt/mqdiag-fleet.py")
ARGUMENTS = COMMAND[SCRIPT + 1 :]


def check(document: dict[str, Any]) -> None:
    schema = pytest.importorskip("kubernetes_validate", reason="the API's schema: run make setup")
    schema.validate(document, schema.latest_version(), strict=True)


@one_in_each_run(3)
@pytest.mark.parametrize("document", documents(), ids=lambda one: f"{one['kind']}")
def test_the_api_takes_it(document: dict[str, Any]) -> None:
    check(document)


def test_a_wrong_name_would_be_seen() -> None:
    wrong = copy.deepcopy(EXECUTOR)
    wrong["spec"]["containers"][0]["volumeMount"] = []
    with pytest.raises(Exception, match="volumeMount"):
        check(wrong)


def test_the_command_is_one_of_mqdiag() -> None:
    given = command.make_context("fleet", list(ARGUMENTS)).params
    assert given["paths"] == ("/evidence",)
    assert given["pages"] == "/fleet/pages"
    compact, fleet = (one for one in documents() if one["kind"] == "CronJob")
    assert fleet == NIGHTLY
    (container,) = compact["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"]
    assert container["image"] == DRIVER["containers"][0]["image"]
    *_, folder, keep = container["command"]
    assert container["command"][:5] == ["python3", "-m", "mqdiag", "fleet", "compact"]
    assert compaction.make_context("compact", [folder, keep]).params["out"] == given["out"]


def test_the_memory_of_an_executor_is_enough() -> None:
    given = command.make_context("fleet", list(ARGUMENTS)).params
    of_core = parse_size(given["memory"]) + PYTHON_WORKER
    overhead = parse_size(SETTINGS["spark.executor.memoryOverhead"])
    assert overhead == int(SETTINGS["spark.executor.cores"]) * of_core
    limit = parse_size(DRIVER["containers"][0]["resources"]["limits"]["memory"].removesuffix("i"))
    assert limit >= parse_size(SETTINGS["spark.driver.memory"]) + (1 << 30)


def mounts(pod: dict[str, Any]) -> dict[str, str]:
    names = {one["name"] for one in pod["volumes"]}
    found = {one["mountPath"]: one["name"] for one in pod["containers"][0]["volumeMounts"]}
    assert set(found.values()) == names
    return found


def test_driver_and_executors_see_the_same_folders() -> None:
    driver, executor = mounts(DRIVER), mounts(EXECUTOR["spec"])
    assert (driver["/evidence"], driver["/fleet"]) == (executor["/evidence"], executor["/fleet"])
    assert "--scratch=/scratch" in ARGUMENTS
    assert "/scratch" in executor
    assert SETTINGS["spark.kubernetes.executor.podTemplateFile"].startswith("/templates/")
    assert "/templates" in driver
    assert (
        SETTINGS["spark.kubernetes.executor.podTemplateContainerName"]
        == EXECUTOR["spec"]["containers"][0]["name"]
    )
    assert SETTINGS["spark.kubernetes.container.image"] == DRIVER["containers"][0]["image"]


def test_the_image_has_what_the_pods_call() -> None:
    text = (FOLDER / "Containerfile").read_text()
    (home,) = re.findall(r"SPARK_HOME=(\S+)", text)
    assert COMMAND[0] == f"{home}/bin/spark-submit"
    assert (Path(pyspark.__file__).parent / "bin/spark-submit").is_file()
    assert COMMAND[SCRIPT] in text
    user = {one["spec"]["securityContext"]["runAsUser"] for one in (EXECUTOR, {"spec": DRIVER})}
    assert f"USER {user.pop()}:" in text
    assert not user


def test_the_entrypoint_starts_an_executor(tmp_path: Path) -> None:
    java = tmp_path / "java"
    java.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    java.chmod(0o755)
    told = {
        "SPARK_HOME": "/spark",
        "SPARK_EXECUTOR_MEMORY": "1g",
        "SPARK_DRIVER_URL": "spark://driver",
        "SPARK_EXECUTOR_ID": "7",
        "SPARK_EXECUTOR_CORES": "2",
        "SPARK_APPLICATION_ID": "app",
        "SPARK_EXECUTOR_POD_IP": "10.0.0.9",
        "SPARK_RESOURCE_PROFILE_ID": "0",
        "SPARK_EXECUTOR_POD_NAME": "pod",
        "SPARK_JAVA_OPT_0": "-Da=with space",
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
    }
    entrypoint = str(FOLDER / "entrypoint")
    done = subprocess.run([entrypoint, "executor"], env=told, capture_output=True, text=True, check=True)
    words = done.stdout.splitlines()
    assert words[:3] == ["-Da=with space", "-Xms1g", "-Xmx1g"]
    assert words[5] == CLASS.replace("/", ".")
    given = dict(zip(words[6::2], words[7::2], strict=True))
    assert (given["--executor-id"], given["--podName"], given["--hostname"]) == ("7", "pod", "10.0.0.9")
    (jar,) = (Path(pyspark.__file__).parent / "jars").glob("spark-kubernetes_*.jar")
    assert f"{CLASS}.class".encode() in jar.read_bytes()
    other = subprocess.run([entrypoint, "echo", "x"], env=told, capture_output=True, text=True, check=True)
    assert other.stdout == "x\n"
