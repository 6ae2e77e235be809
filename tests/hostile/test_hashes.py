"""Ids and texts made to collide under every hash without a secret. What is counted are probes, not seconds."""

from __future__ import annotations

import importlib
import random
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from mqdiag.facts.waste import DuplicateStrings
from mqdiag.graph import Heap, open_heap
from mqdiag.graph import strings as graph_strings
from mqdiag.graph.kernels.equal_texts import HashedTexts, StringFields, hash_texts
from mqdiag.graph.threads import read_threads
from mqdiag.graph.waste import drawn_texts, read_texts
from mqdiag.read.hprof.number_dict import NumberDict
from mqdiag.read.hprof.process_secret import FACTOR, START
from tests.layers import CHECK
from tests.writers.hprof_records import OBJECT
from tests.writers.hprof_writer import DumpWriter
from tests.writers.java_objects import JavaObjects

duplicates = importlib.import_module("mqdiag.graph.waste.duplicate_strings")
"""the module: its package has a function of the same name"""

WORD = (1 << 64) - 1
MULTIPLIER = 0x9FB2_1C65_1E98_DF25
"""of a hash without a secret that mqdiag once had; `unseeded` is that hash of one text of 8 bytes"""
FINISHER = 0xD6E8_FEB8_6659_FD93
PARTS, SLOTS = 9, 12
"""log2 of the parts by which hashes are dealt, and of the slots of each part's table"""


def step(value: int, word: int) -> int:
    value = (value ^ word) * MULTIPLIER & WORD
    return value ^ value >> 29


def texts_of_one_slot(number: int) -> list[str]:
    """Texts of 8 bytes with hashes, without a secret, that all share a part and a slot."""
    begun = step(0x2545_F491_4F6C_DD1D, 8 * 4 + 1)
    texts = []
    for place in range(1, number + 1):
        final = place << 32
        value = (final ^ final >> 32) & WORD
        value = value * pow(FINISHER, -1, 1 << 64) & WORD
        value ^= value >> 29 ^ value >> 58
        word = (value * pow(MULTIPLIER, -1, 1 << 64) & WORD) ^ begun
        texts.append(word.to_bytes(8, "little").decode("latin-1"))
    return texts


def texts_of_one_hash(number: int) -> list[str]:
    """Texts that all share one hash of a kind that only multiplies: the highest bit of a word undoes itself."""
    texts = []
    for place in range(number):
        words = []
        for bit in range(number.bit_length()):
            flips = place >> bit & 1
            words += [0x4141_4141_4141_4141 ^ flips << 63, 0x4242_4242_4242_4242 ^ flips << 63 ^ flips << 34]
        texts.append(b"".join(word.to_bytes(8, "little") for word in words).decode("latin-1"))
    return texts


def heap_with(texts: Iterable[str], folder: Path) -> Heap:
    dump = DumpWriter()
    java = JavaObjects(dump)
    held = [java.string(text) for text in texts]
    dump.root(0x05, dump.object_array(dump.java_class("[Ljava/lang/Object;"), held))
    return open_heap(str(dump.write(folder / "texts.hprof")))


def hashes_of(heap: Heap) -> list[int]:
    nodes = heap.instances(heap.classes.indices_named("java.lang.String"), subclasses=False)
    (row,) = heap.classes.indices_named("java.lang.String")
    places = [heap.classes.field_place(row, name) for name in ("coder", "offset", "count")]
    fields = StringFields(*(place[0] if place else -1 for place in places))
    out = HashedTexts(*(np.empty(nodes.size, kind) for kind in (np.int32, np.uint64, np.uint32, np.uint32)))
    met = np.zeros(heap.count // 8 + 1, np.uint8)
    found = hash_texts(
        heap.arrays,
        nodes,
        fields,
        0,
        8192,
        START,
        FACTOR,
        read_texts.ALL_KEPT,
        met,
        np.zeros(2, np.int64),
        out,
    )
    assert found == nodes.size
    return [int(value) for value in out.hashes]


def slot_probes(hashes: Iterable[int]) -> int:
    """Slots that are looked at while these are put into the tables of `group_hashes`."""
    taken: set[tuple[int, int]] = set()
    probes = 0
    for value in hashes:
        part, slot = value >> (64 - PARTS), value % (1 << SLOTS)
        while (part, slot) in taken:
            slot = (slot + 1) % (1 << SLOTS)
            probes += 1
        taken.add((part, slot))
        probes += 1
    return probes


def dict_probes(numbers: Iterable[int]) -> int:
    """Slots that CPython looks at while these become keys of a dict (Objects/dictobject.c)."""
    taken: list[int] = []
    slots: set[int] = set()
    bits, probes = 3, 0

    def insert(number: int) -> int:
        mask = (1 << bits) - 1
        perturb = hash(number) & WORD
        slot, looked = perturb & mask, 1
        while slot in slots:
            perturb >>= 5
            slot = (slot * 5 + perturb + 1) & mask
            looked += 1
        slots.add(slot)
        return looked

    for number in numbers:
        if len(taken) >= (1 << bits) * 2 // 3:
            bits = (3 * len(taken)).bit_length()
            slots.clear()
            for old in taken:
                insert(old)
        probes += insert(number)
        taken.append(number)
    return probes


def numbers_of_one_way(bits: int = 13) -> list[int]:
    """Numbers for which a dict of 2^bits slots goes a long way: first those that are the way, then some that join it.

    Where no higher bits of a hash are left, the next slot is 5 * slot + 1. The bits of the numbers that join it are so
    high that few steps differ from that.
    """
    mask = (1 << bits) - 1
    way = [7]
    while len(way) < 3_900:
        way.append((5 * way[-1] + 1) & mask)
    on_it = set(way)
    draw = random.Random(1)
    others: list[int] = []
    while len(others) < 1_100:
        number = draw.choice(way[:2_000]) | draw.randrange(1, 1 << 12) << 48
        perturb, slot, looked = number, number & mask, 0
        while slot in on_it:
            perturb >>= 5
            slot = (slot * 5 + perturb + 1) & mask
            looked += 1
        if looked > 500 and number not in others:
            others.append(number)
    return way + others


@CHECK
def test_texts_made_to_share_a_slot_do_not(tmp_path: Path) -> None:
    texts = texts_of_one_slot(2_000)
    assert slot_probes(place << 32 for place in range(1, 2_001)) > 2_000 * 900
    hashes = hashes_of(heap_with(texts, tmp_path))
    assert slot_probes(hashes) < 2 * len(texts)


def test_texts_made_to_share_a_hash_are_not_equal(tmp_path: Path) -> None:
    texts = texts_of_one_hash(64)
    found = duplicates.duplicate_strings(heap_with(texts, tmp_path))
    assert found is not None
    assert (found.strings, found.repeated, found.largest) == (64, 0, ())


def test_texts_counted_by_a_query_have_a_hash_of_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heap = heap_with(["a", "b", "a"], tmp_path)
    nodes = heap.instances(heap.classes.indices_named("java.lang.String"), subclasses=False)
    first = graph_strings.hashes(heap, nodes)
    assert first[0] == first[2] != first[1]
    monkeypatch.setattr(graph_strings, "START", START ^ np.uint64(1))
    assert (graph_strings.hashes(heap, nodes) != first).all()


def test_nothing_in_a_report_depends_on_the_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heap = heap_with([f"text {number:05}" for number in range(500)] * 3, tmp_path)
    monkeypatch.setattr(duplicates, "CONSIDERABLE_SHARE", 0.0)
    draw = random.Random(1)
    found: list[DuplicateStrings | None] = []
    for bits in (0, 0, 0, 2, 2, 2):
        monkeypatch.setattr(read_texts, "START", np.uint64(draw.getrandbits(64)))
        monkeypatch.setattr(read_texts, "FACTOR", np.uint64(draw.getrandbits(64) | 1))
        monkeypatch.setattr(duplicates, "sample_bits", lambda *_, bits=bits: bits)
        monkeypatch.setattr(duplicates, "CONSIDERABLE_SHARE", 10.0 if bits else 0.0)
        found.append(duplicates.duplicate_strings(heap))
    monkeypatch.setattr(drawn_texts, "KEPT", 200)
    monkeypatch.setattr(duplicates, "MOST_COMPARED", 1000)
    monkeypatch.setattr(duplicates, "CONSIDERABLE_SHARE", 0.0)
    for _ in range(3):
        monkeypatch.setattr(read_texts, "START", np.uint64(draw.getrandbits(64)))
        found.append(duplicates.duplicate_strings(heap))
    assert found[0] is not None
    assert len(found[0].largest) == duplicates.LARGEST
    assert found[0] == found[1] == found[2]
    assert found[3] is not None
    assert found[3].estimated_bytes
    assert found[3] == found[4] == found[5]
    assert found[6] is not None
    assert found[6].error_bytes
    assert found[6] == found[7] == found[8]


@CHECK
def test_numbers_made_for_a_long_way_through_a_dict_have_a_short_one() -> None:
    numbers = numbers_of_one_way()
    assert dict_probes(numbers) > 100 * len(numbers)
    given = NumberDict(np.array(numbers, np.uint64), numbers)
    assert dict_probes(given._hidden) < 5 * len(numbers)
    assert [given[number] for number in numbers] == numbers
    assert list(given) == numbers
    assert (numbers[0] in given, -1 in given, "x" in given, given.get(3, None)) == (True, False, False, None)


def test_what_a_dump_numbers_is_kept_by_secret_numbers(tmp_path: Path) -> None:
    dump = DumpWriter()
    thread_class = dump.known("java/lang/Thread", name=OBJECT)
    dump.thread(dump.instance(thread_class), 1, [dump.frame(thread_class, "run", "Thread.java", 1)])
    heap = open_heap(str(dump.write(tmp_path / "thread.hprof")))
    roots = heap.roots
    (thread,) = read_threads(heap)
    for kept in (
        heap.dump.names._decoded,
        heap.dump.names._java_names,
        roots.thread_nodes,
        roots.trace_serials,
        roots.frame_locals,
        thread.locals,
    ):
        assert isinstance(kept, NumberDict)
