"""One quiet Spark for all tests of a process, and a quiet run over a fleet whose truth is known."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mqdiag.fleet.files.storage import storage
from mqdiag.fleet.tables.layout import Layout
from tests.layers import CHECK
from tests.programs import need

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"

QUICK = {
    # A JVM that lives for seconds: start fast, compile little.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xss4m",
    "spark.driver.memory": "768m",
    # A few rows are queried: no plan is compiled, divided or made again.
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    # Days and services are text.
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What starts Spark is no part of `make test`."""
    for item in items:
        if "_java" in getattr(item, "fixturenames", ()):
            item.add_marker(CHECK)


@pytest.fixture(scope="session")
def _java() -> None:
    if not os.environ.get("JAVA_HOME"):
        need("java")


@pytest.fixture(scope="session")
def context(_java: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkContext]:
    """Spark for tests of single functions."""
    from mqdiag.fleet.options import FleetOptions
    from mqdiag.fleet.session import spark_context

    options = FleetOptions(
        paths=(),
        out="",
        master="local[2]",
        conf=QUICK,
        spark_log=str(tmp_path_factory.mktemp("spark") / "log"),
    )
    with spark_context(options) as context:
        yield context


@pytest.fixture(scope="session")
def spark(context: SparkContext) -> SparkSession:
    """Spark as readers of the tables use it."""
    from pyspark.sql import SparkSession

    return SparkSession(context)


@pytest.fixture(scope="session")
def fixtures() -> Path:
    """The committed evidence."""
    return Path(__file__).parents[2] / "fixtures"


@pytest.fixture(scope="session")
def _place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("output") / "it's out"


@pytest.fixture
def output(_place: Path) -> Layout:
    """An empty output at the same place in each test, whose views are made once; SQL has to quote its name."""
    shutil.rmtree(_place, ignore_errors=True)
    return Layout(*storage(str(_place)))


TEMPLATE = (
    "--template",
    "{service}/{host}/{time}.hprof",
    "--template",
    "{service}/{host}/{time}.tar.gz",
    "--max-input",
    "64m",
)


@dataclass(frozen=True)
class Night:
    """A quiet run over the mixed fleet."""

    root: Path
    """with the folders in and out"""
    code: int
    report: dict[str, Any]
    err: str
    content: dict[str, list[str]]
    """of the tables, without what tells of the run"""


@pytest.fixture(scope="session")
def night(_java: None, tmp_path_factory: pytest.TempPathFactory) -> Night:
    """The first run, to which others are compared."""
    from tests.fleet.made_fleet import mixed_fleet
    from tests.fleet.runs import content, run

    root = tmp_path_factory.mktemp("night")
    mixed_fleet(root / "in")
    done = run(str(root / "in"), "--out", str(root / "out"), *TEMPLATE, "--run", "first")
    assert done.out, done.err
    return Night(root, done.code, json.loads(done.out), done.err, content(root / "out", root / "in"))
