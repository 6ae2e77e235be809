"""Symbols and class names (traps 24, 25 and 39 of naive readers)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqdiag.read.hprof.names import decode_modified_utf8, java_name
from tests.folded import folded
from tests.graph.opening import dump_of, heap_of
from tests.writers.hprof_records import OBJECT, modified_utf8
from tests.writers.hprof_writer import DumpWriter


@given(st.text())
def test_trap_39_modified_utf_8_both_ways(text: str) -> None:
    assert decode_modified_utf8(modified_utf8(text)) == text


@given(st.binary(max_size=40))
def test_trap_39_any_bytes_give_some_text(raw: bytes) -> None:
    decode_modified_utf8(raw).encode("utf-8", "strict")


def test_trap_39_nul_and_supplementary_characters_in_a_dump(tmp_path: Path) -> None:
    dump = DumpWriter()
    name = "app/Nul\0and\U0001f600and€"
    dump.instance(dump.java_class(name))
    assert "app.Nul\0and\U0001f600and€" in dump_of(dump, tmp_path).classes.names


def test_beginnings_are_those_of_the_decoded_strings(tmp_path: Path) -> None:
    dump = DumpWriter()
    dump.instance(dump.java_class("app/A"))
    given = [dump.name(text) for text in ("<init>", "a<", "<", "\0<")]
    dump.top = [dump.encode.utf8(5, ""), dump.encode.utf8(given[1], "<another text of the same id")]
    names = dump_of(dump, tmp_path).names
    ids = [*given, 5, 0x6666]
    expected = [(names.get(name_id) or "").startswith("<") for name_id in ids]
    assert names.begin_with(np.array(ids, np.uint64), "<").tolist() == expected
    assert expected == [True, False, True, False, False, False]


def test_trap_39_names_twice_empty_and_missing(tmp_path: Path) -> None:
    dump = DumpWriter()
    dump.instance(dump.java_class("app/A", fields={"": OBJECT, "there": OBJECT}))
    named = dump.java_class("app/B", dumped=False)
    dump.items.append(dump.encode.class_dump(named.id, fields=[(0x6666, OBJECT)]))
    dump.top = [dump.encode.utf8(dump.name("there"), "another text of the same id"), dump.encode.utf8(5, "")]
    heap = heap_of(dump, tmp_path)
    assert heap.classes.field_names(heap.classes.indices_named("app.A")[0]) == ["", "there"]
    assert heap.classes.field_names(heap.classes.indices_named("app.B")[0]) == ["unknown-name@0x6666"]


@folded(
    "raw, java",
    [
        ("java/lang/String", "java.lang.String"),
        ("java.lang.String", "java.lang.String"),
        ("[Ljava/lang/String;", "java.lang.String[]"),
        ("[Ljava.lang.String;", "java.lang.String[]"),
        ("[[Lx/Y$Z;", "x.Y$Z[][]"),
        ("[I", "int[]"),
        ("[[[J", "long[][][]"),
        ("I", "I"),
        ("L", "L"),
        ("[", "[]"),
        ("", ""),
    ],
)
def test_trap_24_forms_of_class_names(raw: str, java: str) -> None:
    assert java_name(raw) == java


@pytest.mark.parametrize(
    "raw", ["app/Toy$$Lambda$2+0x00007f1234", "app/Toy$$Lambda$2/0x00007f1234", "app/Toy$$Lambda$2"]
)
def test_trap_25_addresses_of_hidden_classes_are_cut(raw: str) -> None:
    assert java_name(raw) == "app.Toy$$Lambda$2"
