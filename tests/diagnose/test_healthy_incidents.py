"""OK is in reach: a healthy incident with everything in it is OK, with its margins, and no more than that is."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.findings import Severity
from mqdiag.language import english
from tests.layers import CHECK

INCIDENTS = Path(__file__).parents[2] / "fixtures" / "incidents"
CASE = INCIDENTS / "healthy-5.3.3"
HEALTHY = sorted(INCIDENTS.glob("healthy-*"))
OWN_LOG = "logs/app.log"


@pytest.mark.parametrize("case", HEALTHY, ids=lambda case: case.name)
def test_a_healthy_incident_is_ok_with_margins(case: Path) -> None:
    """A false undecided is a failure, as a false alarm is."""
    report = diagnose_incident([case]).report
    assert report.answer.state == "healthy", english()(report.answer.reason)
    assert len(report.answer.margins) >= 5
    assert {one.severity for one in report.findings} <= {Severity.INFO}
    assert not [given.path for given in report.inputs if given.error is not None]


def part(tmp_path: Path, *names: str) -> Path:
    """A folder with some of the evidence."""
    for name in names:
        target = tmp_path / "taken" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (CASE / name).is_dir() else shutil.copy)(CASE / name, target)
    return tmp_path / "taken"


@CHECK
def test_parts_of_it_are_ok_or_say_what_is_missing(tmp_path: Path) -> None:
    """Threads of the process or its client's log tell how it is; the application's log alone does not."""
    wanted = {
        ("stacks", "cpu-times", OWN_LOG): "healthy",
        # the manifest says that a heap dump and a client's log were taken too
        ("manifest.json", "stacks", "cpu-times", OWN_LOG): "undecided",
        ("logs/rocketmq_client.log", OWN_LOG): "healthy",
        (OWN_LOG,): "undecided",
    }
    told = {
        names: diagnose_incident([part(tmp_path / str(number), *names)]).report.answer.state
        for number, names in enumerate(wanted)
    }
    assert told == wanted


def test_other_lines_of_the_application_are_no_ok(tmp_path: Path) -> None:
    """A layout that nobody knows, and a warning that no rule judges."""
    folder = part(tmp_path, "stacks", "cpu-times", OWN_LOG)
    usual = (folder / OWN_LOG).read_text()
    strange = usual.replace("\n", "\n2026-11-24 03:41:00.000 order 7 is shipped\n")
    warning = (
        usual.splitlines()[-1].replace("INFO ", "WARN ").partition(" - ")[0] + " - stock of item 7 is odd\n"
    )
    for text in (strange, usual + warning):
        (folder / OWN_LOG).write_text(text)
        assert diagnose_incident([folder]).report.answer.state == "undecided", text[-200:]
