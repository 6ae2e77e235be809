"""`mqdiag diagnose` from its arguments to its exit code."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from mqdiag.errors import EXIT_CLEAN, EXIT_FINDINGS, EXIT_INPUT, EXIT_USAGE
from tests.cli.conftest import Run
from tests.layers import CHECK
from tests.report_schema import validate_report
from tests.test_imports import heavy_modules

INCIDENTS = Path(__file__).parents[2] / "fixtures" / "incidents"
STUCK = INCIDENTS / "stuck-http"
MISSING = "no such file or folder; check the path; it is relative to the working directory"


@CHECK
def test_a_folder_gives_one_verdict(mqdiag: Run) -> None:
    done = mqdiag("diagnose", str(STUCK))
    assert done.code == EXIT_FINDINGS
    assert done.out.startswith(
        "ERROR 1 of 10 consume threads of group CID_stuck-http hangs in a network call of HttpURLConnection made by"
        " UrlConnection.reserve(UrlConnection.java:16)\n"
    )
    assert done.err == ""


def test_lines_in_a_pipe_or_a_file_are_broken_only_if_somebody_asks_for_a_width(
    mqdiag: Run, tmp_path: Path
) -> None:
    log = INCIDENTS / "stuck-http" / "stacks"
    whole, by_variable, by_option = (
        mqdiag("diagnose", str(log), *options, COLUMNS=columns).out
        for columns, options in (("", ()), ("80", ()), ("120", ("--width", "80")))
    )
    assert by_variable == by_option
    assert max(map(len, whole.splitlines())) > 80 >= max(map(len, by_option.splitlines()))
    assert whole.split() == [word for word in by_option.split() if word]
    for name in ("main.txt", "also.txt"):
        mqdiag(
            "diagnose",
            str(log),
            "-o",
            str(tmp_path / "main.txt"),
            "--also",
            f"text={tmp_path / 'also.txt'}",
            COLUMNS="",
        )
        assert (tmp_path / name).read_text() == whole


def test_a_busy_consumer_fails_no_run(mqdiag: Run) -> None:
    assert mqdiag("diagnose", str(INCIDENTS / "busy-http")).code == EXIT_CLEAN


@CHECK
def test_the_report_follows_its_schema(mqdiag: Run) -> None:
    done = mqdiag("diagnose", str(STUCK), str(INCIDENTS / "busy-http"), "--format", "json")
    report = json.loads(done.out)
    validate_report(report)
    assert report["verdict"]["chain"]
    assert len(report["other_processes"]) == 1


def test_a_folder_without_evidence_reads_nothing(mqdiag: Run, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "notes.md").write_text("# Nothing\n")
    (tmp_path / "in" / "empty").touch()
    for path, reason in (
        (
            "in",
            "holds no evidence of a known kind, such as heap dumps, thread dumps or logs; files left alone: 2"
            " (in/empty, in/notes.md); --format json lists each with its reason",
        ),
        ("in/notes.md", "is text, but no log, thread dump, mqadmin output or crash report"),
    ):
        done = mqdiag("diagnose", path)
        assert done.code == EXIT_INPUT
        assert done.out == ""
        assert done.line == f"mqdiag: {path}: {reason}"
    (tmp_path / "none").mkdir()
    assert (
        mqdiag("diagnose", "none").line
        == "mqdiag: none: is an empty folder; give one with heap dumps, thread dumps, flight recordings or logs"
    )


def test_missing_paths_are_told_and_the_rest_decides(mqdiag: Run, tmp_path: Path) -> None:
    alone = mqdiag("diagnose", "missing")
    assert alone.code == EXIT_INPUT
    assert alone.line == f"mqdiag: missing: {MISSING}"
    shutil.copytree(STUCK / "stacks", tmp_path / "stacks")
    done = mqdiag("diagnose", "missing", "stacks")
    assert done.code == EXIT_FINDINGS
    assert done.line == f"mqdiag: missing: {MISSING}"
    assert f"\n  - missing: could not be read: {MISSING}\n" in done.out


def test_without_a_path_it_is_wrong_usage(mqdiag: Run) -> None:
    assert mqdiag("diagnose").code == EXIT_USAGE


@CHECK
def test_without_a_heap_dump_nothing_heavy_is_imported() -> None:
    assert heavy_modules("diagnose", str(STUCK / "stacks"), "--fail-on", "never") == ("0", set())


def test_a_summary_for_a_merge_request_says_the_verdict_first(mqdiag: Run) -> None:
    done = mqdiag("diagnose", str(STUCK), "--format", "markdown")
    verdict = done.out.index(
        "### ERROR: 1 of 10 consume threads of group CID\\_stuck-http hangs in a network call"
    )
    assert verdict < done.out.index("| --- |")
    assert "that are done are delivered again" in done.out
