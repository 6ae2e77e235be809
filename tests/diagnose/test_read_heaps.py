"""Files that say something of heaps besides a single dump: class histograms, and several dumps in one file."""

from __future__ import annotations

import gzip
import shutil
import struct
from pathlib import Path

import pytest

from mqdiag.cli import run
from mqdiag.config import Settings
from mqdiag.diagnose.heap import diagnose_heap
from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.diagnose.read_heaps import MOST_DUMPS
from mqdiag.findings import Severity
from mqdiag.language import english
from tests.writers import hprof_records as hprof
from tests.writers.hprof_writer import DumpWriter

FIXTURES = Path(__file__).parents[2] / "fixtures" / "heap"
BUSY = FIXTURES / "healthy-busy-4.9.8" / "histogram.txt"
FULL = """ num     #instances         #bytes  class name (module)
-------------------------------------------------------
   1:           474       42700000  [B (java.base@17.0.15)
   2:           474          53088  org.apache.rocketmq.common.message.MessageClientExt
   3:             6            528  org.apache.rocketmq.client.impl.consumer.ProcessQueue
   4:             1             96  org.apache.rocketmq.client.impl.factory.MQClientInstance
Total           955       42753712
"""


def _written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_a_histogram_gives_counts_and_no_all_clear() -> None:
    report = diagnose_heap(BUSY).report
    assert (report.inputs[0].kind, report.inputs[0].complete) == ("histogram", True)
    assert report.heap is not None
    assert report.heap.file_objects == 61_811
    assert report.heap.objects is None
    assert report.heap.counted is not None
    assert (report.heap.counted.messages, report.heap.counted.process_queues) == (120, 4)
    assert report.findings == ()
    assert report.answer.state == "undecided"
    assert report.answer.next is not None
    assert "Take a heap dump" in english()(report.answer.next.text)


def test_counts_decide_where_byte_arrays_fill_the_heap(tmp_path: Path) -> None:
    path = _written(tmp_path / "histo.txt", FULL)
    (finding,) = diagnose_heap(path, Settings(heap_limit=56 << 20)).report.findings
    assert (finding.rule, finding.severity) == ("messages-by-count", Severity.WARNING)
    assert finding.evidence["messages"] == 474
    assert finding.rests_on in ((), (str(path),))
    (unsure,) = diagnose_heap(path).report.findings
    assert unsure.severity is Severity.INFO
    assert diagnose_heap(path).report.answer.state == "undecided"


def test_many_client_instances_are_seen_by_their_count(tmp_path: Path) -> None:
    text = FULL.replace("4:             1 ", "4:            40 ").replace("955", "994")
    rules = {finding.rule for finding in diagnose_heap(_written(tmp_path / "h.txt", text)).report.findings}
    assert "client-leak" in rules


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "gbk"])
def test_a_histogram_of_any_encoding_is_read(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "histo.txt"
    path.write_bytes(FULL.encode(encoding))
    assert diagnose_heap(path).report.inputs[0].kind == "histogram"
    assert diagnose_incident([path]).report.inputs[0].kind == "histogram"


def test_a_cut_histogram_is_incomplete(tmp_path: Path) -> None:
    path = _written(tmp_path / "histo.txt", FULL.rpartition("Total")[0])
    report = diagnose_heap(path).report
    assert not report.inputs[0].complete
    assert "input-incomplete" in {finding.rule for finding in report.findings}


def test_it_is_read_in_an_incident_and_from_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _written(tmp_path / "histo.txt", FULL)
    report = diagnose_incident([path], Settings(heap_limit=56 << 20)).report
    (finding,) = report.findings
    assert finding.rests_on == (str(path),)
    with path.open() as file:
        monkeypatch.setattr("sys.stdin", file)
        assert run(["heap", "-"]) == 0
    assert "474 messages" in capsys.readouterr().out


def test_a_histogram_beside_a_heap_dump_is_left_alone(tmp_path: Path) -> None:
    _written(tmp_path / "histo.txt", FULL)
    shutil.copy(FIXTURES / "healthy-busy-4.9.8" / "dump.hprof.gz", tmp_path)
    report = diagnose_incident([tmp_path]).report
    skipped = {Path(given.path).name for given in report.inputs if given.skipped is not None}
    assert skipped == {"histo.txt"}
    assert report.heap is not None
    assert report.heap.objects is not None
    assert not report.other_processes


def _dumps(path: Path, counts: tuple[int, ...]) -> Path:
    """A file as the hprof agent writes it: one header, a dump after the other, ids that go on."""
    writers = []
    for count in counts:
        dump = DumpWriter()
        kind = dump.java_class("app/A", statics={f"S{at}": (hprof.OBJECT, 0) for at in range(count)})
        for at in range(count):
            kind.statics[f"S{at}"] = (hprof.OBJECT, dump.instance(kind))
        writers.append(dump.records())
    data = hprof.header("1.0.2", 8, 1_795_254_875_000) + b"".join(writers)
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("quick", [False, True])
def test_each_dump_of_a_file_is_read_and_reported(quick: bool, tmp_path: Path) -> None:
    path = _dumps(tmp_path / "agent.hprof", (2, 3, 5))
    report = diagnose_heap(path, quick=quick).report
    assert [given.path for given in report.inputs] == [str(path), f"{path}#2", f"{path}#3"]
    heaps = [report.heap, *(own.heap for own in report.other_processes)]
    found = [{row.name: row.instances for row in heap.classes}["app.A"] for heap in heaps if heap is not None]
    assert found == [2, 3, 5]


def test_an_incident_reads_each_dump_too(tmp_path: Path) -> None:
    path = _dumps(tmp_path / "agent.hprof", (2, 3))
    report = diagnose_incident([tmp_path]).report
    assert [given.path for given in report.inputs] == [str(path), f"{path}#2"]


def test_a_dump_that_is_given_twice_counts_once_and_equal_dumps_of_one_file_count_each(tmp_path: Path) -> None:
    path = _dumps(tmp_path / "agent.hprof", (2,))
    packed = tmp_path / "copy.hprof.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    report = diagnose_incident([path, packed]).report
    told = {given.path: given.skipped for given in report.inputs}
    assert told[str(path)] is None
    skipped = told[str(packed)]
    assert skipped is not None
    assert english()(skipped) == f"is the same dump as {path}; it is counted once"
    both = diagnose_incident([_dumps(tmp_path / "both.hprof", (2, 2))]).report
    assert [given.skipped for given in both.inputs] == [None, None]


def test_no_more_dumps_than_there_is_time_for(tmp_path: Path) -> None:
    path = _dumps(tmp_path / "agent.hprof", (1,) * (MOST_DUMPS + 2))
    report = diagnose_heap(path, quick=True).report
    assert len(report.inputs) == MOST_DUMPS
    assert report.heap is not None
    assert "holds 10 dumps" in english()(report.heap.unknown["further dumps"])


def test_a_later_dump_that_cannot_be_read_takes_nothing_from_the_first(tmp_path: Path) -> None:
    path = _dumps(tmp_path / "agent.hprof", (2, 0))
    report = diagnose_heap(path).report
    assert [given.path for given in report.inputs] == [str(path)]
    assert report.heap is not None
    assert "dump 2 of the file cannot be read" in english()(report.heap.unknown["further dumps"])


def test_a_later_dump_has_its_own_time(tmp_path: Path) -> None:
    path = _dumps(tmp_path / "agent.hprof", (2, 3))
    data = bytearray(path.read_bytes())
    second = data.rindex(struct.pack(">BI", hprof.HEAP_DUMP_SEGMENT, 0))
    data[second + 1 : second + 5] = struct.pack(">I", 90_000_000)
    path.write_bytes(data)
    first, later = diagnose_heap(path, quick=True).report.inputs
    assert first.captured_at is not None
    assert later.captured_at is not None
    assert first.captured_at[17:19] == "35"
    assert later.captured_at[14:19] == "56:05"


def test_sizes_are_called_estimates_where_ids_are_numbers(tmp_path: Path) -> None:
    heap = diagnose_heap(_dumps(tmp_path / "few.hprof", (2,))).report.heap
    assert heap is not None
    assert "estimates" in english()(heap.unknown["sizes of objects"])
    real = diagnose_heap(FIXTURES / "healthy-busy-4.9.8" / "dump.hprof.gz").report.heap
    assert real is not None
    assert "sizes of objects" not in real.unknown
