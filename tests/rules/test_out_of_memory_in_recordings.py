"""Errors in a recording: the JVM's own, and those that the program makes itself."""

from __future__ import annotations

from mqdiag.config import Settings
from mqdiag.diagnose.judge import judge
from mqdiag.facts import Facts, RecordingsFacts
from mqdiag.facts.recordings import RecordedError
from mqdiag.findings import Confidence, Finding, Severity
from tests.recordings.test_fixtures import report_of
from tests.rules.examples.recorded import recording


def told(*, by_own_code: bool) -> Finding:
    """What a report says of one error."""
    error = RecordedError(
        class_name="java.lang.OutOfMemoryError", count=3, thread="loader", by_own_code=by_own_code
    )
    facts = Facts(recordings=RecordingsFacts(recordings=(recording(errors=(error,)),)))
    return next(one for one in judge(facts, Settings()).report.findings if one.rule == "out-of-memory-thread")


def test_an_error_of_the_jvm_is_sure() -> None:
    finding = told(by_own_code=False)
    assert (finding.severity, finding.confidence) == (Severity.ERROR, Confidence.HIGH)


def test_an_error_that_the_program_makes_is_a_warning() -> None:
    finding = told(by_own_code=True)
    assert (finding.severity, finding.confidence) == (Severity.WARNING, Confidence.MEDIUM)


def test_a_recording_tells_whose_code_made_an_error() -> None:
    recordings = report_of("failing-jdk17").recordings
    assert recordings is not None
    whose = {error.class_name: error.by_own_code for error in recordings.recordings[0].errors}
    assert whose["java.lang.IllegalStateException"] is True
    assert whose["java.lang.NumberFormatException"] is False
