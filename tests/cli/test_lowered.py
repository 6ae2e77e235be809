"""What a configuration lowers is said in every format, and is never an OK."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mqdiag.cli import run
from mqdiag.errors import EXIT_CLEAN, EXIT_FINDINGS
from mqdiag.render import formats
from tests.layers import one_in_each_run
from tests.report_schema import validate_report

STACKS = Path(__file__).parents[2] / "fixtures" / "stacks" / "apache4-stuck" / "series.tar.gz"
LINE = "mqdiag.toml lowered 1 finding (stuck-socket-read)"
WAYS = {
    "severity": 'severity = "info"',
    "ignored": 'ignore = true\nreason = "stub"',
    "limit": "[rules.stuck-socket-read.limits]\nmin_samples = 1000\nmin_seconds = 1000000\n",
}
Capture = pytest.CaptureFixture[bytes]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def lower(folder: Path, way: str) -> Path:
    text = WAYS[way]
    path = folder / "mqdiag.toml"
    path.write_text(text if text.startswith("[") else f"[rules.stuck-socket-read]\n{text}\n")
    return path


def json_of(capsysbinary: Capture) -> dict[str, object]:
    report: dict[str, object] = json.loads(capsysbinary.readouterr().out)
    validate_report(report)
    return report


@pytest.mark.parametrize("way", WAYS)
def test_a_lowered_fault_is_no_ok(folder: Path, capsysbinary: Capture, way: str) -> None:
    lower(folder, way)
    assert run(["stacks", str(STACKS), "--format", "json"]) == EXIT_CLEAN
    answer = json_of(capsysbinary)["answer"]
    assert isinstance(answer, dict)
    assert answer["lowered"] == 1
    assert answer["state"] != "healthy"
    assert LINE in f"{answer['text']} {answer['reason']}"


def test_without_a_configuration_nothing_is_lowered(capsysbinary: Capture) -> None:
    assert run(["stacks", str(STACKS), "--format", "json"]) == EXIT_FINDINGS
    report = json_of(capsysbinary)
    assert report["lowered"] == []
    assert report["answer"]["lowered"] == 0  # type: ignore[index]


def test_every_format_says_it(folder: Path, capsysbinary: Capture) -> None:
    lower(folder, "severity")
    for form in formats():
        run(["stacks", str(STACKS), "--format", form])
        shown = " ".join(capsysbinary.readouterr().out.decode().split())
        if form == "openmetrics":
            assert "mqdiag_findings_lowered 1" in shown
        elif form != "csv":  # its rows are those of one table
            assert LINE in shown, form


def test_a_file_of_a_stranger_changes_nothing_and_is_named(folder: Path, capsysbinary: Capture) -> None:
    path = lower(folder, "ignored")
    path.chmod(0o666)
    assert run(["stacks", str(STACKS)]) == EXIT_FINDINGS
    said = capsysbinary.readouterr()
    assert b"is not used: others can write to mqdiag.toml; name it with --config" in said.err
    assert b"lowered" not in said.out
    assert run(["stacks", str(STACKS), "--config", str(path)]) == EXIT_CLEAN


FLUSH = (
    "2026-11-21 20:00:01 WARN main - Load default HA Service: DefaultHAService\n"
    + "2026-11-21 20:00:02 INFO main - the broker started\n" * 30
    + "2026-11-21 20:00:03 INFO FlushRealTimeService - Flush data to disk costs 2074 ms\n"
)


@pytest.mark.parametrize("way", ["ignored", "limit", "baseline"])
def test_a_doubt_that_somebody_talked_down_is_no_ok(folder: Path, capsysbinary: Capture, way: str) -> None:
    (folder / "store.log").write_text(FLUSH)
    given = ["logs", "store.log", "--format", "json"]
    assert run([*given, "-o", "saved.json"]) == EXIT_CLEAN
    if way == "baseline":
        given += ["--baseline", "saved.json"]
    else:
        text = {"ignored": WAYS["ignored"], "limit": "limits = { flush_ms = 9000 }"}[way]
        (folder / "mqdiag.toml").write_text(f"[rules.symptoms-not-judged]\n{text}\n")
    run(given)
    answer = json_of(capsysbinary)["answer"]
    assert isinstance(answer, dict)
    assert answer["state"] == "undecided"


@one_in_each_run(4)
@pytest.mark.parametrize(
    ("lines", "limit", "state", "lowered"),
    [
        (40, "", "healthy", 0),
        (40, "fewest_unknown_lines = 100", "undecided", 0),
        (4, "", "undecided", 0),
        (4, "fewest_unknown_lines = 1", "undecided", 1),
    ],
)
def test_how_much_of_a_log_proves_something_is_a_limit(
    folder: Path, capsysbinary: Capture, lines: int, limit: str, state: str, lowered: int
) -> None:
    """With less the answer is not OK either: it says that the limit was set."""
    (folder / "broker.log").write_text("2026-11-21 20:00:02 INFO main - the broker started\n" * lines)
    (folder / "mqdiag.toml").write_text(f"[rules.symptoms-not-judged]\nlimits = {{ {limit} }}\n")
    for command in ("logs", "diagnose"):
        run([command, "broker.log", "--format", "json"])
        answer = json_of(capsysbinary)["answer"]
        assert isinstance(answer, dict)
        assert (answer["state"], answer["lowered"]) == (state, lowered)
        assert ("An excerpt of" in str(answer["reason"])) == (state == "undecided" and not lowered)


@pytest.mark.parametrize("more", [(), ("--fail-on", "never"), ("--config", "mqdiag.toml")])
def test_a_found_file_lets_no_error_pass_unseen(
    folder: Path, capsysbinary: Capture, more: tuple[str, ...]
) -> None:
    (folder / "mqdiag.toml").write_text('fail-on = "never"\n')
    assert run(["stacks", str(STACKS), *more]) == EXIT_CLEAN
    told = b"the run found an error and does not fail" in capsysbinary.readouterr().err
    assert told is not bool(more)
