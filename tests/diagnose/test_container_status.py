"""Descriptions of pods and containers in the folder of an incident: how one ended, and none of its settings."""

from __future__ import annotations

import gzip
from pathlib import Path

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.findings import Report
from tests.logs.test_pod_settings import YAML, described, inspected

LOG = Path(__file__).parents[2] / "fixtures/incidents/healthy-5.3.3/broker/broker.log.gz"
ENDED = "    Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code:    137\n"


def report(folder: Path, name: str, text: str) -> Report:
    """What mqdiag says of a healthy broker's log beside a description."""
    folder.mkdir()
    (folder / "broker.log").write_bytes(gzip.decompress(LOG.read_bytes()))
    (folder / name).write_text(text)
    return diagnose_incident([folder]).report


def test_the_end_of_a_container_is_told(tmp_path: Path) -> None:
    for number, (name, text) in enumerate(
        (
            ("pod.txt", described(state=ENDED)),
            ("pod.yaml", YAML.format(value="x", code=137, reason="OOMKilled")),
            ("inspect.json", inspected(killed=True)),
            ("inspect.json", inspected(killed=True, indent=None)),
            ("inspect.txt", inspected(killed=True)),
        )
    ):
        causes = {one.cause for one in report(tmp_path / str(number), name, text).findings}
        assert "oom-killer" in causes, (name, causes)


def test_settings_of_a_container_that_is_well_change_nothing(tmp_path: Path) -> None:
    for number, (name, text) in enumerate(
        (
            ("pod.txt", described(value="OOMKilled", annotation="OOMKilled")),
            ("pod.yaml", YAML.format(value="OOMKilled", code=0, reason="Completed")),
            ("inspect.json", inspected(env="ALERT=OOMKilled")),
        )
    ):
        got = report(tmp_path / str(number), name, text)
        assert not got.findings or {one.severity.value for one in got.findings} == {"info"}
        assert any(one.path.endswith(name) and one.skipped for one in got.inputs)
