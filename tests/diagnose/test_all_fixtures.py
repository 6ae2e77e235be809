"""Each report over a folder of fixtures, read once: what an undecided answer shows and asks for, and its commands."""

from __future__ import annotations

from pathlib import Path

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.findings import Report
from mqdiag.language import english
from tests.folded import folded
from tests.layers import NIGHTLY
from tests.left_over import assert_told

FIXTURES = Path(__file__).parents[2] / "fixtures"
KINDS = ("admin", "grpc", "heap", "incidents", "logs", "public", "servers", "stacks", "stores")
EVIDENCE = sorted(
    str(path.relative_to(FIXTURES)) for kind in KINDS for path in (FIXTURES / kind).iterdir() if path.is_dir()
)
GENERIC = (
    "Take five thread dumps and the logs",
    "five thread dumps of the process",
    "a heap dump of the process",
)


@NIGHTLY
@folded("path", EVIDENCE[::2])
def test_one_half(path: str) -> None:
    look_at(path)


@NIGHTLY
@folded("path", EVIDENCE[1::2])
def test_the_other_half(path: str) -> None:
    look_at(path)


def look_at(path: str) -> None:
    report = diagnose_incident([FIXTURES / path]).report
    assert_told(report, FIXTURES / path)
    if report.answer.state == "undecided":
        _asks_for_what_would_decide(report, Path(path).name)
        _shows_something(report)


def _asks_for_what_would_decide(report: Report, folder: str) -> None:
    if not any(given.was_read for given in report.inputs):
        return
    assert report.answer.next is not None, "nothing is asked for"
    asked = english()(report.answer.next.in_a_line)
    assert not asked.startswith(GENERIC), f"what is always asked for: {asked}"
    assert "unknown" not in asked.replace(folder, ""), asked


def _shows_something(report: Report) -> None:
    logs, stacks = report.logs, report.stacks
    in_logs = logs is not None and (logs.events or any(file.first_untold for file in logs.files))
    loud = logs is not None and logs.level_lines is not None and not logs.level_lines.all_harmless
    if in_logs or loud or (stacks is not None and stacks.groups):
        assert report.answer.seen, "no line of the evidence is shown"
