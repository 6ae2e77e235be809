"""What the writer puts into a dump comes out of the reader, in every form of the format."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mqdiag.read.hprof.dump import Dump, read_dump, read_objects
from mqdiag.read.source import open_source
from tests.graph.opening import counts, dump_of, heap_of, put
from tests.graph.small_dump import small_dump
from tests.writers import hprof_records as hprof
from tests.writers.hprof_records import OBJECT
from tests.writers.hprof_writer import CAPTURED_AT_MS, DumpWriter

FORMS = {
    "1.0.2, ids of 8, one segment": DumpWriter(),
    "1.0.2, ids of 4, one segment": DumpWriter(id_size=4),
    "1.0.1, ids of 8, one heap record": DumpWriter(version="1.0.1", heap_tag=hprof.HEAP_DUMP),
    "1.0.1, ids of 4, one heap record": DumpWriter(version="1.0.1", id_size=4, heap_tag=hprof.HEAP_DUMP),
    "a segment for each sub-record": DumpWriter(segment_bytes=1),
    "segments of 100 bytes": DumpWriter(segment_bytes=100, id_size=4),
}


def filled(form: DumpWriter) -> DumpWriter:
    """The same content in another form."""
    content = small_dump(form.id_size)
    content.version, content.heap_tag, content.segment_bytes = form.version, form.heap_tag, form.segment_bytes
    return content


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_every_form_says_the_same(form: DumpWriter, tmp_path: Path) -> None:
    written = filled(form)
    dump = dump_of(written, tmp_path)
    assert (dump.header.version, dump.header.id_size) == (form.version, form.id_size)
    assert dump.header.captured_at_ms == CAPTURED_AT_MS
    assert (dump.complete, dump.problem, dump.further_dumps) == (True, None, 0)
    assert counts(dump) == {
        "app.Holder": 2,
        "byte[]": 5,
        "java.lang.Object[]": 2,
        "java.lang.String": 4,
        "java.lang.Thread": 1,
        "java.util.ArrayList": 1,
        "java.util.HashMap": 1,
        "java.util.HashMap$Node": 1,
        "java.util.HashMap$Node[]": 1,
        "java.util.concurrent.LinkedBlockingQueue": 1,
        "java.util.concurrent.LinkedBlockingQueue$Node": 4,
    }
    assert sorted(dump.roots.types.tolist()) == sorted(
        [0x01, 0x02, 0x03, 0x04, 0x06, 0x07, 0x08, 0xFF] + [0x05] * len(written.classes)
    )


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_counts_alone_are_the_same_counts(form: DumpWriter, tmp_path: Path) -> None:
    source = open_source(put(filled(form), tmp_path))
    quick, (full, parts) = read_dump(source), read_objects(source)
    assert sum(part.ids.size for part in parts) == quick.counts.sum()
    assert (quick.counts == full.counts).all()
    assert (quick.elements == full.elements).all()


@pytest.mark.parametrize("id_size", [4, 8])
def test_fields_and_statics_of_every_type(id_size: int, tmp_path: Path) -> None:
    kinds = {
        "z": (hprof.BOOLEAN, 1), "c": (hprof.CHAR, 0xFFFE), "f": (hprof.FLOAT, 1.5), "d": (hprof.DOUBLE, -2.25),
        "b": (hprof.BYTE, -128), "s": (hprof.SHORT, -32768), "i": (hprof.INT, -(2**31)), "j": (hprof.LONG, -(2**63)),
    }  # fmt: skip
    dump = DumpWriter(id_size=id_size)
    kind = dump.java_class("T", fields={name: kind for name, (kind, _) in kinds.items()}, statics=dict(kinds))
    node_id = dump.instance(kind, **{name: value for name, (_, value) in kinds.items()})
    heap = heap_of(dump, tmp_path)
    node = np.array([heap.node(node_id)], np.int32)
    (row,) = heap.classes.indices_named("T")
    for name, (basic, value) in kinds.items():
        assert heap.classes.static_value(row, name) == value
        whole = basic not in (hprof.FLOAT, hprof.DOUBLE)
        assert heap.numbers(node, name)[0] == (value if whole else heap.MISSING)


@pytest.mark.parametrize("id_size", [4, 8])
def test_arrays_of_every_type(id_size: int, tmp_path: Path) -> None:
    dump = DumpWriter(id_size=id_size)
    ids = {kind: dump.primitive_array(kind, bytes(range(8 * 3))) for kind in hprof.WIDTHS}
    objects = dump.object_array(dump.known("[Ljava/lang/Object;"), [ids[hprof.INT], 0, ids[hprof.LONG]])
    heap = heap_of(dump, tmp_path)
    for kind, array in ids.items():
        assert heap.primitive_array(heap.node(array)) == (kind, bytes(range(24)), 24 // hprof.WIDTHS[kind])
    owners, items = heap.elements(np.array([heap.node(objects)], np.int32))
    assert owners.tolist() == [0, 0]
    assert heap.object_ids(items).tolist() == [ids[hprof.INT], ids[hprof.LONG]]


def test_the_files_order_of_top_level_records_does_not_matter(tmp_path: Path) -> None:
    dump = DumpWriter()
    dump.instance(dump.java_class("app/A", fields={"x": OBJECT}))
    whole = dump.to_bytes()
    start = len(hprof.header("1.0.2", 8, 0))
    pieces: list[bytes] = []
    at = start
    while at < len(whole):
        end = at + 9 + int.from_bytes(whole[at + 5 : at + 9], "big")
        pieces.append(whole[at:end])
        at = end
    heap_first = whole[:start] + b"".join(sorted(pieces, key=lambda piece: piece[0] not in (0x1C, 0x2C)))
    read: list[Dump] = [dump_of(whole, tmp_path), dump_of(heap_first, tmp_path)]
    assert counts(read[0]) == counts(read[1]) == {"app.A": 1}
