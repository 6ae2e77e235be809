"""Dumps of every JVM of this machine with every collector: objects, their sizes, and the limit of the heap.

JVMs are looked for in variables that begin with MQDIAG_JDK, in JAVA_HOME and in /usr/lib/jvm. One JDK must have javac
and jcmd; the others may be runtimes without tools.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import pytest

from mqdiag.graph import open_heap
from mqdiag.graph.heap_limit import HeapLimit, heap_limit
from tests.layers import NIGHTLY
from tests.waiting import PATIENCE_S

SOURCES = Path(__file__).parents[2] / "fixtures" / "rig" / "plain" / "src" / "main" / "java"
NAME = "org.mqdiag.rig.plain.Collected"
ITEM = f"{NAME}$Item"
ITEMS = 20_000
MIB = 1 << 20
DIRECT = "-XX:MaxDirectMemorySize=32m"
EXPERIMENTAL = "-XX:+UnlockExperimentalVMOptions"
"""for the ZGC of JDK 11"""
COLLECTORS = {
    "serial": ("-XX:+UseSerialGC",),
    "parallel": ("-XX:+UseParallelGC",),
    "g1": ("-XX:+UseG1GC",),
    "shenandoah": ("-XX:+UseShenandoahGC",),
    "zgc": (EXPERIMENTAL, "-XX:+UseZGC"),
    "zgc-generational": (EXPERIMENTAL, "-XX:+UseZGC", "-XX:+ZGenerational"),
    "compact-headers": ("-XX:+UseSerialGC", "-XX:+UseCompactObjectHeaders"),
    "no-compressed-oops": ("-XX:+UseG1GC", "-XX:-UseCompressedOops"),
}
MERGED = 22
"""From this JDK on, several threads write segments that the JVM then merges."""
NO_SUCH_OPTION = ("Could not create the Java Virtual Machine", "Ignoring option", "support was removed")


def jvm_homes() -> list[Path]:
    named = [value for name, value in os.environ.items() if name.startswith("MQDIAG_JDK")]
    folders = [Path(value) for value in [*named, os.environ.get("JAVA_HOME", "")] if value]
    folders += sorted(Path("/usr/lib/jvm").glob("*"))
    found = {folder.resolve(): None for folder in folders if (folder / "bin" / "java").is_file()}
    return list(found)


def with_tool(name: str) -> Path:
    """The program of the newest JDK that has it: jcmd talks to older JVMs too."""
    found = [home for home in jvm_homes() if (home / "bin" / name).is_file()]
    if not found:
        # a runtime environment has none, and heaps of JVMs are made by real ones here
        pytest.skip(f"no JDK with {name}")
    return max(found, key=major) / "bin" / name


def major(home: Path) -> int:
    given = re.search(r'^JAVA_VERSION="(\d+)', (home / "release").read_text(), re.MULTILINE)
    return int(given[1]) if given else 0


def name_of(home: Path) -> str:
    return f"{major(home)}-{home.name}"


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("classes")
    source = SOURCES / f"{NAME.replace('.', '/')}.java"
    subprocess.run(
        [with_tool("javac"), "--release", "11", "-d", folder, source], check=True, timeout=PATIENCE_S
    )
    return folder


@dataclass(frozen=True)
class Running:
    """A JVM that stands still."""

    pid: int
    max_memory: int
    folder: Path

    def ask(self, *command: str) -> str:
        done = subprocess.run(
            [with_tool("jcmd"), str(self.pid), *command],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def item_bytes(self) -> int:
        """Bytes of all items, as the JVM counts them."""
        row = re.search(
            rf"^\s*\d+:\s+{ITEMS}\s+(\d+)\s+{re.escape(ITEM)}\b", self.ask("GC.class_histogram"), re.M
        )
        assert row
        return int(row[1])


@contextmanager
def running(
    home: Path,
    classes: Path,
    folder: Path,
    options: tuple[str, ...],
    *words: str,
    heap: str = "-Xmx128m",
    group: Path | None = None,
    variables: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[Running]:
    """A JVM in a control group, if one is given."""
    command: list[str | Path] = [home / "bin" / "java", heap, *options, "-cp", classes, NAME, *words]
    if group is not None:
        enter = 'echo $$ > "$0" && exec "$@"'
        command = ["sh", "-c", enter, group / "cgroup.procs", *command]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", **variables},
    ) as process:
        try:
            yield Running(process.pid, _max_memory(process, options), folder)
        finally:
            process.kill()


def _max_memory(process: subprocess.Popen[str], options: tuple[str, ...]) -> int:
    assert process.stdout is not None
    said = []
    for line in process.stdout:
        said.append(line)
        if any(refusal in line for refusal in NO_SUCH_OPTION):
            break
        if line.startswith("@max-memory "):
            return int(line.split()[1])
    # a collector that this JDK was built without, or has no more, makes no heap to look at
    pytest.skip(f"this JVM does not start with {' '.join(options)}: {''.join(said)[-300:]}")


def limit_of(jvm: Running, *how: str) -> HeapLimit:
    """The limit by a dump; checks its items on the way."""
    expected = jvm.item_bytes()
    path = jvm.folder / f"{len(list(jvm.folder.iterdir()))}.hprof"
    jvm.ask("GC.heap_dump", *how, str(path))
    heap = open_heap(str(path))
    assert heap.dump.complete
    (row,) = heap.classes.indices_named(ITEM)
    items = heap.instances([row])
    items = items[heap.reachable(items)]
    assert items.size == ITEMS
    assert int(heap.shallow_sizes(items).sum()) == expected
    return heap_limit(heap, heap.dominance.total_bytes)


@NIGHTLY
@pytest.mark.parametrize("collector", COLLECTORS)
@pytest.mark.parametrize("home", jvm_homes(), ids=name_of)
def test_each_jvm_with_each_collector(home: Path, collector: str, classes: Path, tmp_path: Path) -> None:
    options = COLLECTORS[collector]
    with running(home, classes, tmp_path, options) as jvm:
        ways: list[tuple[str, ...]] = [(), ("-all",)]
        if major(home) >= MERGED:
            ways.append(("-parallel=2",))
        for way in ways:
            assert limit_of(jvm, *way) == (jvm.max_memory, "max-memory-static", None)


@NIGHTLY
@pytest.mark.parametrize("collector", COLLECTORS)
@pytest.mark.parametrize("home", jvm_homes(), ids=name_of)
def test_the_limit_beside_one_of_direct_memory(
    home: Path, collector: str, classes: Path, tmp_path: Path
) -> None:
    options = (*COLLECTORS[collector], DIRECT)
    with running(home, classes, tmp_path, options) as jvm:
        assert limit_of(jvm).limit_bytes is None
    with running(home, classes, tmp_path, options, "arguments") as jvm:
        assert limit_of(jvm) == (128 * MIB, "jvm-arguments", None)
        assert 0.85 * 128 * MIB <= jvm.max_memory <= 128 * MIB


@NIGHTLY
def test_a_variable_beside_the_limit_of_direct_memory_is_overridden(classes: Path, tmp_path: Path) -> None:
    """JAVA_TOOL_OPTIONS are among the arguments, and the command line comes after them."""
    java = with_tool("javac").parent.parent
    with running(java, classes, tmp_path, ("-XX:+UseG1GC", DIRECT, "-Xmx64m"), "arguments") as jvm:
        assert limit_of(jvm) == (64 * MIB, "jvm-arguments", None)
        assert jvm.max_memory == 64 * MIB


@pytest.fixture
def control_group() -> Iterator[Path]:
    """A control group of 1 GiB, of version 1 or 2."""
    for root, limit in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
        group = Path(root) / f"mqdiag-test-{os.getpid()}"
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            (group / limit).write_text(str(1024 * MIB))
        except OSError:
            group.rmdir()
            continue
        yield group
        group.rmdir()
        return
    # it needs root and a folder of groups that can be written, which few containers have
    pytest.skip("no control group of memory can be made here")


@NIGHTLY
def test_a_share_of_the_memory_of_a_control_group(classes: Path, tmp_path: Path, control_group: Path) -> None:
    """The JVM takes the share of the group's memory; a variable of the image tells that of the group."""
    java = with_tool("javac").parent.parent
    g1, share = "-XX:+UseG1GC", "-XX:MaxRAMPercentage=25"
    with running(java, classes, tmp_path, (g1,), heap=share, group=control_group) as jvm:
        assert jvm.max_memory == 256 * MIB
        assert limit_of(jvm) == (jvm.max_memory, "max-memory-static", None)
    with running(java, classes, tmp_path, (g1, DIRECT), "arguments", heap=share, group=control_group) as jvm:
        assert limit_of(jvm).limit_bytes is None
    known = {"CONTAINER_MAX_MEMORY": str(1024 * MIB)}
    words = ("arguments", "environment")
    with running(
        java, classes, tmp_path, (g1, DIRECT), *words, heap=share, group=control_group, variables=known
    ) as jvm:
        assert limit_of(jvm) == (jvm.max_memory, "container", None)
