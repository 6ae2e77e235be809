"""Repeated strings against a plain count, of all JDKs, in samples, and in real dumps."""

from __future__ import annotations

import importlib
import random
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from mqdiag.graph import Heap, open_heap
from mqdiag.graph.waste import drawn_texts, read_texts, sample, sampled_texts
from mqdiag.graph.waste.duplicate_strings import LARGEST, _shortened, duplicate_strings
from mqdiag.graph.waste.read_texts import grouped
from tests.folded import folded
from tests.graph.opening import heap_of
from tests.layers import CHECK, one_in_each_run
from tests.oracles import waste as oracle
from tests.writers.hprof_records import CHAR, INT, JNI_GLOBAL, OBJECT
from tests.writers.hprof_writer import DumpWriter
from tests.writers.java_objects import JavaObjects

duplicates = importlib.import_module("mqdiag.graph.waste.duplicate_strings")
"""the module: its package has a function of the same name"""
FIXTURES = Path(__file__).parents[3] / "fixtures" / "heap"
# "ab" and U+6261 have the same bytes in the two encodings.
WORDS = ["", "a", "ab", "1234567", "12345678", "123456789", "Größe", "\u6261", "x" * 100, "y" + "x" * 99]


def keep(dump: DumpWriter, ids: list[int]) -> None:
    dump.root(JNI_GLOBAL, dump.object_array(dump.known("[Ljava/lang/Object;"), ids))


@pytest.mark.parametrize("id_size", [4, 8])
@pytest.mark.parametrize(("jdk", "compact"), [(8, True), (17, True), (17, False)])
def test_counts_and_bytes_are_those_of_the_twin(jdk: int, compact: bool, id_size: int, tmp_path: Path) -> None:
    dump = DumpWriter(id_size=id_size)
    java = JavaObjects(dump, jdk)
    draw = random.Random(jdk)
    texts = [draw.choice(WORDS) for _ in range(300)] + ["only one"]
    ids = [java.string(text, compact=compact) for text in texts]
    keep(dump, ids)
    java.string("a", compact=compact)  # garbage does not count
    heap = heap_of(dump, tmp_path)
    values = heap.object_ids(heap.refs(np.array([heap.node(each) for each in ids], np.int32), "value"))
    truth = oracle.repeats(
        (text, dump.sizes[each] + dump.sizes[int(value)])
        for text, each, value in zip(texts, ids, values, strict=True)
    )
    found = duplicate_strings(heap)
    assert found is not None
    assert found.strings == len(texts)
    assert found.repeated == sum(count - 1 for count, _ in truth.values())
    assert found.wasted_bytes == sum(size for _, size in truth.values())
    assert len(truth) == LARGEST
    assert {each.text: (each.strings, each.wasted_bytes) for each in found.largest} == {
        _shortened(str(text)): counted for text, counted in truth.items()
    }
    sizes = [each.wasted_bytes for each in found.largest]
    assert sizes == sorted(sizes, reverse=True)


def test_a_shared_array_is_wasted_once(tmp_path: Path) -> None:
    dump = DumpWriter()
    java = JavaObjects(dump)
    first = java.string("shared")
    second = java.string("shared")
    string = dump.classes["java/lang/String"]
    array = second - 24  # written just before its string
    assert dump.sizes[array] == 24
    thirds = [dump.instance(string, value=array) for _ in range(3)]
    keep(dump, [first, second, *thirds])
    found = duplicate_strings(heap_of(dump, tmp_path))
    assert found is not None
    assert found.repeated == 4
    # One whole copy goes with its array, three only as objects.
    assert found.wasted_bytes == 48 + 3 * 24


def test_parts_of_an_array_of_old_jdks_are_compared_as_parts(tmp_path: Path) -> None:
    dump = DumpWriter()
    string = dump.java_class(
        "java/lang/String", fields={"value": OBJECT, "offset": INT, "count": INT, "hash": INT}
    )
    array = dump.primitive_array(CHAR, "key=key;".encode("utf-16-be"))
    ids = [
        dump.instance(string, value=array, offset=at, count=count)
        for at, count in ((0, 3), (4, 3), (4, 4), (0, 99), (7, 2))
    ]
    keep(dump, ids)
    found = duplicate_strings(heap_of(dump, tmp_path))
    assert found is not None
    assert (found.strings, found.repeated) == (3, 1)  # the last two reach beyond the array
    assert found.largest[0].text == "key"
    assert found.wasted_bytes == dump.sizes[ids[0]]


def test_long_texts_are_compared_to_the_end(tmp_path: Path) -> None:
    dump = DumpWriter()
    java = JavaObjects(dump)
    middle = 20_000
    same = "x" * middle
    other = same[: middle // 2] + "y" + same[middle // 2 + 1 :]
    keep(dump, [java.string(text) for text in (same, same, other)])
    found = duplicate_strings(heap_of(dump, tmp_path))
    assert found is not None
    assert found.repeated == 1
    assert found.largest[0].strings == 2


def test_damaged_strings_are_left_out(tmp_path: Path) -> None:
    dump = DumpWriter()
    java = JavaObjects(dump)
    good = java.string("good")
    kind = dump.classes["java/lang/String"]
    keep(
        dump,
        [
            good,
            dump.instance(kind),
            dump.instance(kind, value=0xDEAD_BEE8),
            dump.instance(kind, value=dump.primitive_array(INT, bytes(8))),
            dump.instance(kind, value=dump.object_array(dump.known("[Lapp/A;"), [])),
        ],
    )
    found = duplicate_strings(heap_of(dump, tmp_path))
    assert found is not None
    assert (found.strings, found.repeated, found.wasted_bytes) == (1, 0, 0)


def test_no_strings_at_all(tmp_path: Path) -> None:
    dump = DumpWriter()
    keep(dump, [])
    assert duplicate_strings(heap_of(dump, tmp_path)) is None


def _many(tmp_path: Path, texts: list[str], ballast: int) -> Heap:
    dump = DumpWriter()
    java = JavaObjects(dump)
    keep(dump, [*(java.string(text) for text in texts), dump.primitive_array(INT, bytes(ballast))])
    return heap_of(dump, tmp_path)


@CHECK
def test_a_sample_bounds_what_is_not_worth_a_full_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sample, "WHOLE", 1000)
    monkeypatch.setattr(duplicates, "DRAWN", 1000)
    # Each text twice, far apart: a tenth of the strings' bytes against much ballast.
    texts = [f"text-{number}" for number in range(8000)]
    heap = _many(tmp_path, texts + texts, ballast=32 << 20)
    found = duplicate_strings(heap)
    assert found is not None
    assert found.sampled_one_in == 16
    assert found.wasted_bytes is None
    truth = 8000 * 48
    assert found.estimated_bytes is not None
    assert truth / 2 < found.estimated_bytes < truth * 2


def test_what_is_considerable_in_the_sample_is_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sample, "WHOLE", 1000)
    monkeypatch.setattr(duplicates, "DRAWN", 100)
    heap = _many(tmp_path, ["EUR"] * 3000 + [f"text-{number}" for number in range(3000)], ballast=8)
    found = duplicate_strings(heap)
    assert found is not None
    assert (found.sampled_one_in, found.repeated) == (1, 2999)
    assert found.largest[0].held_by == "java.lang.Object[]"
    assert [(each.held_by, each.share) for each in found.holders] == [("java.lang.Object[]", 1.0)]


def test_who_holds_each_text_is_read_once_for_all_texts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each text has its own field; one is held by class objects alone, and a field of primitives is not read."""
    dump = DumpWriter()
    java = JavaObjects(dump)
    order = dump.known("app/Order", currency=OBJECT, amount=INT, state=OBJECT)
    held = [
        dump.instance(order, currency=java.string("EUR-and-so-on"), state=java.string("open-and-so-on"))
        for _ in range(20)
    ]
    listed = dump.object_array(
        dump.known("[Ljava/lang/Object;"), [java.string("open-and-so-on") for _ in range(4)]
    )
    loose = [java.string("loose") for _ in range(3)]
    keep(dump, [*held, listed])
    for each in loose:
        dump.root(JNI_GLOBAL, each)
    heap = heap_of(dump, tmp_path)
    read: list[tuple[str, int]] = []
    original = Heap.refs

    def refs(graph: Heap, nodes: NDArray[np.int32], field: str) -> NDArray[np.int32]:
        read.append((field, nodes.size))
        return original(graph, nodes, field)

    monkeypatch.setattr(Heap, "refs", refs)
    found = duplicate_strings(heap)
    assert found is not None
    assert {one.text: one.held_by for one in found.largest} == {
        "EUR-and-so-on": "app.Order.currency",
        "open-and-so-on": "app.Order.state",
        "loose": None,
    }
    assert [(one.held_by, one.share) for one in found.holders] == [
        ("app.Order.currency", 0.4545),
        ("app.Order.state", 0.4545),
        ("java.lang.Object[]", 0.0909),
    ]
    # Both texts, and all strings that repeat once more.
    assert [one for one in read if one[0] != "value"] == [("currency", 80), ("state", 80)]


@CHECK
def test_of_very_many_strings_texts_are_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One text is there very often, many are twice, many once: the first is counted, the others are estimated."""
    rare, once = [f"rare-{number}" for number in range(4000)], [f"once-{number}" for number in range(4000)]
    # a long text is compared to its end, however often it is there
    long = ["x" * 20_000 + end + "x" * 20_000 for end in "ab"] * 3
    heap = _many(tmp_path, ["EUR"] * 3000 + rare + rare + once + long, ballast=8)
    exact = duplicate_strings(heap)
    monkeypatch.setattr(sample, "WHOLE", 1000)
    monkeypatch.setattr(duplicates, "DRAWN", 1000)
    monkeypatch.setattr(duplicates, "MOST_COMPARED", 10_000)
    monkeypatch.setattr(drawn_texts, "KEPT", 4000)
    monkeypatch.setattr(sample, "SLICE", 5000)
    drawn = duplicate_strings(heap)
    assert exact is not None
    assert drawn is not None
    assert (exact.error_bytes, exact.sampled_one_in, drawn.sampled_one_in) == (None, 1, 2)
    assert drawn.strings == exact.strings == 15_006
    assert exact.repeated is not None
    assert exact.wasted_bytes is not None
    assert drawn.repeated == pytest.approx(exact.repeated, rel=0.05)
    assert drawn.error_bytes is not None
    assert drawn.wasted_bytes is not None
    assert 0 < drawn.error_bytes < exact.wasted_bytes
    assert abs(drawn.wasted_bytes - exact.wasted_bytes) < drawn.error_bytes
    (counted,) = (one for one in drawn.largest if one.text == "EUR")
    assert counted in exact.largest
    assert all(one.strings == 3 for one in drawn.largest if one.text.startswith("x"))
    assert [one.held_by for one in drawn.holders] == ["java.lang.Object[]"]


@one_in_each_run(2)
@pytest.mark.parametrize("shared", [False, True])
def test_a_sample_decides_where_each_text_is_frequent_or_hardly_matters(
    shared: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Long texts count whatever is drawn; arrays that two strings share leave it open how much they take."""
    frequent = [f"currency-{number % 8}" for number in range(12_000)]
    long = ["x" * 20_000 + end for end in "aab"]
    dump = DumpWriter()
    java = JavaObjects(dump)
    ids = [java.string(text) for text in [*frequent, *(f"once-{number}" for number in range(4000)), *long]]
    if shared:  # the array is written just before its string
        ids += [dump.instance(dump.classes["java/lang/String"], value=each - 32) for each in ids[:12_000:2]]
    keep(dump, ids)
    heap = heap_of(dump, tmp_path)
    exact = duplicate_strings(heap)
    monkeypatch.setattr(sample, "WHOLE", 1000)
    monkeypatch.setattr(duplicates, "DRAWN", 2000)
    hashed = []
    original = read_texts.hash_texts
    monkeypatch.setattr(read_texts, "hash_texts", lambda *given: hashed.append(original(*given)) or hashed[-1])
    found = duplicate_strings(heap)
    assert exact is not None
    assert exact.wasted_bytes is not None
    assert found is not None
    assert found.wasted_bytes is not None
    if shared:
        assert found == exact
        return
    assert found.sampled_one_in == 8
    assert hashed == [1966, 3, 2]  # short texts, the ends of long ones, and two long ones that are alike
    assert found.error_bytes is not None
    assert abs(found.wasted_bytes - exact.wasted_bytes) <= found.error_bytes <= 0.1 * found.wasted_bytes
    assert found.repeated == pytest.approx(exact.repeated, rel=0.05)
    (long_one,) = (one for one in exact.largest if one.text.startswith("x"))
    assert long_one in found.largest
    assert len(found.largest) == len(exact.largest)
    assert [one.held_by for one in found.holders] == [one.held_by for one in exact.holders]


@CHECK
def test_the_stated_error_holds_for_texts_of_any_frequency(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Heaps whose texts are there once, twice, a few times or often: the sample is right to what it states."""
    monkeypatch.setattr(sample, "WHOLE", 100)
    monkeypatch.setattr(duplicates, "DRAWN", 1000)
    monkeypatch.setattr(duplicates, "CONSIDERABLE_SHARE", 0.0)
    draw = random.Random(7)
    decided = 0
    for most in (1, 2, 20, 200, 2000):
        texts: list[str] = []
        while len(texts) < 5000:
            texts += [f"text-{len(texts):05}" * draw.choice((1, 1, 1, 30))] * draw.randint(most // 2 + 1, most)
        draw.shuffle(texts)
        heap = _many(tmp_path, texts, ballast=8)
        rows = read_texts.rows_of_strings(heap)
        found = sampled_texts.sampled_repeats(heap, sampled_texts.read_sample(heap, rows, 2))
        monkeypatch.setattr(sample, "WHOLE", 1 << 20)
        exact = duplicate_strings(heap)
        monkeypatch.setattr(sample, "WHOLE", 100)
        assert exact is not None
        assert exact.wasted_bytes is not None
        if found is not None:
            decided += 1
            assert found.error is not None
            assert (
                abs(found.wasted * heap.sizes.alignment - exact.wasted_bytes)
                <= found.error * heap.sizes.alignment
            )
    assert decided >= 1


@folded("size, values", [(0, 1), (1, 1), (2, 1), (5000, 1), (5000, 4000), (20_000, 40_000)])
def test_hashes_are_grouped_as_the_twin_does(size: int, values: int) -> None:
    draw = np.random.default_rng(size + values)
    pool = draw.integers(0, 1 << 64, values, np.uint64)
    hashes = pool[draw.integers(0, values, size)]
    found = grouped(hashes, np.full(size, 3, np.uint32))
    truth = oracle.groups(hashes.tolist())
    assert found.counts.size == len(truth)
    for group, example in enumerate(found.examples.tolist()):
        members = truth[int(hashes[example])]
        assert np.flatnonzero(found.of == group).tolist() == members
        assert found.counts[group] == len(members)
        assert found.wasted[group] == 3 * (len(members) - 1)
    assert int((found.of >= 0).sum()) == sum(map(len, truth.values()))


@one_in_each_run(2)
@pytest.mark.parametrize("name", ["no-rocketmq", "healthy-busy-4.3.2"])
def test_real_dumps_against_decoded_texts(name: str) -> None:
    heap = open_heap(str(FIXTURES / name / "dump.hprof.gz"))
    nodes = heap.instances(heap.classes.indices_named("java.lang.String"))
    nodes = nodes[heap.reachable(nodes)]
    read = heap.strings(nodes)
    there = [place for place, text in enumerate(read) if text is not None]
    values = heap.refs(nodes, "value")
    met: set[int] = set()
    texts = []
    for place in there:
        size = int(heap.shallow_sizes(nodes[[place]])[0])
        if int(values[place]) not in met:
            met.add(int(values[place]))
            size += int(heap.shallow_sizes(values[[place]])[0])
        texts.append((read[place], size))
    truth = oracle.repeats(texts)
    found = duplicate_strings(heap)
    assert found is not None
    assert found.strings == len(texts)
    assert found.repeated == sum(count - 1 for count, _ in truth.values())
    assert found.wasted_bytes == sum(size for _, size in truth.values())
    assert {each.text: each.strings for each in found.largest} == {
        each.text: truth[each.text][0] for each in found.largest
    }
