"""The guide for a new library, carried out in a copy of the repository: after one file, stacks and heaps name it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.docs.copied_tree import ROOT, CopiedTree, block_of
from tests.layers import CHECK
from tests.threads.made import CONSUME, READ, At, dump
from tests.writers.hprof_records import BYTE, OBJECT, STICKY_CLASS
from tests.writers.hprof_writer import DumpWriter

pytestmark = CHECK

GUIDE = ROOT / "docs" / "guides" / "add-a-library.md"
FILE = "mqdiag/knowledge/libraries/harbour.toml"
CALL = (
    *READ,
    "com.harbour.client.Connection.readReply(Connection.java:212)",
    "com.harbour.client.Client.get(Client.java:88)",
    "com.acme.Stock.find(Stock.java:31)",
    *CONSUME,
)
SUBSCRIPTION = (
    *READ,
    "com.harbour.client.Subscription.next(Subscription.java:40)",
    "java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1136)",
    "java.lang.Thread.run(Thread.java:840)",
)


class Told:
    """What mqdiag says of a call that hangs in the library, and of a heap that its cache fills."""

    def __init__(self, tree: CopiedTree) -> None:
        stacks = json.loads(tree.run("mqdiag stacks stacks.txt --format json --fail-on never --threads"))
        heap = json.loads(tree.run("mqdiag heap heap.hprof --format json --fail-on never"))
        self.stuck: dict[str, Any] = stacks["findings"][0]
        self.states = {one["name"]: one["state"] for one in stacks["stacks"]["threads"]}
        self.holder: dict[str, Any] = heap["heap"]["suspects"][0]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> CopiedTree:
    tree = CopiedTree(tmp_path_factory.mktemp("tree"))
    threads = [At("ConsumeMessageThread_1", 31, CALL), At("harbour-events", 32, SUBSCRIPTION)]
    (tree.folder / "stacks.txt").write_text(
        "\n".join(dump(threads, 2.5 * number) for number in range(5)), "utf-8"
    )
    (tree.folder / "heap.hprof").write_bytes(heap_of_cache().to_bytes())
    return tree


def heap_of_cache() -> DumpWriter:
    heap = DumpWriter()
    parent = heap.known("java/lang/Object")
    rows = [heap.primitive_array(BYTE, bytes(4096)) for _ in range(40)]
    table = heap.object_array(heap.java_class("[Ljava/lang/Object;"), rows)
    cache = heap.java_class("com/harbour/near/NearCache", fields={"rows": OBJECT}, superclass=parent)
    statics = {"NEAR": (OBJECT, heap.instance(cache, rows=table))}
    owner = heap.java_class("com/acme/Stock", statics=statics, superclass=parent)
    heap.root(STICKY_CLASS, owner.id)
    return heap


def test_the_guide_names_the_file() -> None:
    assert f"`{FILE}`" in GUIDE.read_text("utf-8")
    assert not (ROOT / FILE).exists(), "a library that there is is no example"


def test_one_file_makes_stacks_and_heaps_name_the_library(tree: CopiedTree) -> None:
    before = Told(tree)
    (tree.folder / FILE).write_text(block_of(GUIDE, "toml"), "utf-8")
    after = Told(tree)

    assert before.stuck["evidence"].get("library") is None
    assert str(before.stuck["evidence"]["frame"]).startswith("com.harbour.client.Connection.readReply")
    assert after.stuck["evidence"]["library"] == "Harbour client"
    assert str(after.stuck["evidence"]["frame"]).startswith("com.acme.Stock.find")
    assert after.stuck["then"][0]["text"].startswith("Call readTimeout (no timeout by default)")
    assert after.stuck["then"][1]["text"].endswith("stops the commands of all other clients until it ends.")
    assert (before.states["harbour-events"], after.states["harbour-events"]) == ("stuck", "idle")

    assert (before.holder["label"], before.holder["known_as"]) == ("com.harbour.near.NearCache.rows", None)
    assert after.holder["label"] == "com.acme.Stock.NEAR"
    assert after.holder["known_as"] == "the near cache of a Harbour client"
    assert after.holder["remedy"] == ["Set maxEntries of the near cache: without it the cache grows for ever."]


def test_a_mistake_is_told_as_the_guide_shows_it(tree: CopiedTree) -> None:
    written = block_of(GUIDE, "toml")
    file = tree.folder / FILE
    file.write_text(written.replace('frames = ["com.harbour.', 'frames = ["com.harbor.'), "utf-8")
    try:
        with pytest.raises(AssertionError) as told:
            tree.run("mqdiag stacks stacks.txt --debug")
    finally:
        file.unlink()
    (message,) = block_of(GUIDE, "text").splitlines()
    assert message in str(told.value)
