"""GC logs: JDK 8 as it prints them (no JDK 8 was at hand), and JDK 9+ in its many decorations."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest

from mqdiag.diagnose.logs import diagnose_logs
from mqdiag.facts.collector_logs import GcFacts
from tests.cli.conftest import here
from tests.folded import folded
from tests.layers import one_in_each_run
from tests.logs.given import facts, read

LOGS = Path(__file__).parents[2] / "fixtures/logs"

PARALLEL_8 = (
    "OpenJDK 64-Bit Server VM (25.392-b08) for linux-amd64 JRE (1.8.0_392-b08)\n"
    "2026-11-21T12:00:01.100+0800: 1.100: [GC (Allocation Failure) [PSYoungGen: 33280K->5096K(38400K)] 33280K->5112K"
    "(125952K), 0.0045000 secs] [Times: user=0.01 sys=0.00, real=0.01 secs] \n"
    "2026-11-21T12:00:02.100+0800: 2.100: [Full GC (Ergonomics) [PSYoungGen: 5096K->0K(38400K)] [ParOldGen:"
    " 87000K->86912K(87552K)] 92096K->86912K(125952K), [Metaspace: 2788K->2788K(1056768K)], 0.9000000 secs] [Times:"
    " user=1.0 sys=0.00, real=0.90 secs] \n"
)
CMS_8 = (
    "1.500: [GC (Allocation Failure) 1.500: [ParNew: 33280K->5096K(38400K), 0.0045 secs] 33280K->5112K(125952K), 0.0046"
    " secs] [Times: user=0.01 sys=0.00, real=0.01 secs] \n"
    "2.500: [Full GC (Allocation Failure) 2.500: [CMS: 87551K->87550K(87552K), 0.3 secs] 125900K->125899K(125952K),"
    " [Metaspace: 2788K->2788K(1056768K)], 0.3000000 secs] [Times: user=0.3 sys=0.00, real=0.30 secs] \n"
)
G1_8 = (
    "2026-11-21T12:00:01.100+0800: 1.100: [GC pause (G1 Evacuation Pause) (young), 0.0123000 secs]\n"
    "   [Parallel Time: 11.0 ms, GC Workers: 2]\n"
    "   [Eden: 24.0M(24.0M)->0.0B(13.0M) Survivors: 0.0B->3072.0K Heap: 24.0M(256.0M)->5120.0K(256.0M)]\n"
    "2026-11-21T12:00:02.100+0800: 2.100: [Full GC (Allocation Failure)  250M->249M(256M), 0.5000000 secs]\n"
)
UNIFIED = (
    "[2026-11-21T12:00:00.900+0800][0.900s][info][gc] Using G1\n"
    "[2026-11-21T12:00:01.100+0800][1.100s][info][gc,start] GC(0) Pause Young (Normal) (G1 Evacuation Pause)\n"
    "[2026-11-21T12:00:01.104+0800][1.104s][info][gc] GC(0) Pause Young (Normal) (G1) 24M->5M(256M) 4.500ms\n"
    "[2026-11-21T12:00:02.600+0800][2.600s][info][gc] GC(1) Pause Full (G1 Compaction) 250M->249M(256M) 500.000ms\n"
    "[2026-11-21T12:00:02.700+0800][2.700s][info][gc      ] GC(2) Pause Remark 249M->249M(256M) 3.000ms\n"
)  # fmt: skip


def collections(text: str) -> GcFacts:
    logs = facts(text, names=("gc.log",))
    assert logs.files[0].kind == "gc"
    (gc,) = logs.gc
    return gc


@pytest.mark.parametrize(
    ("text", "form", "full", "pause_ms", "after", "heap"),
    [
        (PARALLEL_8, "jdk8", 1, 904.5, 86912 << 10, 125952 << 10),
        (CMS_8, "jdk8", 1, 304.6, 125899 << 10, 125952 << 10),
        (G1_8, "jdk8", 1, 512.3, 249 << 20, 256 << 20),
        (UNIFIED, "unified", 1, 507.5, 249 << 20, 256 << 20),
    ],
)
def test_forms(text: str, form: str, full: int, pause_ms: float, after: int, heap: int) -> None:
    gc = collections(text)
    assert (gc.format, gc.full, gc.heap_after_bytes, gc.heap_bytes) == (form, full, after, heap)
    assert gc.pause_ms == pytest.approx(pause_ms)


def test_without_dates_seconds_since_start_serve() -> None:
    gc = collections(CMS_8)
    assert gc.seconds == 1.3, "up to the end of the last pause"
    assert gc.series == ()


@pytest.mark.parametrize("decoration", ["[{0:.3f}s][info][gc] ", "[{0:.3f}s] ", "[{1}ms][info ][gc] "])
def test_decorations(decoration: str) -> None:
    text = "".join(
        decoration.format(float(second), second * 1000)
        + f"GC({second}) Pause Young (Allocation Failure) 9M->1M(16M) 2.0ms\n"
        for second in range(1, 5)
    )
    gc = collections(text)
    assert (gc.collections, gc.seconds, gc.pause_ms) == (4, 3.002, 8.0), "from the begin of the first pause"


def fulls(count: int, freed_mib: int, pause_ms: int) -> str:
    return "".join(
        f"[2026-11-21T12:00:{second:02d}.000+0800][{second}.000s][info][gc] GC({second}) Pause Full (Ergonomics)"
        f" 250M->{250 - freed_mib}M(256M) {pause_ms}.000ms\n"
        for second in range(1, 1 + count)
    )


def test_a_run_that_frees_little() -> None:
    run = collections(fulls(30, 1, 900)).futile_run
    assert run is not None
    assert run.full == 30
    assert run.seconds == pytest.approx(29.9)
    assert run.pause_share == pytest.approx(27 / 29.9, abs=1e-3)
    assert run.freed_share == pytest.approx(1 / 256, abs=1e-4)


def test_collections_that_free_are_no_run() -> None:
    assert collections(fulls(30, 100, 900)).futile_run is None


def test_worst_minute() -> None:
    later = (
        "[2026-11-21T12:01:30.000+0800][90.000s][info][gc] GC(31) Pause Young (Normal) 90M->5M(256M) 9.000ms\n"
    )
    gc = collections(fulls(30, 100, 900) + later)
    assert gc.worst_share == 0.45
    assert gc.worst_at == "2026-11-21T12:00:00+08:00"


def test_a_log_shorter_than_a_minute_is_measured_by_what_it_spans() -> None:
    gc = collections(fulls(30, 100, 900))
    assert (gc.seconds, gc.worst_share) == (29.9, 0.903)
    (one,) = (collections(fulls(1, 1, 900)),)
    assert (one.seconds, one.worst_share) == (0.9, 1.0)


def test_pauses_and_lines_of_other_kinds_span_the_log() -> None:
    late = "[2026-11-21T12:00:20.000+0800][20.000s][info][gc,heap] Heap region size: 1M\n"
    gc = collections(fulls(4, 1, 900) + late)
    run = gc.open_run
    assert run is not None
    assert gc.futile_run is not None
    assert (gc.seconds, gc.futile_run.seconds, run.seconds) == (19.0, 3.9, 19.9)
    assert run.pause_share == pytest.approx(3.6 / 19.9, abs=1e-3)


@pytest.mark.parametrize(
    ("later", "is_open"), [("", True), (fulls(6, 100, 900).splitlines()[-1] + "\n", False)]
)
def test_a_run_is_open_until_a_collection_frees_the_heap(later: str, is_open: bool) -> None:
    gc = collections(fulls(5, 1, 900) + later)
    assert gc.futile_run is not None
    assert (gc.open_run is not None) is is_open


NATIVE_IMAGE = "".join(
    f"[{second}.500s] GC({second}) Pause Full GC (Collect on allocation) 346.23M->342.23M 774.698ms\n"
    for second in range(1, 8)
)


def test_a_native_image_prints_fractions_and_no_capacity() -> None:
    gc = collections(NATIVE_IMAGE)
    run = gc.futile_run
    assert run is not None
    assert (gc.full, gc.heap_bytes, gc.heap_after_bytes) == (7, None, int(342.23 * (1 << 20)))
    assert (run.full, run.for_room) == (7, 7)
    assert run.freed_share == pytest.approx(4 / 346.23, abs=1e-4)


@folded(
    "why",
    [
        "System.gc()",
        "Heap Inspection Initiated GC",
        "Metadata GC Threshold",
        "Last ditch collection",
        "G1 Periodic Collection",
    ],
)
def test_collections_for_another_reason_are_not_for_room(why: str) -> None:
    run = collections(fulls(5, 1, 900).replace("Ergonomics", why)).futile_run
    assert run is not None
    assert (run.full, run.for_room) == (5, 0)


@pytest.mark.parametrize(("used_mib", "for_room"), [(249, 5), (128, 5), (120, 0)])
def test_an_array_that_a_half_empty_heap_cannot_take_is_no_want_of_room(used_mib: int, for_room: int) -> None:
    text = fulls(5, 1, 900).replace("250M->249M", f"{used_mib + 1}M->{used_mib}M")
    run = collections(text.replace("Ergonomics", "G1 Humongous Allocation")).futile_run
    assert run is not None
    assert (run.full, run.for_room) == (5, for_room)


@pytest.mark.parametrize(("old_kib", "full"), [(698_000, 4), (400_000, None)])
def test_a_young_generation_that_is_freed_hides_no_full_old_one(old_kib: int, full: int | None) -> None:
    text = "".join(
        f"{second}.401: [Full GC (Ergonomics) [PSYoungGen: 226816K->8237K(289792K)]"
        f" [ParOldGen: 696487K->{old_kib}K(699392K)] 923303K->{old_kib + 8237}K(989184K), [Metaspace:"
        " 85673K->85673K(1126400K)], 7.2680812 secs]\n"
        for second in range(0, 40, 10)
    )
    run = collections(text).futile_run
    assert (None if run is None else run.old_full) == full


def test_pauses_in_an_unknown_form_are_no_all_clear() -> None:
    gc = collections(
        "".join(f"[{second}.5s] GC({second}) Pause Full 3 of 4 took 900ms\n" for second in range(9))
    )
    assert (gc.collections, gc.unread) == (0, 9)


def test_collections_without_any_time_are_counted_and_their_details_are_not() -> None:
    gc = collections(
        "the program begins\n"
        "[GC (Allocation Failure) [PSYoungGen: 29801K->5117K(38400K)] 29801K->22565K(125952K), 0.0130000 secs]\n"
        "[GC [ParNew: 33275K->496K(46080K), 0.0137601 secs] 33275K->31218K(97280K), 0.0152885 secs]\n"
        "[GC 31218K->30000K(97280K), 0.0100000 secs]\n"
        "[GC pause (G1 Evacuation Pause) (young), 0.0123000 secs]\n"
        "   [GC Worker Start (ms): Min: 100.5, Avg: 100.6, Max: 100.6, Diff: 0.1]\n"
        "[Full GC (Ergonomics) [ParOldGen: 699039K->699038K(699392K)] 839762K->839752K(932352K), 2.1000000 secs]\n"
    )
    assert (gc.collections, gc.full, gc.longest_pause_ms) == (5, 1, 2100)


@pytest.mark.parametrize(
    "text",
    [
        (
            "7.524: [GC (Allocation Failure) 7.525: [ParNew: 377K->377K(377K), 0.0000611 secs]7.525: [CMS15.437:"
            " [CMS-concurrent-mark: 9.651/9.655 secs] [Times: user=38.71 sys=0.00, real=9.65 secs]\n"
            " (concurrent mode failure): 1525M->1528M(1677M), 12.7401122 secs] 1902M->1528M(2055M), [Metaspace:"
            " 89130K->89130K(1130496K)], 12.7404981 secs] [Times: user=36.52 sys=0.00, real=12.74 secs]\n"
        ),
        (
            "7.524: [GC 7.524: [ParNew (promotion failed): 377M->377M(377M), 0.89 secs]8.416: [CMS: 1525M->1528M"
            "(1677M), 2.97 secs] 1902M->1528M(2055M), 12.7404981 secs] [Times: user=4.80 sys=0.16, real=3.88 secs]\n"
        ),
        (
            "7.524: [Full GC 7.524: [CMS (concurrent mode failure): 1525M->1528M(1677M), 12.7 secs] 1902M->1528M"
            "(2055M), [CMS Perm : 57M->57M(95M)], 12.7404981 secs]\n"
        ),
    ],
    ids=["on the next line", "promotion failed", "on one line"],
)
def test_a_young_collection_of_cms_that_fails_is_a_full_one(text: str) -> None:
    gc = collections(text)
    assert (gc.collections, gc.full) == (1, 1)
    assert gc.longest_pause_ms == pytest.approx(12_740.5, abs=0.1)
    assert (gc.heap_after_bytes, gc.heap_bytes) == (1528 << 20, 2055 << 20)


def test_the_marks_of_cms_tell_what_is_in_use() -> None:
    gc = collections(
        "4.771: [GC [1 CMS-initial-mark: 1920330K(1926784K)] 2050305K(2080128K), 0.3370101 secs]\n"
        "5.111: [CMS-concurrent-mark-start]\n"
    )
    assert gc.used_share == pytest.approx(2050305 / 2080128, abs=1e-4)


def test_threads_that_wait_for_zgc_are_counted() -> None:
    gc = collections(
        "[206.421s][info][gc] Allocation Stall (pool-1-thread-1) 0.005ms\n"
        "[206.549s][info][gc] GC(88) Garbage Collection (Allocation Rate) 58M(91%)->58M(91%)\n"
    )
    assert gc.allocation_stalls == 1


def at_the_end(*lines: str) -> GcFacts:
    return collections(
        "".join(f"[{second}.000s][info][gc] GC({second}) {line}\n" for second, line in enumerate(lines))
    )


@folded("lines, filled", [
        (["Pause Full (Allocation Failure) 61M->60M(61M) 217.4ms"] * 3, 3),
        (["Pause Full (System.gc()) 61M->60M(61M) 217.4ms"] * 3, 0),
        (["Pause Full (Allocation Failure) 61M->50M(61M) 217.4ms"] * 3, 0),
        ([f"Pause Full (Allocation Failure) {size}M->{size}M({size}M) 9.0ms" for size in (40, 50, 61)], 1),
        (["Pause Full (Allocation Failure) 61M->60M(61M) 2.4ms"] * 3 + ["Pause Young (Normal) 61M->9M(61M) 2.4ms"], 0),
        (["Garbage Collection (Allocation Rate) 58M(91%)->58M(91%)"] * 4, 4),
        (["Garbage Collection (Allocation Rate) 58M(91%)->32M(50%)"] * 4, 0),
        (["Garbage Collection (Allocation Rate) 32M(50%)->32M(50%)"] * 4, 0),
    ])  # fmt: skip
def test_collections_that_leave_the_heap_full(lines: list[str], filled: int) -> None:
    assert at_the_end(*lines).filled == filled


def test_how_soon_a_heap_is_full_that_grows_with_each_collection() -> None:
    young = "Pause Young (Allocation Failure) {}M->{}M(1000M) 9.0ms"
    rising = [young.format(400 + 20 * step, 340 + 20 * step) for step in range(7)]
    assert at_the_end(*rising).seconds_to_full == pytest.approx(27, abs=0.1), "540 MB are free, 20 MB/s less"
    assert at_the_end(*rising[:5]).seconds_to_full is None, "too few of them"
    assert at_the_end(*rising, young.format(480, 300)).seconds_to_full is None
    assert at_the_end(*rising, "Pause Full (Ergonomics) 480M->470M(1000M) 9.0ms").seconds_to_full is None


def test_an_application_that_prints_collections_between_its_own_lines_is_no_gc_log() -> None:
    line = "2026-11-21 12:00:0{0} INFO main - order {0} is paid\n"
    text = "".join(line.format(number) for number in range(5))
    logs = facts(
        text + "[GC (Allocation Failure)  62408K->38814K(142868K), 0.0616845 secs]\n", names=("out.log",)
    )
    assert logs.files[0].kind != "gc"
    assert logs.gc[0].collections == 1


@pytest.mark.parametrize(
    ("old_kib", "why", "old_filled"),
    [
        ((699_038, 699_000), "Ergonomics", 2),
        ((699_038, 600_000), "Ergonomics", 0),
        ((600_000, 699_038), "Ergonomics", 1),
        ((699_038, 699_000), "System.gc()", 0),
    ],
)
def test_the_last_collections_that_left_the_old_generation_full(
    old_kib: tuple[int, ...], why: str, old_filled: int
) -> None:
    text = "".join(
        f"[Full GC ({why}) [PSYoungGen: 140722K->140712K(232960K)] [ParOldGen: 699039K->{old}K(699392K)]"
        f" {699_039 + 140_722}K->{old + 140_712}K(932352K), [Metaspace: 2768K->2768K(1056768K)], 2.1019108 secs]\n"
        for old in old_kib
    )
    assert collections(text).old_filled == old_filled


@pytest.mark.parametrize(
    "line",
    [
        "[{at}.000s][info][gc] GC({n}) Pause Full (System.gc()) {used}M->{used}M(96M) 20.000ms\n",
        "[{at}.000s][info][gc] GC({n}) Pause Young (Concurrent Start) (System.gc()) {used}M->{used}M(96M) 20.000ms\n",
        "{at}.000: [Full GC (System.gc()) [PSYoungGen: 10K->0K(9216K)] [ParOldGen: {used}000K->{used}000K(89088K)]"
        " {used}000K->{used}000K(98304K), [Metaspace: 9K->9K(1056K)], 0.0200000 secs]\n",
        "{at}.000: [Full GC (System) {used}000K->{used}000K(98304K), 0.0200000 secs]\n",
    ],
)
def test_collections_that_code_asks_for_are_counted_and_are_no_run_without_room(line: str) -> None:
    asked = collections("".join(line.format(at=at, n=at, used=8) for at in range(1, 13)))
    assert (asked.asked, asked.asked_pause_ms) == (12, 240.0)
    assert asked.futile_run is None or asked.futile_run.asked == asked.futile_run.full == 12
    crowded = collections("".join(line.format(at=at, n=at, used=80) for at in range(1, 13)))
    assert crowded.futile_run is None or (crowded.futile_run.asked, crowded.futile_run.full) == (0, 12)


ONE_JVM = [("20:43:10", 1), ("20:43:20", 11), ("20:43:30", 21), ("20:43:40", 31)]


@pytest.mark.parametrize(
    ("lines", "jumped"),
    [
        ([*ONE_JVM, ("21:03:50", 41), ("21:04:00", 51)], (1200.0, "2026-11-28T21:03:50+00:00")),
        ([("10:00:02", 2), ("15:00:02", 3), ("20:00:02", 4)], None),
        ([*ONE_JVM, ("20:43:42", 5000), ("20:43:50", 41), ("20:43:52", 5010)], None),
    ],
    ids=["put", "started again", "two at once"],
)
def test_a_clock_that_was_put_differs_from_the_time_of_the_jvm(
    lines: list[tuple[str, int]], jumped: tuple[float, str] | None
) -> None:
    pause = "Pause Young (Normal) (G1 Evacuation Pause) 12M->4M(128M) 1.5ms"
    row = collections(
        "".join(f"[2026-11-28T{clock}.000+0000][{up}.000s][info][gc] GC({up}) {pause}\n" for clock, up in lines)
    )
    assert (row.jumped_s, row.jumped_at) == (jumped or (None, None))


def test_threads_that_waited_for_memory_are_no_all_clear(tmp_path: Path) -> None:
    """Lines of stalls alone, as somebody cut them out of a log of ZGC."""
    log = tmp_path / "gc.log"
    log.write_text(
        "".join(
            f"[2026-11-28T10:00:0{second}.123+0800][info][gc] Allocation Stall (worker-{second}) 2310.123ms\n"
            for second in (1, 4, 7)
        )
    )
    report = json.loads(here("logs", "--format", "json", log).out)
    assert (report["answer"]["state"], report["findings"][0]["cause"]) == ("undecided", "threads-waited")


@one_in_each_run(4)
@pytest.mark.parametrize("log", sorted(LOGS.glob("*/*/gc.log.gz")), ids=lambda log: log.parents[1].name)
def test_what_the_jvm_says_of_its_collector_is_of_no_application(log: Path) -> None:
    given = read(gzip.decompress(log.read_bytes()), "gc.log")
    assert given.shape.kind == "gc"
    assert given.doubted == 0


def test_tags_tell_the_jvms_lines_where_no_level_does() -> None:
    """RocketMQ's runserver.sh and runbroker.sh ask for `-Xlog:gc*:file=...:time,tags`."""
    log = gzip.decompress((LOGS / "client-gc-thrashing-4.9.7/g1-58m/gc.log.gz").read_bytes()).decode()
    given = read(re.sub(r"\[\d+\.\d+s\]\[info *\]", "", log), "rmq_broker_gc_1.log")
    assert (given.shape.kind, given.doubted) == ("gc", 0)


def test_words_of_shenandoah_alone_are_a_log_of_collections() -> None:
    log = (
        "[2026-11-21T12:00:00.900+0800][0.010s][info][gc] Min heap equals to max heap, disabling ShenandoahUncommit\n"
        "[2026-11-21T12:00:00.901+0800][0.011s][info][gc,init] Mode: Snapshot-At-The-Beginning (SATB)\n"
        "[2026-11-21T12:00:00.902+0800][0.012s][info][gc     ] Heuristics ergonomically sets -XX:+X\n"
        "[2026-11-21T12:00:01.002+0800][0.112s][info][gc     ] Trigger: Learning 1 of 5. Free (44M)\n"
    )
    assert read(log, "gc.log").shape.kind == "gc"


_STARTS = (
    "Using G1\nVersion: 17.0.21.1\nCPUs: 2 total, 2 available\nMemory: 24105M\nLarge Page Support: Disabled\n"
    "NUMA Support: Disabled\nCompressed Oops: Enabled (32-bit)\nHeap Region Size: 1M\nHeap Min Capacity: 8M\n"
    "Heap Initial Capacity: 24M\nHeap Max Capacity: 24M\nPre-touch: Disabled\nParallel Workers: 2\n"
    "Concurrent Workers: 1\nConcurrent Refinement Workers: 2\nPeriodic GC: Disabled\n"
    "CDS archive(s) mapped at: [0x0-0x1-0x1), size 12\nCompressed class space mapped at: 0x0-0x1\n"
    "Narrow klass base: 0x0\n"
)
_ENDS = (
    "Heap\n garbage-first heap   total 24576K, used 13836K [0x0, 0x1)\n  region size 1024K, 2 young (2048K)\n"
    " Metaspace       used 9316K, committed 9536K\n  class space    used 1130K, committed 1216K\n"
)


def _whole_log(head: str) -> str:
    """A log of one JVM whose heap is full, with some decorations before each line."""
    lines = [*_STARTS.splitlines()]
    lines += [f"GC({n}) Pause Full (G1 Compaction Pause) 24M->23M(24M) 900.000ms" for n in range(50)]
    lines += [*_ENDS.splitlines()]
    return "".join(f"{head.format(n=n % 60)} {line}\n" for n, line in enumerate(lines))


@pytest.mark.parametrize(
    "head",
    ["[2026-11-29T10:00:{n:02d}.000+0000]", "[2026-11-29T10:00:{n:02d}.000+0000][info]", "[{n}.000s][info]"],
)
def test_a_whole_log_without_tags_is_the_jvms_own(head: str, tmp_path: Path) -> None:
    """Its lines at the start and at the end are as many as the records by which a log is an application's."""
    path = tmp_path / "gc.log"
    path.write_text(_whole_log(head))
    (found,) = (one for one in diagnose_logs([path]).report.findings if one.rule == "gc-thrashing")
    assert (found.confidence.value, found.may_be_quoted) == ("high", False)


def test_collections_in_the_log_of_an_application_are_not_sure(tmp_path: Path) -> None:
    """Its records stand before them, begin otherwise, or the JVM has not begun the log."""
    path = tmp_path / "app.log"
    head = "[2026-11-29T10:00:{n:02d}.000+0000]"
    record = "[2026-11-29T10:00:00.000+0000] order {n} received\n"
    pasted = _whole_log(head)
    for text in (
        "".join(record.format(n=n) for n in range(30)) + pasted,
        pasted
        + "".join(f"2026-11-29 10:00:00.000 INFO c.shop.Orders - order {n} received\n" for n in range(30)),
    ):
        path.write_text(text)
        for one in diagnose_logs([path]).report.findings:
            assert one.confidence.value != "high"
            assert one.may_be_quoted
