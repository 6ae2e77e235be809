"""One quiet Spark for all tests of a process, and fleets whose truth is known."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"

QUICK = {
    # A JVM that lives for seconds: start fast, compile little.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xss4m",
    "spark.driver.memory": "768m",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}


@pytest.fixture(scope="session")
def _java() -> None:
    if shutil.which("java") is None and not os.environ.get("JAVA_HOME"):
        if os.environ.get("CI"):
            pytest.fail("the tests of fleets need Java 17: apt-get install openjdk-17-jre-headless")
        pytest.skip("no Java")


@pytest.fixture(scope="session")
def spark(_java: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A session for tests of single functions."""
    from mqdiag.fleet.options import FleetOptions
    from mqdiag.fleet.session import spark_session

    options = FleetOptions(
        paths=(),
        out="",
        master="local[2]",
        conf=QUICK,
        spark_log=str(tmp_path_factory.mktemp("spark") / "log"),
    )
    with spark_session(options) as session:
        yield session


@pytest.fixture(scope="session")
def fixtures() -> Path:
    """The committed evidence."""
    return Path(__file__).parents[2] / "fixtures"
