"""The limit of the heap, where the places that know it are few, many, or contradict each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.graph.heap_limit import HeapLimit, contradicts, heap_limit
from mqdiag.language import english
from tests.graph.opening import heap_of
from tests.writers.hprof_records import LONG, OBJECT, STICKY_CLASS
from tests.writers.hprof_writer import DumpWriter
from tests.writers.java_objects import JavaObjects

MIB = 1 << 20


class Jvm:
    """A dump with some of the places where a JVM keeps what it was allowed."""

    def __init__(self, folder: Path) -> None:
        self.dump = DumpWriter()
        self.java = JavaObjects(self.dump)
        self.folder = folder
        self.static("app/First", text=(OBJECT, self.java.string("first")))

    def static(self, class_name: str, **fields: tuple[int, int]) -> None:
        made = self.dump.java_class(class_name, statics=fields, superclass=self.dump.known("java/lang/Object"))
        self.dump.root(STICKY_CLASS, made.id)

    def texts(self, pairs: dict[str, str]) -> int:
        return self.java.hash_map(
            [(self.java.string(key), self.java.string(value)) for key, value in pairs.items()]
        )

    def direct_memory(self, limit: int, saved: dict[str, str] | None = None) -> Jvm:
        """jdk.internal.misc.VM; `saved` are the properties that it kept."""
        kept = 0 if saved is None else self.texts({"java.home": "/jdk", **saved})
        self.static("jdk/internal/misc/VM", directMemory=(LONG, limit), savedProps=(OBJECT, kept))
        return self

    def arguments(self, *options: str) -> Jvm:
        texts = self.java.array_list([self.java.string(option) for option in options])
        bean = self.dump.instance(
            self.dump.known("sun/management/VMManagementImpl", vmArgs=OBJECT), vmArgs=texts
        )
        self.static("app/Beans", runtime=(OBJECT, bean))
        return self

    def environment(self, **variables: str) -> Jvm:
        wrapper = self.dump.known("java/lang/ProcessEnvironment$ExternalData", str=OBJECT)

        def wrapped(text: str) -> int:
            return self.dump.instance(wrapper, str=self.java.string(text))

        entries = [(wrapped(name), wrapped(value)) for name, value in variables.items()]
        self.static("java/lang/ProcessEnvironment", theEnvironment=(OBJECT, self.java.hash_map(entries)))
        return self

    def pools(self, **most: int) -> Jvm:
        usage = self.dump.known("java/lang/management/MemoryUsage", max=LONG)
        entries = [
            (self.java.string(name.replace("_", " ")), self.dump.instance(usage, max=value))
            for name, value in most.items()
        ]
        self.static("app/LastCollection", pools=(OBJECT, self.java.hash_map(entries)))
        return self

    def limit(self, live_bytes: int = 0, memory_bytes: int | None = None) -> HeapLimit:
        return heap_limit(heap_of(self.dump, self.folder), live_bytes, memory_bytes)


@pytest.fixture
def jvm(tmp_path: Path) -> Jvm:
    return Jvm(tmp_path)


SET = {"sun.nio.MaxDirectMemorySize": str(32 * MIB)}


@pytest.mark.parametrize("saved", [{}, {"sun.nio.MaxDirectMemorySize": "-1"}], ids=["jdk17", "jdk11"])
def test_the_static_is_the_limit_while_direct_memory_has_none(saved: dict[str, str], jvm: Jvm) -> None:
    assert jvm.direct_memory(256 * MIB, saved).limit() == (256 * MIB, "max-memory-static", None)


def test_the_limit_of_direct_memory_is_never_that_of_the_heap(jvm: Jvm) -> None:
    limit = jvm.direct_memory(32 * MIB, SET).limit()
    assert limit[:2] == (None, None)
    assert "MaxDirectMemorySize" in english()(limit.why_unknown or "")


def test_a_static_of_unknown_meaning_is_not_used(jvm: Jvm) -> None:
    limit = jvm.direct_memory(32 * MIB, None).limit()
    assert limit.limit_bytes is None
    assert "does not show whether" in english()(limit.why_unknown or "")


def test_64_mib_are_a_limit_once_the_jvm_has_started(tmp_path: Path) -> None:
    (tmp_path / "started").mkdir()
    (tmp_path / "starting").mkdir()
    assert Jvm(tmp_path / "started").direct_memory(64 * MIB, {}).limit().limit_bytes == 64 * MIB
    assert Jvm(tmp_path / "starting").direct_memory(64 * MIB, None).limit() == (None, None, None)


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        ("-Xmx256m", 256 * MIB),
        ("-XX:MaxHeapSize=268435456", 256 * MIB),
        ("-Xmx2G", 2048 * MIB),
        ("-Xmxbig", None),
    ],
)
def test_the_last_argument_is_in_force(option: str, expected: int | None, jvm: Jvm) -> None:
    jvm.direct_memory(32 * MIB, SET).arguments("-Xmx1m" if expected else "-Xms1m", option, "-Xss1m")
    assert jvm.limit()[:2] == (expected, expected and "jvm-arguments")


def test_arguments_tell_that_the_static_is_the_heaps(jvm: Jvm) -> None:
    assert jvm.direct_memory(256 * MIB, None).arguments("-ea").limit().source == "max-memory-static"


@pytest.mark.parametrize(
    ("pools", "expected"),
    [
        ({"G1_Old_Gen": 128 * MIB, "Metaspace": -1}, 128 * MIB),
        ({"PS_Old_Gen": 86 * MIB, "PS_Eden_Space": 33 * MIB, "PS_Survivor_Space": 5 * MIB}, 124 * MIB),
        ({"Tenured_Gen": 86 * MIB}, None),
        ({"Compressed_Class_Space": 1024 * MIB}, None),
    ],
)
def test_pools_that_make_up_the_heap(pools: dict[str, int], expected: int | None, jvm: Jvm) -> None:
    limit = jvm.direct_memory(32 * MIB, SET).pools(**pools).limit()
    assert limit[:2] == (expected, expected and "memory-pools")


def test_variables_count_where_the_jvm_tells_nothing(jvm: Jvm) -> None:
    jvm.direct_memory(32 * MIB, SET)
    jvm.environment(JAVA_TOOL_OPTIONS="-Xmx1g -Xmx512m", PATH="/bin")
    assert jvm.limit() == (512 * MIB, "java-tool-options", None)


def test_the_jvm_tells_better_than_a_variable_that_was_overridden(jvm: Jvm) -> None:
    jvm.direct_memory(256 * MIB, {}).environment(JAVA_TOOL_OPTIONS="-Xmx4g")
    assert jvm.limit() == (256 * MIB, "max-memory-static", None)


def test_a_share_of_the_containers_memory(jvm: Jvm) -> None:
    jvm.direct_memory(32 * MIB, SET).arguments("-XX:MaxRAMPercentage=75.0")
    jvm.environment(CONTAINER_MAX_MEMORY=str(1024 * MIB))
    assert jvm.limit() == (768 * MIB, "container", None)


@pytest.mark.parametrize(("jdk", "expected"), [("17", 512 * MIB), ("11", None), ("1.8", None)])
def test_a_share_of_the_memory_that_the_jvm_told(jdk: str, expected: int | None, jvm: Jvm) -> None:
    """Before JDK 14 it told the memory of the host, of which the container may have less."""
    jvm.direct_memory(32 * MIB, SET).arguments("-XX:MaxRAMPercentage=50")
    jvm.static("java/lang/System", props=(OBJECT, jvm.texts({"java.specification.version": jdk})))
    assert jvm.limit(memory_bytes=1024 * MIB).limit_bytes == expected


def test_places_that_contradict_give_no_limit(jvm: Jvm) -> None:
    limit = jvm.direct_memory(256 * MIB, {}).arguments("-Xmx2g").limit()
    assert limit[:2] == (None, None)
    assert "contradict" in english()(limit.why_unknown or "")


def test_a_limit_below_the_live_objects_is_none(jvm: Jvm) -> None:
    jvm.environment(JAVA_TOOL_OPTIONS="-Xmx256m")
    assert jvm.limit(256 * MIB).limit_bytes == 256 * MIB
    assert jvm.limit(300 * MIB).limit_bytes is None


def test_a_limit_below_the_spread_of_addresses_is_none(tmp_path: Path) -> None:
    for mode, expected in (("32-bit", None), ("", 2 * MIB)):
        folder = tmp_path / (mode or "none")
        folder.mkdir()
        jvm = Jvm(folder).direct_memory(2 * MIB, {"java.vm.compressedOopsMode": mode})
        jvm.dump.hole(64 * MIB)
        jvm.static("app/Last", text=(OBJECT, jvm.java.string("far away")))
        assert jvm.limit().limit_bytes == expected


def test_a_heap_below_4_gib_has_no_larger_limit(jvm: Jvm) -> None:
    assert jvm.direct_memory(8 << 30, {"java.vm.compressedOopsMode": "32-bit"}).limit().limit_bytes is None


@pytest.mark.parametrize(("given", "wrong"), [(256, False), (288, False), (1024, True), (64, True)])
def test_a_given_limit_is_compared_with_the_dumps_own(given: int, wrong: bool) -> None:
    assert contradicts(given * MIB, HeapLimit(248 * MIB, "max-memory-static", None)) is wrong
    assert not contradicts(given * MIB, HeapLimit(None, None, None))
