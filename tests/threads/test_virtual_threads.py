"""Virtual threads in thread dumps: carriers that are all pinned, and dumps that leave virtual threads out."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from mqdiag.diagnose.stacks import diagnose_stacks
from mqdiag.facts.thread_pools import PinnedCarriers
from mqdiag.findings import Finding
from mqdiag.language import english
from tests.threads.real_series import CASES, diagnosis_of

STACKS = Path(__file__).parents[2] / "fixtures" / "stacks"
HEAD = "{pid}\n2026-03-01T10:00:{second:02}.000000Z\n21.0.8+9-LTS\n\n"
PINNED = """#{number} "" virtual
      java.base/jdk.internal.misc.Unsafe.park(Native Method)
      java.base/java.lang.VirtualThread.parkOnCarrierThread(Unknown Source)
      java.base/java.lang.VirtualThread.parkNanos(Unknown Source)
      java.base/java.lang.VirtualThread.sleepNanos(Unknown Source)
      java.base/java.lang.Thread.sleep(Unknown Source)
      com.acme.Stock.reserve(Stock.java:7)
      java.base/java.util.concurrent.FutureTask.run(Unknown Source)
      java.base/java.lang.VirtualThread.run(Unknown Source)

"""
NOT_BEGUN = '#{number} "" virtual\n\n'
CARRIER = """#{number} "ForkJoinPool-1-worker-{number}"
      java.base/jdk.internal.vm.Continuation.run(Unknown Source)
      java.base/java.lang.VirtualThread.runContinuation(Unknown Source)
      java.base/java.util.concurrent.ForkJoinTask$RunnableExecuteAction.exec(Unknown Source)
      java.base/java.util.concurrent.ForkJoinWorkerThread.run(Unknown Source)

"""


def pinned_in(folder: Path, *samples: str) -> tuple[PinnedCarriers | None, list[Finding]]:
    """Samples as `jcmd Thread.dump_to_file` of JDK 21 writes them; frames are those of a real dump."""
    for place, sample in enumerate(samples):
        (folder / f"{place}.txt").write_text(HEAD.format(pid=77, second=5 * place) + sample)
    report = diagnose_stacks(sorted(folder.iterdir())).report
    assert report.stacks is not None
    return report.stacks.pinned_carriers, [one for one in report.findings if one.rule == "carriers-pinned"]


def sample(*, pinned: tuple[int, ...], carriers: int = 2, waiting: int = 3) -> str:
    return (
        "".join(PINNED.format(number=number) for number in pinned)
        + "".join(NOT_BEGUN.format(number=60 + place) for place in range(waiting))
        + "".join(CARRIER.format(number=1 + place) for place in range(carriers))
    )


def test_threads_that_hold_all_carriers_in_all_samples(tmp_path: Path) -> None:
    both = sample(pinned=(27, 28))
    pinned, (finding,) = pinned_in(tmp_path, both, sample(pinned=(27, 28), waiting=2), both)
    assert pinned == PinnedCarriers(
        carriers=2,
        threads=("virtual thread #27", "virtual thread #28"),
        frame="com.acme.Stock.reserve(Stock.java:7)",
        waiting=2,
        samples=3,
    )
    assert (finding.severity.value, finding.confidence.value) == ("error", "high")
    assert "2 virtual threads hold all carriers while they wait, and 2 others do not begin" in english()(
        finding.title
    )


def test_one_sample_does_not_show_for_how_long(tmp_path: Path) -> None:
    _, (finding,) = pinned_in(tmp_path, sample(pinned=(27, 28)))
    assert finding.severity.value == "warning"


@pytest.mark.parametrize(
    "samples",
    [
        (sample(pinned=(27,)),),
        (sample(pinned=(27, 28), waiting=0),),
        (sample(pinned=(27, 28)), sample(pinned=(27, 29))),
        (sample(pinned=(27, 28)), sample(pinned=())),
    ],
    ids=["a carrier is free", "nobody waits", "another thread is pinned later", "they went on"],
)
def test_carriers_that_come_free_are_no_finding(samples: tuple[str, ...], tmp_path: Path) -> None:
    assert pinned_in(tmp_path, *samples) == (None, [])


@pytest.mark.parametrize(("form", "asked"), [("series", True), ("dump-json", False)])
@pytest.mark.parametrize("jdk", [21, 25])
def test_jstack_of_a_jvm_with_virtual_threads_asks_for_the_form_that_has_them(
    jdk: int, form: str, asked: bool
) -> None:
    report = diagnose_stacks([STACKS / f"virtual-stuck-jdk{jdk}" / f"{form}.tar.gz"]).report
    (finding,) = [one for one in report.findings if one.rule == "stuck-wait"]
    remedy = " ".join(map(english(), finding.remedy))
    assert ("Thread.dump_to_file -format=json" in remedy) is asked


def test_a_future_of_a_jvm_without_virtual_threads_asks_for_nothing_more() -> None:
    report = diagnose_stacks([STACKS / "future-join-stuck" / "series.tar.gz"]).report
    assert not any("dump_to_file" in english()(line) for one in report.findings for line in one.remedy)


@pytest.mark.parametrize(("case", "pinned"), [("carriers-pinned-jdk21", True), ("carriers-free-jdk21", False)])
def test_carriers_of_a_real_jvm(case: str, pinned: bool) -> None:
    report = diagnosis_of(CASES / case / "dump-json.tar.gz").report
    found = next((one for one in report.findings if one.rule == "carriers-pinned"), None)
    assert (found is not None) is pinned
    if found is not None:
        assert found.severity == "error"
        assert str(found.evidence["frame"]).startswith("com.acme.shop.Pinned.reserveLocked")
        assert found.evidence["carriers"] == 2


@pytest.mark.parametrize(
    ("jvm", "frame", "waiting"),
    [("monitor-jdk21", "count", 4), ("class-jdk21", "price", 4), ("class-jdk25", "price", 7)],
)
@pytest.mark.parametrize("form", ["dump-text", "dump-json"])
def test_who_stands_where_a_pinned_thread_passed_waits_for_it(
    jvm: str, frame: str, waiting: int, form: str
) -> None:
    """At its monitor, or before its static initializer; the dumps of JDK 21 tell neither states nor locks."""
    report = diagnosis_of(STACKS.parent / "virtual-threads" / f"{jvm}-{form}.tar.gz").report
    assert report.answer is not None
    assert report.answer.state == "fault"
    (found,) = [one for one in report.findings if one.rule == "carriers-pinned"]
    assert (found.severity, found.evidence["carriers"], found.evidence["waiting"]) == ("error", 2, waiting)
    assert str(found.evidence["frame"]).startswith("Till.ask")
    assert report.stacks is not None
    assert any(thread.frame and f"Till.{frame}" in thread.frame for thread in report.stacks.threads)


@pytest.mark.parametrize("form", ["dump-text", "dump-json"])
def test_all_carriers_at_one_line_before_the_monitor_of_a_platform_thread(form: str, tmp_path: Path) -> None:
    archive = STACKS.parent / "virtual-threads" / f"platform-jdk21-{form}.tar.gz"
    (found,) = [one for one in diagnosis_of(archive).report.findings if one.rule == "carriers-pinned"]
    assert (found.severity, found.evidence["carriers"], found.evidence["waiting"]) == ("warning", 2, 48)
    assert str(found.evidence["frame"]).startswith("shop.Locks.post")
    with tarfile.open(archive) as packed:
        texts = [packed.extractfile(name).read().decode() for name in sorted(packed.getnames())]  # type: ignore[union-attr]
    # one of the two is at another line in the last sample; two samples show too little
    moved = [*texts[:2], texts[2].replace("Locks.java:211", "Locks.java:212", 1)]
    for place, samples in enumerate((moved, texts[:2])):
        folder = tmp_path / str(place)
        folder.mkdir()
        for number, text in enumerate(samples):
            (folder / f"{number}.{form[5:].replace('text', 'txt')}").write_text(text)
        report = diagnose_stacks(sorted(folder.iterdir())).report
        assert not any(one.rule == "carriers-pinned" for one in report.findings)


BEHIND = PINNED.replace(PINNED[PINNED.index("      java") : PINNED.index("      com.acme")], "")
"""before the monitor, whose holder is at work in it"""


def test_one_that_is_elsewhere_in_the_next_sample_waits_for_nobody(tmp_path: Path) -> None:
    behind = sample(pinned=(27,)) + BEHIND.format(number=28)
    elsewhere = sample(pinned=(27,)) + BEHIND.format(number=28).replace("Stock.reserve", "Stock.count")
    for name, samples in (
        ("one", (behind,)),
        ("moved", (behind, elsewhere)),
        ("another", (behind, behind.replace("#28", "#29"))),
    ):
        folder = tmp_path / name
        folder.mkdir()
        assert pinned_in(folder, *samples) == (None, [])
    folder = tmp_path / "stays"
    folder.mkdir()
    pinned, (finding,) = pinned_in(folder, behind, behind)
    assert pinned is not None
    assert pinned.threads == ("virtual thread #27", "virtual thread #28")
    assert finding.severity == "error"


def test_carriers_that_run_one_thread_for_good_without_cpu_time_hold_it(tmp_path: Path) -> None:
    """jstack of JDK 21 names who is carried, and shows no frame of it, nor who waits."""
    dumps = STACKS.parent / "virtual-threads" / "monitor-jdk21-jstack.tar.gz"
    (finding,) = [one for one in diagnosis_of(dumps).report.findings if one.rule == "carriers-pinned"]
    assert (finding.severity, finding.evidence["carriers"]) == ("info", 2)
    assert any("dump_to_file" in english()(step.command or "") for step in finding.now)
    with tarfile.open(dumps) as packed:
        texts = [packed.extractfile(name).read().decode() for name in sorted(packed.getnames())]  # type: ignore[union-attr]
    for change in (
        ("Carrying virtual thread #13", "Carrying virtual thread #77"),
        ("prio=5 os_prio=0 cpu=", "prio=5 os_prio=0 cpu=9"),
    ):
        for place, text in enumerate(texts):
            (tmp_path / f"{place}.txt").write_text(text.replace(*change) if place == 2 else text)
        report = diagnose_stacks(sorted(tmp_path.iterdir())).report
        assert not any(one.rule == "carriers-pinned" for one in report.findings), change
