"""`mqdiag heap` on real dumps: the verdict that the rig provoked, in JSON and in words, with the right exit code."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from mqdiag.cli import run
from mqdiag.rules.catalogue import rule_files
from tests.cli.conftest import Run
from tests.layers import CHECK, one_in_each_run, some_later
from tests.report_schema import validate_report
from tests.text_width import too_wide

HEAPS = Path(__file__).parents[2] / "fixtures" / "heap"
CASES = sorted(path.parent.name for path in HEAPS.glob("*/dump.hprof.gz"))
RULES = {rule.card.name for rule in rule_files()}
AGAIN = {
    "broadcasting-4.9.8",
    "healthy-busy-4.3.2",
    "healthy-busy-4.3.2-compact-headers",
    "healthy-busy-4.3.2-not-live",
    "healthy-busy-4.3.2-parallel-dump",
    "healthy-busy-4.3.2-zgc",
    "healthy-busy-4.9.8",
    "healthy-busy-4.9.8-direct-limit",
    "healthy-busy-4.9.8-no-compressed-oops",
    "healthy-busy-4.9.8-relocated",
    "no-rocketmq-native-gz",
    "oversized-oom-4.3.2",
    "oversized-oom-4.3.2-direct-limit",
    "pull-4.3.2",
    "stuck-one-4.9.8",
    "two-groups-4.3.2",
}
"""the verdict of another case, of another version or taken in another way; `tests/accuracy` reads each layout"""
OUT_OF_MEMORY = "oversized-oom-4.3.2"
Capture = pytest.CaptureFixture[bytes]


def dump(case: str) -> Path:
    return HEAPS / case / "dump.hprof.gz"


def expected(case: str) -> Any:
    return json.loads((HEAPS / case / "truth.json").read_text())["expected"]


def report(capsysbinary: Capture, *arguments: str) -> tuple[int, Any]:
    code = run(["heap", *arguments, "--format", "json"])
    return code, json.loads(capsysbinary.readouterr().out)


def test_the_cases_are_there() -> None:
    assert OUT_OF_MEMORY in CASES


@one_in_each_run(3)
@pytest.mark.parametrize("case", some_later(CASES, AGAIN.__contains__, layer=CHECK))
def test_the_verdict_that_was_provoked(case: str, tmp_path: Path, capsysbinary: Capture) -> None:
    """In JSON and in words that fit and are plain, by one run: `--also` writes what `--format` would."""
    wanted = expected(case)
    values = tmp_path / "report.json"
    code = run(["heap", str(dump(case)), "--width", "80", "--also", f"json={values}", *wanted["options"]])
    captured = capsysbinary.readouterr()
    found = json.loads(values.read_bytes())
    validate_report(found)
    assert found["failed"] == []
    by_rule = {finding["rule"]: finding for finding in found["findings"]}
    for want in wanted["rules"]:
        if want["rule"] in RULES:
            assert by_rule[want["rule"]]["severity"] == want["severity"]
            assert by_rule[want["rule"]]["cause"] == want.get("cause", by_rule[want["rule"]]["cause"])
    assert not set(wanted["absent"]) & set(by_rule)
    assert code == int(any(finding["severity"] == "error" for finding in found["findings"]))

    text = captured.out.decode()
    assert captured.err == b""
    # a broken command would be another one
    commands = {action["command"] for finding in found["findings"] for action in finding["now"]}
    assert [line for line in too_wide(text) if line.strip() not in commands] == []
    assert "\x1b" not in text
    # of a JVM without RocketMQ that nothing fills the dump may be the wrong one
    assert text.startswith("ERROR" if code else ("OK", "WARNING", "UNDECIDED No RocketMQ client or broker"))


@CHECK
def test_quick_counts_the_same_and_gives_no_verdict(capsysbinary: Capture) -> None:
    _, whole = report(capsysbinary, str(dump(OUT_OF_MEMORY)))
    code, quick = report(capsysbinary, str(dump(OUT_OF_MEMORY)), "--quick")
    assert code == 0
    validate_report(quick)
    counts = [{row["name"]: row["instances"] for row in found["heap"]["classes"]} for found in (whole, quick)]
    assert counts[0] == counts[1]
    assert quick["heap"]["objects"] is None
    assert quick["heap"]["process_queues"] is None
    # counts alone are a hint, and no verdict
    assert [(said["rule"], said["severity"]) for said in quick["findings"]] == [("messages-by-count", "info")]
    assert quick["answer"]["state"] == "undecided"
    assert {"consumer-cache-exceeds-heap"} <= {skipped["rule"] for skipped in quick["skipped"]}


def test_the_heap_limit_decides(capsysbinary: Capture) -> None:
    code, found = report(capsysbinary, str(dump(OUT_OF_MEMORY)), "--heap-limit", "4g", "--fail-on", "error")
    assert (found["heap"]["heap_bytes"], found["heap"]["heap_bytes_source"]) == (4 << 30, "option")
    errors = {finding["rule"] for finding in found["findings"] if finding["severity"] == "error"}
    # The dump tells another limit, which is smaller: the larger one makes no all-clear of it.
    assert errors == {"consumer-cache-exceeds-heap"}
    assert "heap-limit-contradicted" in {finding["rule"] for finding in found["findings"]}
    assert code == 1


def test_fail_on_never_reports_and_succeeds(capsysbinary: Capture) -> None:
    code, found = report(capsysbinary, str(dump(OUT_OF_MEMORY)), "--fail-on", "never")
    assert found["findings"][0]["severity"] == "error"
    assert code == 0


def test_settings_come_from_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: Capture
) -> None:
    (tmp_path / "mqdiag.toml").write_text(
        "[expect]\npullThresholdForQueue = 40\n"
        '[rules.consumer-cache-exceeds-heap]\nignore = true\nreason = "known"\n'
        '[rules.out-of-memory-thread]\nseverity = "warning"\n'
    )
    monkeypatch.chdir(tmp_path)
    _, found = report(capsysbinary, str(dump(OUT_OF_MEMORY)))
    by_rule = {finding["rule"]: finding for finding in found["findings"]}
    assert by_rule["config-not-in-force"]["evidence"]["expected"] == 40
    assert by_rule["config-not-in-force"]["evidence"]["actual"] == 100
    assert by_rule["out-of-memory-thread"]["severity"] == "warning"
    assert "consumer-cache-exceeds-heap" not in by_rule
    ignored = {"rule": "consumer-cache-exceeds-heap", "reason": "ignored by configuration: known", "needs": []}
    assert ignored in found["skipped"]


@CHECK
def test_limits_come_from_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: Capture
) -> None:
    limits = {"held_share_error": 2, "bound_share_error": 2, "bound_share_warning": 0.5}
    lines = "".join(f"{name} = {value}\n" for name, value in limits.items())
    (tmp_path / "mqdiag.toml").write_text(f"[rules.consumer-cache-exceeds-heap.limits]\n{lines}")
    monkeypatch.chdir(tmp_path)
    code, found = report(capsysbinary, str(dump(OUT_OF_MEMORY)))
    (cache,) = [one for one in found["findings"] if one["rule"] == "consumer-cache-exceeds-heap"]
    assert cache["severity"] == "warning"
    # An OutOfMemoryError stays an error unless what explains it is one too.
    assert {one["rule"] for one in found["findings"] if one["severity"] == "error"} == {"out-of-memory-thread"}
    assert code == 1


def test_an_absent_group_is_listed_as_skipped(capsysbinary: Capture) -> None:
    _, found = report(capsysbinary, str(dump(OUT_OF_MEMORY)), "--expect", "ns%no-such:pullBatchSize=1")
    (skipped,) = [entry for entry in found["skipped"] if entry["rule"] == "config-not-in-force"]
    assert "ns%no-such" in skipped["reason"]


@CHECK
def test_stdin_gives_the_same_report(mqdiag: Run) -> None:
    from_file = mqdiag("heap", str(dump(OUT_OF_MEMORY)), "--format", "json")
    piped = mqdiag("heap", "-", "--format", "json", stdin=dump(OUT_OF_MEMORY).read_bytes())
    assert (from_file.code, piped.code) == (1, 1)
    assert piped.out == from_file.out.replace(f'"path": "{dump(OUT_OF_MEMORY)}"', '"path": "-"')


@CHECK
def test_a_plain_dump_gives_the_same_findings(tmp_path: Path, capsysbinary: Capture) -> None:
    plain = tmp_path / "dump.hprof"
    plain.write_bytes(gzip.decompress(dump(OUT_OF_MEMORY).read_bytes()))
    _, zipped = report(capsysbinary, str(dump(OUT_OF_MEMORY)))
    _, found = report(capsysbinary, str(plain))
    assert found["findings"] == zipped["findings"]
    assert found["heap"] == zipped["heap"]


@one_in_each_run(6)
@pytest.mark.parametrize("share", [0.02, 0.3, 0.7, 0.99])
def test_a_cut_dump_gives_what_comes_before_the_cut(
    share: float, tmp_path: Path, capsysbinary: Capture
) -> None:
    whole = gzip.decompress(dump(OUT_OF_MEMORY).read_bytes())
    (tmp_path / "cut.hprof").write_bytes(whole[: int(len(whole) * share)])
    code = run(["heap", str(tmp_path / "cut.hprof"), "--format", "json"])
    captured = capsysbinary.readouterr()
    found = json.loads(captured.out)
    validate_report(found)
    (given,) = found["inputs"]
    assert given["complete"] is False
    if given["error"] is not None:
        assert code == 3
        assert len(captured.err.splitlines()) == 1
    else:
        assert "input-incomplete" in {finding["rule"] for finding in found["findings"]}
        assert given["stopped_at_byte"] <= len(whole) * share
        assert found["failed"] == []


def test_the_report_file_is_written_whole(mqdiag: Run, tmp_path: Path) -> None:
    done = mqdiag("heap", str(dump(OUT_OF_MEMORY)), "-o", "report.txt")
    assert (done.code, done.out) == (1, "")
    assert done.line.endswith("(report: report.txt)")
    assert (tmp_path / "report.txt").read_text().startswith("ERROR")
    assert os.listdir(tmp_path) == ["report.txt"]


def test_bodies_of_messages_are_never_shown(capsysbinary: Capture) -> None:
    """The rig fills bodies with a pattern of its own; nothing of it may stand in a report."""
    run(["heap", str(dump(OUT_OF_MEMORY)), "--threads"])
    text = capsysbinary.readouterr().out
    run(["heap", str(dump(OUT_OF_MEMORY)), "--format", "json"])
    raw = gzip.decompress(dump(OUT_OF_MEMORY).read_bytes())
    length = json.loads((HEAPS / OUT_OF_MEMORY / "truth.json").read_text())["heap"]["largest_body_bytes"]
    bodies = [raw[at + 18 : at + 50] for at in _arrays_of(raw, length)][:20]
    assert len(set(bodies)) > 1
    output = text + capsysbinary.readouterr().out
    assert not [body for body in bodies if body in output]


def _arrays_of(raw: bytes, length: int) -> list[int]:
    """Where byte[] of this length begin: tag 0x23, id, trace serial, length, element type 8."""
    needle = length.to_bytes(4, "big") + b"\x08"
    found, at = [], raw.find(needle)
    while at >= 0:
        if raw[at - 13] == 0x23:
            found.append(at - 13)
        at = raw.find(needle, at + 1)
    return found
