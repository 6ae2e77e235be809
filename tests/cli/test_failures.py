"""Whatever ends a command becomes one line and the right exit code."""

from __future__ import annotations

import errno
import signal
import subprocess
import sys
from typing import Any, Literal

import click
import pytest

from mqdiag.cli.common.failures import guarded
from mqdiag.cli.common.session import exit_code
from mqdiag.errors import (
    EXIT_CLEAN,
    EXIT_FINDINGS,
    EXIT_INPUT,
    EXIT_INTERNAL,
    EXIT_INTERRUPTED,
    InputError,
    UsageError,
)
from mqdiag.facts import Input
from mqdiag.fail_on import parse_fail_on
from mqdiag.findings import Answer, Confidence, Failed, Finding, Report, Severity, Subject
from mqdiag.text import say
from tests.folded import folded
from tests.layers import CHECK


def raising(error: BaseException) -> Any:
    def work() -> None:
        raise error

    return work


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (UsageError(say("no")), 2, "mqdiag: no"),
        (
            InputError("a.hprof", say("is empty"), hint=say("try again"), offset=3),
            3,
            "mqdiag: a.hprof (byte 3): is empty; try again",
        ),
        (KeyboardInterrupt(), EXIT_INTERRUPTED, "mqdiag: interrupted"),
        (click.Abort(), EXIT_INTERRUPTED, "mqdiag: interrupted"),
        (
            MemoryError(),
            4,
            "mqdiag: not enough memory for this input; try --quick, or a machine with more memory",
        ),
        (
            OSError(errno.ENOSPC, "No space left on device", "/tmp/x"),
            3,
            "mqdiag: /tmp/x: the disk is full; make room, or name another folder",
        ),
        (
            OSError(errno.ENOSPC, "No space left on device"),
            3,
            "mqdiag: a disk is full; make room, or name another folder for temporary files in TMPDIR",
        ),
        (KeyError("x\ny"), 4, "mqdiag: internal fault: KeyError: 'x\\ny'; --debug shows where"),
        (RuntimeError("a\nb"), 4, "mqdiag: internal fault: RuntimeError: a\\nb; --debug shows where"),
    ],
)
def test_one_line(error: BaseException, code: int, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert guarded(raising(error), debug=False, language="en") == code
    assert capsys.readouterr().err.splitlines() == [line]


@CHECK
def test_an_interrupt_ends_with_one_line() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", "import mqdiag.cli as cli; print('up', flush=True); cli.main()", "heap", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"up\n"
        process.stdin.write(
            b"JAVA PROFILE 1.0.2" + bytes(1 << 22)
        )  # more than a pipe holds: it is reading when this returns
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == EXIT_INTERRUPTED
        assert process.stderr.read().split() == b"mqdiag: interrupted".split()


def test_debug_shows_the_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    assert guarded(raising(RuntimeError("inside")), debug=True, language="en") == EXIT_INTERNAL
    err = capsys.readouterr().err
    assert "Traceback" in err
    assert "in work" in err


def test_a_command_without_a_code_is_a_success() -> None:
    assert guarded(lambda: None, debug=False, language="en") == EXIT_CLEAN


def finding(severity: Severity) -> Finding:
    return Finding(
        rule="a-rule",
        severity=severity,
        cause="a-cause",
        confidence=Confidence.HIGH,
        fingerprint="0",
        title=say("t"),
        subject=Subject(),
        evidence={},
        remedy=(),
    )


READ = Input(path="a")
LOST = Input(path="b", error=say("is empty"), complete=False)
ERROR, WARNING, INFO = map(finding, Severity)
CRASH = Failed(rule="a-rule", error="ValueError: x")


@folded(
    "inputs, findings, failed, fail_on, code",
    [
        ((READ,), (), (), "error", EXIT_CLEAN),
        ((READ,), (WARNING, INFO), (), "error", EXIT_CLEAN),
        ((READ,), (ERROR,), (), "error", EXIT_FINDINGS),
        ((READ,), (WARNING,), (), "warning", EXIT_FINDINGS),
        ((READ,), (INFO,), (), "warning", EXIT_CLEAN),
        ((READ,), (INFO,), (), "info", EXIT_FINDINGS),
        ((READ,), (ERROR,), (), "never", EXIT_CLEAN),
        ((LOST,), (), (), "error", EXIT_INPUT),
        ((LOST,), (ERROR,), (), "error", EXIT_INPUT),
        ((LOST, READ), (), (), "error", EXIT_CLEAN),
        ((LOST, READ), (ERROR,), (), "error", EXIT_FINDINGS),
        ((READ,), (), (), "undecided", EXIT_FINDINGS),
        ((READ,), (), (), "error,undecided", EXIT_FINDINGS),
        ((LOST,), (), (), "undecided", EXIT_INPUT),
        ((READ,), (ERROR,), (CRASH,), "error", EXIT_INTERNAL),
        ((LOST,), (), (CRASH,), "never", EXIT_INTERNAL),
    ],
)
def test_precedence_of_exit_codes(
    inputs: tuple[Input, ...],
    findings: tuple[Finding, ...],
    failed: tuple[Failed, ...],
    fail_on: str,
    code: int,
) -> None:
    report = Report(mqdiag="0", inputs=inputs, findings=findings, failed=failed)
    assert exit_code(report, parse_fail_on(fail_on, "--fail-on")) == code


@folded(
    "state, found, fail_on, code",
    [
        ("undecided", (WARNING,), "error", EXIT_CLEAN),
        ("undecided", (WARNING,), "error,undecided", EXIT_FINDINGS),
        ("healthy", (), "error,undecided", EXIT_CLEAN),
        ("fault", (ERROR,), "undecided", EXIT_CLEAN),
        ("fault", (ERROR,), "undecided,error", EXIT_FINDINGS),
    ],
)
def test_an_undecided_answer_fails_where_it_was_asked_for(
    state: Literal["fault", "healthy", "undecided"], found: tuple[Finding, ...], fail_on: str, code: int
) -> None:
    answer = Answer(state=state, text=say("so"))
    report = Report(mqdiag="0", inputs=(READ,), findings=found, answer=answer)
    assert exit_code(report, parse_fail_on(fail_on, "--fail-on")) == code


@folded("given", ["", "fatal", "error,info", "never,undecided", "undecided,"])
def test_words_that_contradict_each_other_are_refused(given: str) -> None:
    with pytest.raises(UsageError, match=r"--fail-on is .*error,undecided"):
        parse_fail_on(given, "--fail-on")
