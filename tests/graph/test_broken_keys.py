"""Maps in which equal keys stand twice, and keys that only look alike."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mqdiag.facts.heap_classes import BrokenKeys
from mqdiag.graph.holders.broken_keys import broken_keys
from mqdiag.graph.holders.contents import contents_of
from tests.graph.opening import heap_of, nodes_of
from tests.writers.hprof_records import BYTE, INT, OBJECT, STICKY_CLASS
from tests.writers.hprof_writer import DumpWriter
from tests.writers.java_objects import JavaObjects

KEYS = 64


def found(
    folder: Path,
    fields: dict[str, int],
    values: Callable[[JavaObjects, int], dict[str, int]],
    hash_of: Callable[[int], int],
) -> BrokenKeys | None:
    """What is wrong with the keys of a map of 64 entries."""
    dump = DumpWriter()
    java = JavaObjects(dump)
    key_class = dump.java_class("com/acme/Key", fields=fields, superclass=dump.known("java/lang/Object"))
    node = dump.known("java/util/HashMap$Node", hash=INT, key=OBJECT, value=OBJECT, next=OBJECT)
    entries = [
        dump.instance(node, hash=hash_of(at), key=dump.instance(key_class, **values(java, at)))
        for at in range(KEYS)
    ]
    dump.root(STICKY_CLASS, dump.object_array(dump.known("[Ljava/util/HashMap$Node;"), entries))
    heap = heap_of(dump, folder)
    return broken_keys(heap, heap.instances(heap.classes.indices_named("com.acme.Key")))


@pytest.mark.parametrize(
    ("hash_of", "method"), [(lambda at: at % 4, "equals"), (lambda at: 1000 + at, "hashCode")]
)
def test_keys_with_the_same_values(hash_of: Callable[[int], int], method: str, tmp_path: Path) -> None:
    broken = found(tmp_path, {"id": INT}, lambda java, at: {"id": at % 4}, hash_of)
    assert broken is not None
    assert (broken.method, broken.equal_keys) == (method, KEYS)


def test_nearly_all_keys_with_one_hash(tmp_path: Path) -> None:
    broken = found(tmp_path, {"id": INT}, lambda java, at: {"id": at}, lambda at: 7)
    assert broken is not None
    assert broken.method == "constant-hash"


def test_healthy_keys(tmp_path: Path) -> None:
    assert found(tmp_path, {"id": INT}, lambda java, at: {"id": at}, lambda at: at) is None


def test_a_hash_that_only_some_keys_have_computed_is_no_difference(tmp_path: Path) -> None:
    broken = found(
        tmp_path,
        {"id": INT, "hashCode": INT},
        lambda java, at: {"id": at % 2, "hashCode": at},
        lambda at: at % 2,
    )
    assert broken is not None
    assert broken.method == "equals"


def test_a_field_about_the_hash_of_something_else_tells_keys_apart(tmp_path: Path) -> None:
    def values(java: JavaObjects, at: int) -> dict[str, int]:
        return {"shard": 3, "contentHash": java.string(f"sha256-{at}")}

    assert found(tmp_path, {"shard": INT, "contentHash": OBJECT}, values, lambda at: at) is None


def found_in_arrays(folder: Path, texts: list[bytes]) -> BrokenKeys | None:
    """What is wrong with byte arrays as keys."""
    dump = DumpWriter()
    keys = [dump.primitive_array(BYTE, text) for text in texts]
    dump.root(STICKY_CLASS, dump.object_array(dump.known("[Ljava/lang/Object;"), keys))
    heap = heap_of(dump, folder)
    return broken_keys(heap, heap.instances(heap.classes.indices_named("byte[]")))


@pytest.mark.parametrize(("text_of", "method"), [(lambda at: at % 4, "array"), (lambda at: at, None)])
def test_arrays_as_keys_are_told_by_their_elements(
    text_of: Callable[[int], int], method: str | None, tmp_path: Path
) -> None:
    broken = found_in_arrays(tmp_path, [b"customer %d" % text_of(at) for at in range(KEYS)])
    assert (None if broken is None else (broken.key_class, broken.method)) == (method and ("byte[]", method))


def test_arrays_that_differ_behind_a_long_header_are_not_called_equal(tmp_path: Path) -> None:
    assert found_in_arrays(tmp_path, [bytes(299) + bytes([at]) for at in range(KEYS)]) is None


def test_only_arrays_that_were_read_to_their_end_count_as_looked_at(tmp_path: Path) -> None:
    headers = [bytes(299) + bytes([at]) for at in range(KEYS)]
    broken = found_in_arrays(tmp_path, [*headers, *[b"customer"] * 40])
    assert broken is not None
    assert (broken.looked_at, broken.equal_keys) == (40, 40)


@pytest.mark.parametrize("is_wrapped", [False, True])
@pytest.mark.parametrize(("is_identity", "method"), [(True, None), (False, "array")])
def test_equal_keys_of_an_identity_map_are_meant_to_differ(
    is_identity: bool, method: str | None, is_wrapped: bool, tmp_path: Path
) -> None:
    dump = DumpWriter()
    java = JavaObjects(dump)
    entries = [(dump.primitive_array(BYTE, b"customer"), java.boxed(at)) for at in range(KEYS)]
    if is_identity:
        kind = dump.known("java/util/IdentityHashMap", table=OBJECT)
        flat = [one for entry in entries for one in entry]
        made = dump.instance(kind, table=dump.object_array(dump.known("[Ljava/lang/Object;"), flat))
    else:
        made = java.hash_map(entries)
    if is_wrapped:
        made = java.wrapped("java/util/Collections$SynchronizedMap", "m", made)
    dump.root(STICKY_CLASS, made)
    heap = heap_of(dump, tmp_path)
    held = int(nodes_of(heap, [made])[0])
    contents = contents_of(heap, held, held)
    assert contents is not None
    assert contents.entries == KEYS
    assert (contents.broken_keys and contents.broken_keys.method) == method
