"""Where records begin and end (traps 1 to 7, 11, 35 and 36 of naive readers)."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from mqdiag.language import english
from mqdiag.read.hprof.dump import Dump, read_dump, read_objects
from mqdiag.read.hprof.header import parse_header
from mqdiag.read.hprof.records import read_records
from mqdiag.read.source import open_source
from mqdiag.text import NOTHING
from tests.graph.opening import counts, dump_of, heap_of
from tests.layers import CHECK
from tests.writers import hprof_records as hprof
from tests.writers.hprof_writer import DumpWriter

GIB = 1 << 30
HEADER = hprof.header("1.0.2", 8, 0)
ENCODE = hprof.Encoder(8)


def instances(count: int, name: str = "app/A", **form: object) -> DumpWriter:
    """A dump with some instances of a class without fields."""
    dump = DumpWriter(**form)  # type: ignore[arg-type]
    kind = dump.java_class(name)
    for _ in range(count):
        dump.instance(kind)
    return dump


def sparse(path: Path, tag: int, arrays: list[int], after: bytes = b"") -> Dump:
    """A heap record of byte arrays so large that only a file with holes can hold them; nothing is written."""
    sizes = [18 + length for length in arrays]
    with path.open("wb") as file:
        file.write(HEADER + struct.pack(">BII", tag, 0, sum(sizes) % (1 << 32)))
        for number, (length, size) in enumerate(zip(arrays, sizes, strict=True)):
            at = file.tell()
            file.write(ENCODE.primitive_array_dump(0x1000 * (number + 1), hprof.BYTE, b"", length=length))
            file.seek(at + size)
        file.write(after)
        file.truncate(file.tell())
    assert path.stat().st_blocks * 512 < 1 << 20
    return read_dump(open_source(str(path)))


def test_trap_01_record_length_is_unsigned(tmp_path: Path) -> None:
    end = hprof.record(hprof.HEAP_DUMP_END, b"")
    dump = sparse(tmp_path / "large.hprof", hprof.HEAP_DUMP_SEGMENT, [3 * GIB], end)
    assert dump.complete
    assert (counts(dump), dump.elements.max()) == ({"byte[]": 1}, 3 * GIB)


def test_trap_02_wrapped_heap_dump_length(tmp_path: Path) -> None:
    dump = sparse(tmp_path / "wrapped.hprof", hprof.HEAP_DUMP, [2 * GIB, 2 * GIB, 100])
    assert dump.complete
    assert (counts(dump), dump.elements.max()) == ({"byte[]": 3}, 4 * GIB + 100)


@CHECK
def test_trap_02_places_in_a_record_of_4_gib_or_more(tmp_path: Path) -> None:
    path = tmp_path / "wrapped.hprof"
    dump = sparse(path, hprof.HEAP_DUMP, [2 * GIB, 2 * GIB, 100])
    (part,) = read_objects(dump.source)[1]
    first = len(HEADER) + 9
    places = [first, first + 2 * GIB + 18, first + 4 * GIB + 36]
    assert (part.start + part.offsets.astype(int)).tolist() == places


def test_trap_02_a_length_that_wraps_to_zero(tmp_path: Path) -> None:
    dump = sparse(tmp_path / "wrapped.hprof", hprof.HEAP_DUMP, [2 * GIB, 2 * GIB - 3 * 18, 0])
    assert dump.complete
    assert counts(dump) == {"byte[]": 3}


def test_trap_02_no_wrap_where_the_remainder_differs(tmp_path: Path) -> None:
    path = tmp_path / "small.hprof"
    path.write_bytes(HEADER + hprof.record(hprof.HEAP_DUMP, ENCODE.primitive_array_dump(16, hprof.BYTE, b"a")))
    with path.open("r+b") as file:
        file.seek(0, 2)
        for length in (3 * GIB, GIB):
            file.write(struct.pack(">BII", 0x0D, 0, length))
            file.seek(length, 1)
        file.truncate(file.tell())
    source = open_source(str(path))
    assert read_records(source.data, parse_header("", source.data)).lengths.tolist() == [19, 3 * GIB, GIB]
    dump = read_dump(source)
    assert dump.complete
    assert counts(dump) == {"byte[]": 1}


@pytest.mark.parametrize("tag", [hprof.HEAP_DUMP, hprof.HEAP_DUMP_SEGMENT])
def test_trap_03_zero_length_runs_to_the_end_when_the_writer_died(tag: int, tmp_path: Path) -> None:
    died = instances(5, heap_tag=tag, closed=False, declared_length=lambda number, length: 0)
    dump = dump_of(died, tmp_path)
    assert counts(dump) == {"app.A": 5}
    assert not dump.complete


def test_trap_03_empty_records_are_legal(tmp_path: Path) -> None:
    dump = instances(5)
    dump.top = [hprof.record(hprof.HEAP_DUMP_SEGMENT, b"")]
    read = dump_of(dump, tmp_path)
    assert (read.complete, counts(read)) == (True, {"app.A": 5})


def test_trap_03_an_empty_record_before_other_records(tmp_path: Path) -> None:
    empty = hprof.record(hprof.HEAP_DUMP, b"")
    whole = instances(5, heap_tag=hprof.HEAP_DUMP).records()
    read = dump_of(HEADER + empty + whole, tmp_path)
    assert (read.complete, counts(read), read.further_dumps) == (True, {"app.A": 5}, 0)


@pytest.mark.parametrize("tag", [hprof.HEAP_DUMP, hprof.HEAP_DUMP_SEGMENT])
def test_trap_04_several_dumps_in_one_file_the_first_is_read(tag: int, tmp_path: Path) -> None:
    dumps = [instances(count, heap_tag=tag, segment_bytes=None) for count in (2, 3, 4)]
    read = dump_of(HEADER + b"".join(dump.records() for dump in dumps), tmp_path)
    assert (read.complete, counts(read), read.further_dumps) == (True, {"app.A": 2}, 2)


def test_trap_04_names_of_a_later_dump_do_not_reach_the_first(tmp_path: Path) -> None:
    first, second = instances(2, "app/First"), DumpWriter()
    second.name("so that name ids differ")
    assert second.java_class("app/Second").id == first.classes["app/First"].id
    read = dump_of(HEADER + first.records() + second.records(), tmp_path)
    assert counts(read) == {"app.First": 2}


def test_trap_04_a_missing_end_is_a_sign_of_a_cut(tmp_path: Path) -> None:
    read = dump_of(instances(2, closed=False), tmp_path)
    assert (read.complete, counts(read)) == (False, {"app.A": 2})
    assert "without the record that closes a dump" in english()(read.problem or NOTHING)
    assert read.stopped_at == read.source.data.size


def test_trap_05_one_heap_record_or_many_segments(tmp_path: Path) -> None:
    for tag, size in ((hprof.HEAP_DUMP, None), (hprof.HEAP_DUMP_SEGMENT, None), (hprof.HEAP_DUMP_SEGMENT, 40)):
        assert counts(dump_of(instances(9, heap_tag=tag, segment_bytes=size), tmp_path)) == {"app.A": 9}


@pytest.mark.parametrize("missing", [1, 20, 24])
def test_trap_06_a_sub_record_past_the_segments_end(missing: int, tmp_path: Path) -> None:
    # Segments of one 25-byte instance each; the second says that it is shorter.
    shortened = instances(
        4, segment_bytes=1, declared_length=lambda number, length: length - missing * (number == 2)
    )
    read = dump_of(shortened, tmp_path)
    assert counts(read) == {"app.A": 4}
    assert (read.complete, read.problem) == (True, None)


def test_trap_06_every_segment_too_short(tmp_path: Path) -> None:
    shortened = instances(40, segment_bytes=100, declared_length=lambda number, length: length - 5)
    assert counts(dump_of(shortened, tmp_path)) == {"app.A": 40}


def test_trap_06_a_segment_that_ends_in_garbage_is_left_there(tmp_path: Path) -> None:
    dump = instances(4, segment_bytes=1)
    dump.items.insert(3, ENCODE.instance_dump(0xE0F00000, dump.classes["app/A"].id, b"", length=1 << 30))
    read = dump_of(dump, tmp_path)
    assert counts(read) == {"app.A": 4}
    assert not read.complete
    assert "tag 0x21" in english()(read.problem or NOTHING)


def test_trap_07_timestamps_are_ignored(tmp_path: Path) -> None:
    dump = instances(2)
    dump.top = [hprof.record(0x06, bytes(4), micros=0xFFFFFFFF), hprof.record(0x06, bytes(4), micros=5)]
    assert dump_of(dump, tmp_path).complete


def test_trap_11_unknown_top_level_tags_are_skipped(tmp_path: Path) -> None:
    dump = instances(3)
    dump.top = [hprof.record(0xDE, b"a mark of redaction"), hprof.record(0x77, b"")]
    read = dump_of(dump, tmp_path)
    assert (read.complete, counts(read)) == (True, {"app.A": 3})


def test_trap_11_an_unknown_sub_tag_drains_its_segment_only(tmp_path: Path) -> None:
    dump = instances(8, segment_bytes=75)
    dump.items.insert(4, b"\x99" + bytes(70))
    read = dump_of(dump, tmp_path)
    assert not read.complete
    assert "0x99" in english()(read.problem or NOTHING)
    assert read.stopped_at is not None
    assert read.source.data[read.stopped_at] == 0x99
    assert counts(read) == {"app.A": 8}
    assert read.read_share == pytest.approx(1 - 71 / read.source.data.size)


@pytest.mark.parametrize("length", [0xFFFFFFFF, 0x80000000, 0x7FFFFFFF])
def test_trap_35_absurd_lengths_are_bounded_by_the_file(length: int, tmp_path: Path) -> None:
    for broken in (
        ENCODE.primitive_array_dump(0xE0F00000, hprof.LONG, bytes(8), length=length),
        ENCODE.object_array_dump(0xE0F00000, 1, [1], length=length),
        ENCODE.instance_dump(0xE0F00000, 1, bytes(8), length=length),
    ):
        dump = instances(3)
        dump.items.append(broken)
        read = dump_of(dump, tmp_path)
        assert (read.complete, counts(read)) == (False, {"app.A": 3})


def test_trap_36_one_byte_short_ends_at_the_last_whole_sub_record(tmp_path: Path) -> None:
    dump = instances(3, closed=False)
    whole = dump.to_bytes()
    read = dump_of(whole[:-1], tmp_path)
    assert (read.complete, counts(read)) == (False, {"app.A": 2})
    assert read.stopped_at == len(whole) - len(dump.sub_record(dump.items[-1]))
    assert heap_of(whole[:-1], tmp_path).count == 3


@pytest.mark.parametrize("zeros", [9, 100, 1_000_000])
def test_zeros_at_the_end_are_no_records(tmp_path: Path, zeros: int) -> None:
    whole = instances(3).to_bytes()
    assert whole[-9] == hprof.HEAP_DUMP_END
    padded = dump_of(whole + bytes(zeros), tmp_path)
    assert padded.complete
    cut = dump_of(whole[:-9] + bytes(zeros), tmp_path)
    assert cut.stopped_at == len(whole) - 9
    assert "only zero bytes follow" in english()(cut.problem or NOTHING)
    assert counts(padded) == counts(cut) == counts(dump_of(whole, tmp_path))


def test_zeros_take_no_memory_as_records(tmp_path: Path) -> None:
    path = tmp_path / "hole.hprof"
    with path.open("wb") as file:
        file.write(HEADER)
        file.truncate(1 << 33)
    source = open_source(str(path))
    records = read_records(source.data, parse_header("", source.data))
    assert not records.tags.size
    assert records.stopped_at == len(HEADER)
