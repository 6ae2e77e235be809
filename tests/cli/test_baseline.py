"""`--baseline`, `--write-baseline`, `--also`: what is known does not fail the run, whatever the format."""

from __future__ import annotations

import json
import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import pytest

from mqdiag.acceptance import Acceptance
from mqdiag.baseline import Baseline, Known, read_baseline, with_baseline
from mqdiag.cli import run
from mqdiag.cli.common.write_baseline import baseline_text
from mqdiag.errors import EXIT_CLEAN, EXIT_FINDINGS, EXIT_INPUT, EXIT_USAGE, UsageError
from mqdiag.findings import Severity, Subject
from mqdiag.fingerprints import fingerprint
from mqdiag.render import formats
from tests.folded import folded
from tests.layers import CHECK, one_in_each_run
from tests.render import samples
from tests.report_schema import validate_report

STACKS = Path(__file__).parents[2] / "fixtures" / "stacks" / "apache4-stuck" / "series.tar.gz"
Capture = pytest.CaptureFixture[bytes]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def report(capsysbinary: Capture, *options: str) -> tuple[int, Any]:
    code = run(["stacks", str(STACKS), "--format", "json", *options])
    found = json.loads(capsysbinary.readouterr().out)
    validate_report(found)
    return code, found


def test_what_was_written_down_is_known_the_next_time(folder: Path, capsysbinary: Capture) -> None:
    code, first = report(capsysbinary, "--write-baseline", "known.toml")
    assert code == EXIT_FINDINGS
    assert {finding["accepted"] for finding in first["findings"]} == {None}
    text = (folder / "known.toml").read_text()
    assert [entry["rule"] for entry in tomllib.loads(text)["known"]] == [
        one["rule"] for one in first["findings"]
    ]
    code, second = report(capsysbinary, "--baseline", "known.toml")
    assert code == EXIT_CLEAN
    assert [one["rule"] for one in second["findings"]] == [one["rule"] for one in first["findings"]]
    assert all(finding["accepted"]["source"] == "known.toml" for finding in second["findings"])
    assert second["lapsed"] == []
    run(["stacks", str(STACKS), "--baseline", "known.toml"])
    assert capsysbinary.readouterr().out.startswith(b"KNOWN Only accepted faults were found")


def test_an_accepted_fault_leaves_open_what_could_not_be_judged(folder: Path, capsysbinary: Capture) -> None:
    log = folder / "application.log"
    log.write_text("".join(f"2026-05-01 10:00:{second} something of ours\n" for second in range(10, 60)))
    report(capsysbinary, "--write-baseline", "known.toml")
    arguments = ["diagnose", str(STACKS), str(log), "--baseline", "known.toml"]
    code = run([*arguments, "--fail-on", "error,undecided", "--format", "json"])
    answer = json.loads(capsysbinary.readouterr().out)["answer"]
    assert (code, answer["state"]) == (EXIT_FINDINGS, "undecided")
    assert "understood no line of" in answer["reason"]


@CHECK
def test_an_accepted_cause_explains_the_out_of_memory_error(folder: Path, capsysbinary: Capture) -> None:
    dump = str(STACKS.parents[2] / "heap" / "oversized-oom-5.3.3" / "dump.hprof.gz")
    run(["heap", dump, "--write-baseline", "known.toml"])
    capsysbinary.readouterr()
    run(["heap", dump, "--baseline", "known.toml", "--format", "json"])
    answer = json.loads(capsysbinary.readouterr().out)["answer"]
    assert "ran out of memory" not in answer["reason"]


def test_a_saved_report_is_a_baseline(capsysbinary: Capture) -> None:
    report(capsysbinary, "-o", "-", "--also", "json=before.json")
    code, found = report(capsysbinary, "--baseline", "before.json", "--fail-on", "info")
    assert code == EXIT_CLEAN
    assert all(finding["accepted"] for finding in found["findings"])


@one_in_each_run(4)
@pytest.mark.parametrize("form", formats())
def test_the_exit_code_is_the_same_in_every_format(form: str, capsysbinary: Capture) -> None:
    assert run(["stacks", str(STACKS), "--format", form]) == EXIT_FINDINGS
    captured = capsysbinary.readouterr()
    assert captured.out
    assert captured.err == b""
    run(["stacks", str(STACKS), "--write-baseline", "known.toml", "-o", "x"])
    assert run(["stacks", str(STACKS), "--format", form, "--baseline", "known.toml"]) == EXIT_CLEAN
    assert run(["stacks", "missing", "--format", form]) == EXIT_INPUT


def test_a_new_finding_fails_beside_known_ones(folder: Path, capsysbinary: Capture) -> None:
    report(capsysbinary, "--write-baseline", "known.toml")
    text = (folder / "known.toml").read_text()
    head, first, *others = text.split("[[known]]")
    (folder / "known.toml").write_text("[[known]]".join([head, *others]))
    assert "stuck-socket-read" in first
    code, found = report(capsysbinary, "--baseline", "known.toml")
    assert code == EXIT_FINDINGS
    assert [one["rule"] for one in found["findings"] if one["accepted"] is None] == ["stuck-socket-read"]


def test_an_expired_entry_counts_again_and_is_listed(folder: Path, capsysbinary: Capture) -> None:
    report(capsysbinary, "--write-baseline", "known.toml")
    path = folder / "known.toml"
    path.write_text(path.read_text().replace("\nreason", "\nuntil = 2020-02-29\nreason"))
    code, found = report(capsysbinary, "--baseline", "known.toml")
    assert code == EXIT_FINDINGS
    assert {one["why"] for one in found["lapsed"]} == {"expired"}
    assert found["lapsed"][0]["acceptance"]["until"] == "2020-02-29"
    run(["stacks", str(STACKS), "--baseline", "known.toml"])
    assert b"expired on 2020-02-29 and counts again" in b" ".join(capsysbinary.readouterr().out.split())


def test_an_ignored_rule_counts_again_after_its_last_day(folder: Path, capsysbinary: Capture) -> None:
    ignoring = '[rules.stuck-socket-read]\nignore = true\nreason = "stub"\nuntil = %s\n'
    (folder / "mqdiag.toml").write_text(ignoring % "2999-01-01")
    code, found = report(capsysbinary)
    assert code == EXIT_CLEAN
    assert [one["rule"] for one in found["ignored"]] == ["stuck-socket-read"]
    why = "ignored by configuration until 2999-01-01: stub"
    assert {"rule": "stuck-socket-read", "reason": why, "needs": []} in found["skipped"]
    (folder / "mqdiag.toml").write_text(ignoring % "2020-01-01")
    code, found = report(capsysbinary)
    assert code == EXIT_FINDINGS
    assert found["ignored"] == []
    assert [(one["rule"], one["why"]) for one in found["lapsed"]] == [("stuck-socket-read", "expired")]


DAY = date(2027, 1, 1)


def known(**over: Any) -> Known:
    given = samples.OVERSIZED
    base = Known(fingerprint=given.fingerprint, rule=given.rule, acceptance=Acceptance(source="b", reason="r"))
    return msgspec.structs.replace(base, **over)


@folded(
    "entry, accepted, why",
    [
        (known(), True, None),
        (known(severity=Severity.ERROR), True, None),
        (known(severity=Severity.WARNING), False, "worse"),
        (known(acceptance=Acceptance(source="b", reason="r", until=DAY)), True, None),
        (known(acceptance=Acceptance(source="b", reason="r", until=date(2026, 12, 31))), False, "expired"),
        (known(fingerprint="ffff"), False, "gone"),
        (known(fingerprint="ffff", rule="stuck-socket-read"), False, None),
    ],
)
def test_what_becomes_of_an_entry(entry: Known, accepted: bool, why: str | None) -> None:
    found = with_baseline(samples.ARTICLE, Baseline(entries=(entry,)), DAY)
    assert (found.findings[0].accepted is not None) == accepted
    assert [lapsed.why for lapsed in found.lapsed] == ([] if why is None else [why])
    assert all(finding.accepted is None for finding in found.findings[1:])


def test_what_is_written_can_be_read_whatever_a_dump_says(folder: Path) -> None:
    (folder / "b.toml").write_text(baseline_text(samples.HOSTILE), encoding="utf-8")
    entries = read_baseline(folder / "b.toml").entries
    assert [entry.fingerprint for entry in entries] == [one.fingerprint for one in samples.HOSTILE.findings]


def test_reasons_and_days_are_kept_when_it_is_written_again(folder: Path) -> None:
    (folder / "b.toml").write_text(baseline_text(samples.GATED), encoding="utf-8")
    first, *others = read_baseline(folder / "b.toml").entries
    assert first.acceptance.reason == samples.KNOWN.reason
    assert first.acceptance.until == samples.KNOWN.until
    assert {entry.acceptance.until for entry in others} == {None}


REFUSED = [
    ("[[known]]\nfingerprint = 'a'\nrule = 'b'\nreason = ' '\n", "known finding 1 (b) has no reason"),
    ("[[known]]\nfingerprint = 'a'\nrule = 'b'\n", "missing required field reason"),
    ("[[known]]\nfingerprint = 'a'\nrule = 'b'\nreason = 'c'\nuntl = 2027-01-01\n", "unknown field untl"),
    ("[[known]]\nfingerprint = 'a'\nrule = 'b'\nreason = 'c'\nuntil = 'soon'\n", "known[0].until: Invalid"),
    ("[[known]]\nfingerprint = 3\nrule = 'b'\nreason = 'c'\n", "known[0].fingerprint: Expected str"),
    ("[[knwn]]\n", "unknown field knwn"),
    ("nonsense", "is neither a JSON report nor TOML"),
    ("{}", "is not a report of mqdiag --format json"),
    ('{"findings": []}', "is not a report of mqdiag --format json"),
    ("{", "is not a report of mqdiag --format json"),
    ("{" + '"a":{' * 20_000, "is not a report of mqdiag --format json"),
]


@pytest.mark.parametrize(("text", "says"), REFUSED, ids=[says for _, says in REFUSED])
def test_a_bad_baseline_is_wrong_usage(folder: Path, text: str, says: str) -> None:
    (folder / "b.toml").write_text(text)
    with pytest.raises(UsageError) as error:
        read_baseline(folder / "b.toml")
    assert str(error.value).startswith(f"{folder / 'b.toml'}: ")
    assert says in str(error.value)
    assert "\n" not in str(error.value)
    assert "`" not in str(error.value)


WRONG = [
    (["--baseline", "none.toml"], "none.toml: cannot be read: No such file"),
    (["--baseline", ""], "--baseline '' is not a file name"),
    (["--baseline", "/dev/zero"], "/dev/zero: has more than"),
    (["--write-baseline", ""], "--write-baseline '' is not a file name"),
    (["--write-baseline", "no/b.toml"], "--write-baseline no/b.toml: there is no folder"),
    (["-o", ""], "--output '' is not a file name"),
    (["--table", "queues"], "--table queues goes with --format csv only"),
    (["--format", "csv", "--table", "threds"], "'threds' is not one of"),
    (["--also", "junt=a"], "there is no format 'junt'; did you mean junit?"),
    (["--also", "junit"], "is not FORMAT=FILE"),
    (["--also", "junit="], "--also '' is not a file name"),
    (["--also", "junit=-"], "name a file that nothing else is written to"),
    (["--also", "junit=x", "--also", "json=x"], "name a file that nothing else is written to"),
]


@pytest.mark.parametrize(("options", "says"), WRONG, ids=[" ".join(words) for words, _ in WRONG])
def test_wrong_usage(options: list[str], says: str, capsysbinary: Capture) -> None:
    assert run(["stacks", str(STACKS), *options]) == EXIT_USAGE
    out, err = capsysbinary.readouterr()
    assert out == b""
    (line,) = err.decode().splitlines()
    assert says in line


def test_a_fingerprint_holds_no_number_of_a_run() -> None:
    def of(**subject: Any) -> str:
        return fingerprint("r", "c", Subject(**subject))

    assert of(thread="ConsumeMessageThread_7") == of(thread="ConsumeMessageThread_12")
    assert of(thread="ConsumeMessageThread_7") != of(thread="PullMessageThread_7")
    assert of(object_class="a.B$$Lambda$14/0x00007f") == of(object_class="a.B$$Lambda$9/0x00008f")
    assert of(object_class="com.sun.proxy.$Proxy12") == of(object_class="com.sun.proxy.$Proxy3")
    assert of(object_class="a.B1") != of(object_class="a.B2")
    assert of(group="g1") != of(group="g2")
    assert of(topic="t", queue_id=1) != of(topic="t", queue_id=2)


def test_what_is_known_of_several_processes_is_known(folder: Path, capsysbinary: Capture) -> None:
    """No process has the findings of the other; still none of them is gone."""
    both = [str(STACKS), str(STACKS.parents[1] / "deadlock-monitors" / "series.tar.gz")]
    assert run(["diagnose", *both, "--format", "json", "--write-baseline", "known.toml"]) == EXIT_FINDINGS
    first = json.loads(capsysbinary.readouterr().out)
    assert len(first["other_processes"]) == 1
    assert {"stuck-socket-read", "deadlock"} <= {card["name"] for card in first["rule_cards"]}
    assert run(["diagnose", *both, "--format", "json", "--baseline", "known.toml"]) == EXIT_CLEAN
    second = json.loads(capsysbinary.readouterr().out)
    assert all(finding["accepted"] for finding in second["findings"])
    assert second["lapsed"] == []
