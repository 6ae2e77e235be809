"""Strings of all JDKs (trap 40 of naive readers)."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.graph.strings import MAX_CHARACTERS
from tests.graph.opening import heap_of, nodes_of
from tests.writers.hprof_records import BYTE, CHAR, INT, OBJECT
from tests.writers.hprof_writer import DumpWriter
from tests.writers.java_objects import JavaObjects

TEXTS = ["", "a", "topic%RETRY%", "Größe", "消费者", "\U0001f600!", "\0", "1234567890"]


@pytest.mark.parametrize("id_size", [4, 8])
@pytest.mark.parametrize(("jdk", "compact"), [(8, True), (17, True), (17, False)])
def test_trap_40_text_of_every_jdk(jdk: int, compact: bool, id_size: int, tmp_path: Path) -> None:
    dump = DumpWriter(id_size=id_size)
    java = JavaObjects(dump, jdk)
    ids = [java.string(text, compact=compact) for text in TEXTS]
    heap = heap_of(dump, tmp_path)
    nodes = nodes_of(heap, ids)
    assert heap.strings(nodes) == TEXTS
    latin = jdk < 9 or compact
    assert heap.strings_equal(nodes, "topic%RETRY%").tolist() == [
        latin and text == "topic%RETRY%" for text in TEXTS
    ]
    assert heap.decimal_strings(nodes).tolist() == [
        1234567890 if latin and text.isdigit() else heap.MISSING for text in TEXTS
    ]


def test_trap_40_substrings_of_old_jdks_share_an_array(tmp_path: Path) -> None:
    dump = DumpWriter()
    java = JavaObjects(dump, 6)
    ids = [
        java.string_of_jdk_6("key=12345;", *part)
        for part in ((0, 3), (4, 5), (0, 10), (10, 0), (3, 99), (-1, 2))
    ]
    heap = heap_of(dump, tmp_path)
    nodes = nodes_of(heap, ids)
    assert heap.strings(nodes) == ["key", "12345", "key=12345;", "", "=12345;", None]
    assert heap.strings_equal(nodes, "key").tolist() == [True, False, False, False, False, False]
    assert heap.decimal_strings(nodes).tolist()[:2] == [heap.MISSING, 12345]


def test_trap_40_half_built_and_odd_strings(tmp_path: Path) -> None:
    dump = DumpWriter()
    java = JavaObjects(dump)
    kind = dump.java_class("java/lang/String", fields={"value": OBJECT, "coder": BYTE, "hash": INT})
    no_coder = dump.java_class("old/String", fields={"value": OBJECT})
    ids = [
        dump.instance(kind),
        dump.instance(kind, value=0xDEAD_BEE8),
        dump.instance(kind, value=dump.primitive_array(INT, bytes(8))),
        dump.instance(kind, value=dump.primitive_array(BYTE, b"abc"), coder=1),
        dump.instance(kind, value=dump.primitive_array(BYTE, b"ok"), coder=77),
        dump.instance(no_coder, value=dump.primitive_array(BYTE, b"bytes")),
        dump.instance(no_coder, value=dump.primitive_array(CHAR, b"\xd8\x00")),
        dump.instance(kind, value=dump.object_array(dump.known("[Lapp/A;"), [])),
        java.array_list([]),
    ]
    heap = heap_of(dump, tmp_path)
    read = heap.strings(nodes_of(heap, [*ids, 0]))
    assert read[:3] == [None, None, None]
    assert read[3] is not None
    assert read[4:6] == ["ok", "bytes"]
    assert read[6] == "\ufffd"
    assert read[7:] == [None, None, None]


def test_long_strings_end_with_an_ellipsis(tmp_path: Path) -> None:
    dump = DumpWriter()
    ids = [JavaObjects(dump, 17).string("x" * size) for size in (MAX_CHARACTERS, 10 * MAX_CHARACTERS)]
    heap = heap_of(dump, tmp_path)
    whole, cut = heap.strings(nodes_of(heap, ids))
    assert whole == "x" * MAX_CHARACTERS
    assert cut is not None
    assert cut.endswith("x…")
