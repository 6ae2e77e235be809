"""A real JVM that wastes known amounts (fixtures/rig/plain, Waste.java), against its own word.

Its dump is too large to be kept, so it is made here; a JDK is needed, and missing in CI is a failure.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from mqdiag.facts.waste import Waste
from mqdiag.graph import open_heap
from mqdiag.graph.waste import waste
from tests.layers import CHECK
from tests.oracles import waste as oracle
from tests.programs import need
from tests.waiting import PATIENCE_S

pytestmark = CHECK


RIG = Path(__file__).parents[3] / "fixtures" / "rig" / "plain" / "src" / "main" / "java"
NAME = "org.mqdiag.rig.plain.Waste"
OPENED = [f"--add-opens=java.base/java.util{part}=ALL-UNNAMED" for part in ("", ".concurrent")]
OWN_BYTES = {"Items": 24, "Ring": 24, "Table": 48, "Shared": 64}
"""of the collection objects: ArrayList, ArrayDeque, HashMap, ConcurrentHashMap with compressed references"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Waste, dict[str, Any]]:
    need("javac", "java")
    folder = tmp_path_factory.mktemp("waste")
    source = RIG / f"{NAME.replace('.', '/')}.java"
    subprocess.run(["javac", "-d", folder / "app", source], check=True, timeout=PATIENCE_S)
    command = ["java", *OPENED, "-Xmx48m", "-XX:+UseSerialGC", "-cp", "app", NAME, "dump.hprof"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True, timeout=PATIENCE_S)
    return waste(open_heap(str(folder / "dump.hprof"))), json.loads(done.stdout)


def test_repeated_strings(made: tuple[Waste, dict[str, Any]]) -> None:
    found = made[0].duplicate_strings
    assert found is not None
    counted = {each.text[:10]: (each.strings, each.wasted_bytes) for each in found.largest}
    # A string is 24 bytes; its array 16 and the characters, in steps of 8.
    assert counted["truth-EUR"] == (5000, 4999 * (24 + 32))
    assert counted["重复的"] == (700, 699 * (24 + 24))
    assert counted["shared-x"] == (300, 299 * 24)
    assert counted["L" * 10] == (3, 2 * (24 + 20_016))
    held = {each.text[:10]: each.held_by for each in found.largest}
    assert held["truth-EUR"] == held["shared-x"] == f"{NAME}$Order.currency"


@pytest.mark.parametrize("kind", OWN_BYTES)
def test_collections(kind: str, made: tuple[Waste, dict[str, Any]]) -> None:
    collections = made[0].collections
    assert collections is not None
    each = next(row for row in collections.classes if row.class_name == f"{NAME}${kind}")
    truth = oracle.spare(made[1][kind], OWN_BYTES[kind], table=kind in ("Table", "Shared"))
    assert (each.empty, each.empty_bytes, each.sparse, each.spare_bytes) == truth
    assert each.collections == len(made[1][kind])


def test_loaders(made: tuple[Waste, dict[str, Any]]) -> None:
    (group,) = made[0].class_loaders
    assert (group.loader_class, group.loaders, group.closed) == ("java.net.URLClassLoader", 5, 3)
    assert group.example_class == f"{NAME}$Plugin"
    assert 5 * 50_016 < group.retained_bytes < 5 * 60_000
    assert any("Waste.KEPT" in step for step in group.path)


def test_thread_locals(made: tuple[Waste, dict[str, Any]]) -> None:
    found = made[0].thread_locals
    assert found is not None
    kept = {each.thread: each.retained_bytes for each in found.threads if each.thread.startswith("holder-")}
    # A Buffer is 16 bytes, its array 16 and its length; 30,000 more are of a ThreadLocal that was dropped.
    assert kept == {f"holder-{number}": 100_000 * number + 32 + 30_000 + 32 for number in (1, 2, 3)}
    assert (found.stale_entries, found.stale_bytes) == (3, 3 * (30_000 + 32))


def test_direct_buffers(made: tuple[Waste, dict[str, Any]]) -> None:
    found, truth = made[0].direct_buffers, made[1]
    assert found is not None
    assert (found.buffers, found.capacity_bytes) == (truth["direct"]["count"], truth["direct"]["capacity"])
    assert found.reserved_bytes == truth["direct"]["used"]
    assert (found.mapped_buffers, found.mapped_bytes) == (truth["mapped"]["count"], truth["mapped"]["capacity"])
    assert found.limit_bytes == truth["max"]
