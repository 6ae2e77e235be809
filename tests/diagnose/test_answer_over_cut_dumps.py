"""The answer over a heap dump of which the end is missing: its numbers are lower bounds, and the headline says so."""

from __future__ import annotations

import gzip
from pathlib import Path

from mqdiag.diagnose.heap import diagnose_heap
from mqdiag.findings import Confidence, Severity
from mqdiag.language import english
from mqdiag.render import View, renderer
from tests.layers import CHECK

WHOLE = Path(__file__).parents[2] / "fixtures" / "heap" / "oversized-oom-5.3.3" / "dump.hprof.gz"


def cut(folder: Path, percent: int) -> Path:
    dump = gzip.decompress(WHOLE.read_bytes())
    path = folder / "cut.hprof"
    path.write_bytes(dump[: len(dump) * percent // 100])
    return path


@CHECK
def test_the_headline_says_that_numbers_are_lower_bounds(tmp_path: Path) -> None:
    report = diagnose_heap(cut(tmp_path, 60)).report
    assert report.answer.state == "fault"
    reason = english()(report.answer.reason)
    assert "could be read in part only, so its numbers are lower bounds" in reason
    assert "hold less" not in reason
    assert "At this moment" not in renderer("text")(report, View())


def test_a_cache_that_was_read_in_part_leads_and_not_the_thread_that_met_the_error(tmp_path: Path) -> None:
    """The heap was full, the thresholds allow 92 % of it, and 29 % of it was read."""
    report = diagnose_heap(cut(tmp_path, 50)).report
    first = report.findings[0]
    assert (first.rule, first.severity) == ("consumer-cache-exceeds-heap", Severity.ERROR)
    assert first.confidence is Confidence.MEDIUM
    assert "the queues may hold more than it shows" in english()(first.confidence_reason)
    (met,) = (finding for finding in report.findings if finding.rule == "out-of-memory-thread")
    assert (met.severity, met.caused_by) == (Severity.INFO, (first.fingerprint,))


def test_a_part_without_consumers_does_not_speak_for_the_whole_dump(tmp_path: Path) -> None:
    text = " ".join(renderer("text")(diagnose_heap(cut(tmp_path, 10)).report, View()).split())
    assert "no consumer and no message is in the part that could be read" in text


def test_the_stack_that_met_the_error_is_in_the_first_part(tmp_path: Path) -> None:
    """The part names no thread: these stand behind the objects."""
    report = diagnose_heap(cut(tmp_path, 30)).report
    assert report.answer.state == "fault"
    (finding,) = (finding for finding in report.findings if finding.rule == "out-of-memory-thread")
    title = english()(finding.title)
    assert title.startswith(
        "Thread without a name threw the OutOfMemoryError in"
        " org.apache.rocketmq.common.message.MessageDecoder.decode("
    )


def test_a_whole_dump_names_its_threads() -> None:
    (finding,) = (
        finding for finding in diagnose_heap(WHOLE).report.findings if finding.rule == "out-of-memory-thread"
    )
    assert finding.subject.thread
