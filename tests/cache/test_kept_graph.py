"""What comes out of the cache is what would be computed, and nothing wrong in it is used."""

from __future__ import annotations

import contextlib
import gc
import gzip
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from mqdiag.cache.array_file import ArrayFile, Unusable, write_arrays
from mqdiag.cli import run
from mqdiag.diagnose.show import show_in_heap
from mqdiag.errors import InputError, UsageError
from mqdiag.graph import open_heap
from mqdiag.graph.graph_cache import PARTS, Computed, GraphCache
from mqdiag.graph.kept_columns import kept_words
from tests.cache.answers import (
    Notes,
    all_answers,
    heap_answer,
    plain,
    query_answer,
    secrets_answer,
    show_answer,
)
from tests.graph.opening import put
from tests.graph.small_dump import small_dump
from tests.kernel.other_user import NOBODY, as_root
from tests.layers import CHECK, NIGHTLY, one_in_each_run

CLASSES = "SELECT * FROM classes ORDER BY id"
ALL_ARRAYS = (
    "SELECT o.*, r.to_id, c.* FROM objects AS o JOIN classes AS c USING (class) LEFT JOIN refs AS r ON o.id = from_id"
    " ORDER BY ALL"
)
ALL_PARTS = sorted(PARTS)


def parts_in(cache: Path) -> list[str]:
    return sorted(file.suffix[1:] for file in cache.iterdir() if file.suffix != ".origin")


@CHECK
@pytest.mark.parametrize(
    "name",
    [
        "no-rocketmq",
        pytest.param("stuck-one-4.9.8", marks=NIGHTLY),
        pytest.param("app-retains-5.3.3", marks=NIGHTLY),
        pytest.param("healthy-busy-4.9.8-no-compressed-oops", marks=NIGHTLY),
        pytest.param("healthy-busy-4.3.2-zgc", marks=NIGHTLY),
    ],
)
def test_answers_from_the_cache_are_the_same(cache: Path, tmp_path: Path, name: str) -> None:
    path = plain(name, tmp_path)
    computed, _ = all_answers(path, "java.util.HashMap", cache_bytes=0)
    assert not cache.exists()
    assert all_answers(path, "java.util.HashMap", cache_bytes=None)[0] == computed
    assert parts_in(cache) == ALL_PARTS
    again, notes = all_answers(path, "java.util.HashMap", cache_bytes=None)
    assert again == computed
    assert not notes.walked
    assert notes.notes == []


def test_the_report_is_shown_before_the_graph_is_kept(
    cache: Path, dump: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown: list[str] = []
    keep = GraphCache.keep

    def noted(kept: GraphCache, computed: Computed) -> None:
        shown.append(capsys.readouterr().out)
        keep(kept, computed)

    monkeypatch.setattr(GraphCache, "keep", noted)
    run(["heap", dump])
    assert "Largest classes" in shown[0]
    assert "dominance" in parts_in(cache)


def test_a_packed_dump_is_kept_too(cache: Path, tmp_path: Path) -> None:
    path = tmp_path / "dump.hprof.gz"
    path.write_bytes(gzip.compress(small_dump().to_bytes()))
    first, notes = query_answer(str(path), None, Notes(), CLASSES), Notes()
    assert query_answer(str(path), None, notes, CLASSES) == first
    assert not notes.walked


@pytest.fixture
def dump(tmp_path: Path) -> str:
    return put(small_dump(), tmp_path)


def test_a_dump_that_is_written_to_is_read_again(cache: Path, dump: str) -> None:
    query_answer(dump, None, Notes(), CLASSES)
    os.utime(dump, ns=(1, 1))
    notes = Notes()
    query_answer(dump, None, notes, CLASSES)
    assert notes.walked
    assert notes.notes == []


def test_the_same_time_and_size_do_not_hide_other_contents(cache: Path, dump: str) -> None:
    before = Path(dump).stat()
    query_answer(dump, None, Notes(), CLASSES)
    data = bytearray(Path(dump).read_bytes())
    at = data.index(b"java/lang/String")
    data[at : at + 4] = b"kava"
    Path(dump).write_bytes(data)
    os.utime(dump, ns=(before.st_atime_ns, before.st_mtime_ns))
    notes = Notes()
    assert "kava.lang.String" in query_answer(dump, None, notes, CLASSES)
    assert notes.walked


def test_another_version_keeps_its_own(cache: Path, dump: str, monkeypatch: pytest.MonkeyPatch) -> None:
    query_answer(dump, None, Notes(), CLASSES)
    monkeypatch.setattr("mqdiag.cache.identity.__version__", "0.0.0")
    notes = Notes()
    query_answer(dump, None, notes, CLASSES)
    assert notes.walked


def test_a_cut_dump_is_not_kept(cache: Path, dump: str) -> None:
    data = Path(dump).read_bytes()
    Path(dump).write_bytes(data[:-20])
    query_answer(dump, None, Notes(), CLASSES)
    assert list(cache.iterdir()) == []


def test_a_dump_that_changes_meanwhile_is_not_kept(cache: Path, dump: str) -> None:
    heap = open_heap(dump, cache_bytes=None)
    _ = heap.dominance
    os.utime(dump, ns=(1, 1))
    with pytest.raises(InputError, match="was changed"):
        heap.finish()
    assert list(cache.iterdir()) == []


def test_a_small_dump_is_not_kept(cache: Path, dump: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mqdiag.graph.graph_cache.LEAST_BYTES", Path(dump).stat().st_size + 1)
    query_answer(dump, None, Notes(), CLASSES)
    assert not list(cache.iterdir())


def test_a_part_that_another_run_removes_meanwhile_stays_readable(cache: Path, dump: str) -> None:
    ask(dump, Notes())
    heap = open_heap(dump, cache_bytes=None)
    for file in cache.iterdir():
        file.unlink()
    assert heap.dominance.count > 0
    assert heap.shortest_paths.size == heap.count
    heap.finish()
    assert parts_in(cache) == []


def open_folders(cache: Path) -> int:
    """Descriptors of the cache that this process has."""
    found = 0
    for descriptor in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            found += descriptor.readlink() == cache
    return found


def no_answer(dump: str) -> None:
    with pytest.raises(UsageError):
        show_in_heap(dump, "app.Nothing", cache_bytes=None)


def no_dump(dump: str) -> None:
    Path(dump).write_bytes(Path(dump).read_bytes()[:60])
    with pytest.raises(InputError):
        open_heap(dump, cache_bytes=None)


@one_in_each_run(4)
@pytest.mark.parametrize("least_bytes", [0, 1 << 30])
@pytest.mark.parametrize(
    "use",
    [
        lambda dump: open_heap(dump, cache_bytes=None).finish(),
        lambda dump: show_answer(dump, "app.Holder", None, Notes()),
        lambda dump: heap_answer(dump, None, Notes()),
        lambda dump: secrets_answer(dump, None, Notes()),
        no_answer,
        no_dump,
    ],
    ids=["finish", "show", "heap", "secrets", "no answer", "no dump"],
)
def test_the_folder_does_not_stay_open(
    cache: Path, dump: str, use: Callable[[str], None], least_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mqdiag.graph.graph_cache.LEAST_BYTES", least_bytes)
    heap = open_heap(dump, cache_bytes=None)
    assert open_folders(cache) == 1
    with heap:
        pass
    gc.disable()
    try:
        for _ in range(3):
            use(dump)
        assert open_folders(cache) == 0
    finally:
        gc.enable()


Change = Callable[[np.ndarray, int], None]


def first_is(value: int) -> Change:
    def change(array: np.ndarray, objects: int) -> None:
        array.reshape(-1)[0] = value

    return change


def last_is_objects(array: np.ndarray, objects: int) -> None:
    array.reshape(-1)[-1] = objects


def rank_beyond(array: np.ndarray, objects: int) -> None:
    array[0, -1, 1] = objects + 1


WRONG: dict[tuple[str, str], Change] = {
    ("summary", "class_offsets"): first_is(3),
    ("summary", "counts"): first_is(-1),
    ("summary", "elements"): first_is((1 << 63) - 1),
    ("objects", "offsets"): first_is((1 << 32) - 1),
    ("objects", "rows"): last_is_objects,
    ("objects", "directory"): first_is(1 << 20),
    ("objects", "words"): rank_beyond,
    ("references", "starts"): last_is_objects,
    ("references", "edges"): last_is_objects,
    ("dominance", "numbers"): last_is_objects,
    ("dominance", "order"): last_is_objects,
    ("dominance", "dominator"): last_is_objects,
    ("dominance", "dominated"): last_is_objects,
    ("ways", "came_from"): last_is_objects,
    ("ways", "queue"): last_is_objects,
}
"""a number in each array of places that would lead a kernel out of an array or the file"""
WRONG_IDS = ["-".join(place) for place in WRONG]


def opened(file: Path) -> ArrayFile:
    descriptor = os.open(file, os.O_RDONLY)
    try:
        return ArrayFile(descriptor, str(file), file.stem)
    finally:
        os.close(descriptor)


def rewrite(file: Path, name: str | None, change: Callable[..., None]) -> None:
    """Change an array, or the numbers, and make the checksums right, as somebody would who wants it to be used.

    Args:
        file: a part.
        name: of the array; None for the numbers of the head.
        change: of an array and the number of objects, or of the numbers.
    """
    kept = opened(file)
    arrays = {
        each: kept.array(each, (place.type,), place.shape).copy() for each, place in kept._head.arrays.items()
    }
    numbers = dict(kept._head.numbers)
    if name is None:
        change(numbers)
    else:
        before = arrays[name].copy()
        change(arrays[name], numbers.get("objects", 1 << 24))
        assert (before != arrays[name]).any()
    with file.open("wb") as written:
        write_arrays(written, file.stem, numbers, kept._head.words, arrays)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path, list[str]]:
    """A dump, what is kept of it, and the answers about it."""
    folder = tmp_path_factory.mktemp("filled")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mqdiag.graph.graph_cache.LEAST_BYTES", 0)
        patch.setenv("XDG_CACHE_HOME", str(folder))
        dump = put(small_dump(), folder)
        answers = ask(dump, Notes())
    return dump, folder / "mqdiag" / "heaps", answers


def ask(dump: str, notes: Notes) -> list[str]:
    """Answers that take every array that is kept."""
    return [show_answer(dump, "app.Holder", None, notes), query_answer(dump, None, notes, ALL_ARRAYS)]


@pytest.fixture
def kept_dump(filled: tuple[str, Path, list[str]], cache: Path) -> tuple[str, list[str]]:
    dump, folder, answers = filled
    shutil.copytree(folder, cache, copy_function=shutil.copy)
    cache.chmod(0o700)
    for above in (cache.parent, cache.parent.parent):
        above.chmod(0o700)
    return dump, answers


@one_in_each_run(4)
@pytest.mark.parametrize(("part", "name"), WRONG, ids=WRONG_IDS)
def test_a_number_that_is_out_of_range_is_never_used(
    cache: Path, kept_dump: tuple[str, list[str]], part: str, name: str
) -> None:
    dump, answers = kept_dump
    (file,) = cache.glob(f"*.{part}")
    rewrite(file, name, WRONG[part, name])
    notes = Notes()
    assert ask(dump, notes) == answers
    (note,) = notes.notes
    assert note.startswith("what an earlier run kept of this dump is not used, and computed again")
    assert parts_in(cache) == ALL_PARTS


def test_a_way_that_begins_at_no_root_is_never_used(cache: Path, kept_dump: tuple[str, list[str]]) -> None:
    """The kinds of roots are looked up by the first object of a way."""

    def begin_anywhere(came_from: np.ndarray, objects: int) -> None:
        came_from[np.flatnonzero(came_from >= 0)[-1]] = -2

    dump, answers = kept_dump
    (file,) = cache.glob("*.ways")
    rewrite(file, "came_from", begin_anywhere)
    notes = Notes()
    assert ask(dump, notes) == answers
    assert len(notes.notes) == 1


@one_in_each_run(4)
@pytest.mark.parametrize(
    ("part", "name", "number"),
    [
        ("objects", "objects", 1),
        ("objects", "objects", 1 << 40),
        ("objects", "base", -1),
        ("objects", "base", 1 << 64),
        ("objects", "shift", 64),
        ("objects", "alignment", 1 << 70),
        ("objects", "header_bytes", -1),
        ("references", "dangling", 1 << 70),
    ],
)
def test_a_number_of_the_head_that_is_out_of_range_is_never_used(
    cache: Path, kept_dump: tuple[str, list[str]], part: str, name: str, number: int
) -> None:
    """With fewer objects than there are, look-ups led out of arrays."""
    dump, answers = kept_dump
    (file,) = cache.glob(f"*.{part}")
    rewrite(file, None, lambda numbers: numbers.update({name: number}))
    notes = Notes()
    assert ask(dump, notes) == answers
    assert len(notes.notes) == 1
    assert parts_in(cache) == ALL_PARTS


def test_arrays_that_fit_another_number_than_the_one_in_use_end_with_a_line(
    cache: Path, kept_dump: tuple[str, list[str]]
) -> None:
    """The lowest id is in use before an array is found to be wrong: what was computed with it cannot be mended."""
    dump, answers = kept_dump
    (file,) = cache.glob("*.objects")
    rewrite(file, "offsets", first_is((1 << 32) - 1))
    rewrite(file, None, lambda numbers: numbers.update(base=numbers["base"] + 8))
    with pytest.raises((InputError, UsageError), match="the cache entry of this dump was changed"):
        ask(dump, Notes())
    assert ask(dump, Notes()) == answers


def test_the_place_of_one_object_is_checked_before_it_is_used(
    cache: Path, kept_dump: tuple[str, list[str]]
) -> None:
    dump, _ = kept_dump
    with open_heap(dump) as fresh:
        places = [fresh.place(node) for node in (0, 1)]
    (file,) = cache.glob("*.objects")
    rewrite(file, "offsets", first_is((1 << 32) - 1))
    notes = Notes()
    with open_heap(dump, cache_bytes=None, progress=notes) as heap:
        assert heap.place(1) == places[1]
        assert not notes.notes
        assert heap.place(0) == places[0]
    (note,) = notes.notes
    assert note.startswith("what an earlier run kept of this dump is not used, and computed again")


@pytest.mark.parametrize(("objects", "fits"), [(1, False), (63, False), (64, True), (65, True)])
def test_a_word_has_no_more_bits_than_there_are_objects(tmp_path: Path, objects: int, fits: bool) -> None:
    words = np.zeros((1, 64, 2), np.uint64)
    words[0, 0, 0] = (1 << 64) - 1
    file = tmp_path / "of-a-dump.objects"
    with file.open("wb") as written:
        write_arrays(written, file.stem, {}, {}, {"directory": np.zeros(1, np.int32), "words": words})
    if fits:
        assert (kept_words(opened(file), objects) == words).all()
    else:
        with pytest.raises(Unusable, match="words"):
            kept_words(opened(file), objects)


def cut(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def cut_to_nothing(file: Path) -> None:
    os.truncate(file, 5)


def flip_in(file: Path, at: int) -> None:
    data = bytearray(file.read_bytes())
    data[at] ^= 1
    file.write_bytes(data)


def flip_in_the_head(file: Path) -> None:
    flip_in(file, 40)


def flip_in_an_array(file: Path) -> None:
    kept = opened(file)
    # Of these arrays any number is in range: only the checksum tells.
    name = {".summary": "root_ids", ".dominance": "prefix"}[file.suffix]
    flip_in(file, kept._first + kept._head.arrays[name].at)


def link(file: Path) -> None:
    file.rename(file.with_suffix(".elsewhere"))
    file.symlink_to(file.with_suffix(".elsewhere"))


def give_away(file: Path) -> None:
    os.chown(file, NOBODY, NOBODY)


def let_others_write(file: Path) -> None:
    file.chmod(0o666)


def of_another_dump(file: Path) -> None:
    other = file.with_name("0" * 32 + file.suffix)
    kept = opened(file)
    with file.open("wb") as written:
        write_arrays(written, other.stem, kept._head.numbers, kept._head.words, {})


@one_in_each_run(4)
@pytest.mark.parametrize("part", ["summary", "dominance"])
@pytest.mark.parametrize(
    "damage",
    [
        cut,
        cut_to_nothing,
        flip_in_the_head,
        flip_in_an_array,
        link,
        let_others_write,
        of_another_dump,
        pytest.param(give_away, marks=as_root),
    ],
)
def test_a_file_that_is_not_as_it_was_written_is_never_used(
    cache: Path, kept_dump: tuple[str, list[str]], part: str, damage: Callable[[Path], None]
) -> None:
    dump, answers = kept_dump
    (file,) = cache.glob(f"*.{part}")
    damage(file)
    notes = Notes()
    assert ask(dump, notes) == answers
    assert len(notes.notes) == 1
    assert parts_in(cache) == ALL_PARTS


def test_a_class_is_shown_from_the_cache(cache: Path, dump: str) -> None:
    first = show_answer(dump, "app.Holder", None, Notes())
    notes = Notes()
    assert show_answer(dump, "app.Holder", None, notes) == first
    assert not notes.walked
