"""Many objects at once, SQL, the report, and what a notebook shows, against one object at a time."""

from __future__ import annotations

import html
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mqdiag.diagnose.heap import diagnose_heap
from mqdiag.errors import UsageError
from mqdiag.notebook import Heap, open_dump
from tests.layers import CHECK
from tests.notebook.conftest import FOLDER
from tests.writers.hprof_writer import DumpWriter
from tests.writers.java_objects import JavaObjects


def test_texts_of_many_strings(heap: Heap) -> None:
    strings = list(heap.classes["java.lang.String"].instances())
    assert heap.texts(strings[:50]) == [one.text for one in strings[:50]]
    assert heap.texts([strings[0].id, 1, heap.classes["java.lang.Class"].largest(1)[0].id]) == [
        strings[0].text, None, None,
    ]  # fmt: skip


@CHECK
def test_texts_of_20000_strings_take_less_than_half_a_second(tmp_path: Path) -> None:
    dump = DumpWriter()
    java = JavaObjects(dump)
    ids = [java.string(f"text number {number}, größer") for number in range(20_000)]
    heap = open_dump(dump.write(tmp_path / "many.hprof"))
    heap.texts(ids[:1])
    began = time.process_time()
    texts = heap.texts(ids)
    assert time.process_time() - began < 0.5
    assert texts[::7000] == [f"text number {number}, größer" for number in range(0, 20_000, 7000)]


def test_referrers_of_many_objects(heap: Heap) -> None:
    queues = heap.classes["ProcessQueue"].largest(3)
    frame = heap.referrers(queues)
    for queue in queues:
        one_by_one = {holder.id for _, holder in queue.referrers()}
        assert set(frame[frame.object_id == queue.id].referrer_id) == one_by_one
    assert "java.util.concurrent.ConcurrentHashMap$Node" in set(frame.referrer_class)


def test_all_objects_and_references(heap: Heap) -> None:
    objects, references = heap.objects(), heap.references()
    assert len(objects) == heap.object_count
    queue = heap.classes["ProcessQueue"].largest(1)[0]
    row = objects.loc[queue.id]
    assert (row["class"], row.shallow_bytes, row.retained_bytes, row.reachable) == (
        queue.class_name, queue.shallow_bytes, queue.retained_bytes, True,
    )  # fmt: skip
    held = references[references.from_id == queue.id]
    assert list(zip(held.field, held.to_id, strict=True)) == [
        (name, one.id) for name, one in queue.references()
    ]


def test_sql_gives_a_table(heap: Heap) -> None:
    frame = heap.sql(
        "SELECT topic, count(*) AS n FROM messages WHERE topic = $topic GROUP BY topic", topic="no"
    )
    assert list(frame.columns) == ["topic", "n"]
    assert frame.empty
    assert heap.sql("SELECT count(*) AS n FROM messages").n[0] == len(heap.messages())
    with pytest.raises(UsageError, match="there is no column nope"):
        heap.sql("SELECT nope FROM objects")


def test_the_report_is_that_of_mqdiag_heap(heap: Heap) -> None:
    report = diagnose_heap(FOLDER / "dump.hprof.gz").report
    assert heap.findings == report.findings
    assert heap.report.report.heap == report.heap
    shown = heap.report._repr_html_()
    assert shown.startswith("<iframe sandbox ")
    assert html.escape("<!doctype html>") in shown.lower()


def test_an_object_shows_its_fields_and_nothing_is_obeyed(tmp_path: Path) -> None:
    dump = DumpWriter()
    java = JavaObjects(dump)
    key = java.string("<script>alert(1)</script>")
    pair = dump.instance(dump.known("app/Pair", key=2), key=key)
    shown = open_dump(dump.write(tmp_path / "one.hprof")).object(pair)._repr_html_()
    assert "<td>key</td><td>&lt;script&gt;alert(1)&lt;/script&gt;</td>" in shown
    assert "<script>" not in shown


@CHECK
def test_opening_a_dump_needs_no_duckdb() -> None:
    code = "import sys, mqdiag.notebook; print(*{'duckdb', 'pyarrow', 'pandas'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
