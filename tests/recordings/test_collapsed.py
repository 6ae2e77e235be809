"""Collapsed stacks of a profiler, in the form of async-profiler (src/profiler.cpp, src/frameName.cpp)."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from mqdiag.cli import run
from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.facts.profiles import Profile
from mqdiag.findings import Report
from mqdiag.language import english
from mqdiag.read import collapsed
from mqdiag.read.collapsed import CollapsedStack, is_collapsed, read_collapsed
from tests.folded import folded

POOL = (
    "java/lang/Thread.run;java/util/concurrent/ThreadPoolExecutor$Worker.run"
    ";java/util/concurrent/ThreadPoolExecutor.runWorker"
)
IDLE = (
    f"{POOL};java/util/concurrent/ThreadPoolExecutor.getTask;java/util/concurrent/LinkedBlockingQueue.take"
    ";java/util/concurrent/locks/LockSupport.park;jdk/internal/misc/Unsafe.park;Unsafe_Park;futex_wait_[k]"
)
LISTENER = (
    f"{POOL};java/util/concurrent/FutureTask.run"
    ";org/apache/rocketmq/client/impl/consumer/ConsumeMessageConcurrentlyService$ConsumeRequest.run"
    ";com/shop/OrderListener.consumeMessage;com/shop/Prices.total"
)
COMPUTES = f"{LISTENER};com/shop/Rules.match_[i]"
READS = f"{LISTENER};java/net/SocketInputStream.read;java/net/SocketInputStream.socketRead0;__poll"
SELECTOR = "java/lang/Thread.run;io/netty/channel/nio/NioEventLoop.run;sun/nio/ch/EPoll.wait;epoll_wait"


def by_wall(*parts: tuple[str, int]) -> str:
    """Eight consume threads with these parts of 100 samples, and twenty threads that wait."""
    consume = [
        f"[ConsumeMessageThread_CID_shop_{number} tid={100 + number}];{stack} {count}"
        for number in range(1, 9)
        for stack, count in parts
    ]
    waiting = [f"[NettyClientSelector_{number} tid={number}];{SELECTOR} 100" for number in range(20)]
    return "\n".join([*consume, *waiting, ""])


def by_cpu(samples: int, of_others: int) -> str:
    """One consume thread that ran, and the compiler."""
    return (
        f"[ConsumeMessageThread_CID_shop_1 tid=7];{COMPUTES} {samples}\n"
        f"[C2 CompilerThread0 tid=9];C2Compiler::compile_method(ciEnv*, ciMethod*, int) {of_others}\n"
    )


def read(folder: Path, text: str, name: str = "wall.collapsed") -> tuple[Report, Profile]:
    (folder / name).write_text(text)
    report = diagnose_incident([folder / name]).report
    assert report.failed == ()
    assert report.profiles is not None
    return report, report.profiles.profiles[0]


def rules(report: Report) -> list[tuple[str, str, str]]:
    return [(one.rule, one.cause or "", one.severity) for one in report.findings]


def test_threads_that_wait_were_sampled_too(tmp_path: Path) -> None:
    report, profile = read(tmp_path, by_wall((READS, 97), (IDLE, 3)))
    assert profile.by_wall is True
    assert profile.threads == 28
    (group,) = profile.groups
    assert (group.group, group.threads, group.idle, group.waiting) == ("CID_shop", 8, 24, 776)
    assert (group.frame, group.doing, group.frame_share) == ("com.shop.Prices.total", "socket-read", 1.0)
    assert rules(report) == [("slow-listener", "slow-listener", "info")]
    assert report.answer is not None
    assert report.answer.state == "undecided"


def test_a_busy_listener_that_keeps_up_is_no_finding_and_no_proof(tmp_path: Path) -> None:
    report, profile = read(tmp_path, by_wall((READS, 40), (COMPUTES, 30), (IDLE, 30)))
    assert profile.groups[0].busy_share == pytest.approx(0.7)
    assert rules(report) == []
    assert report.answer is not None
    assert report.answer.state == "undecided"


def test_one_place_in_most_samples_is_a_loop_or_work(tmp_path: Path) -> None:
    report, _ = read(tmp_path, by_wall((COMPUTES, 98), (IDLE, 2)))
    assert ("cpu-bound-listener", "busy-loop", "info") in rules(report)
    assert "Rules.match in 98" in english()(
        next(one for one in report.findings if one.cause == "busy-loop").title
    )


def test_samples_of_running_threads_say_nothing_of_idle_ones(tmp_path: Path) -> None:
    report, profile = read(tmp_path, by_cpu(900, 50))
    assert profile.by_wall is False
    assert rules(report) == [("cpu-bound-listener", "busy-loop", "info")]
    report, _ = read(tmp_path, by_cpu(300, 700))
    assert rules(report) == []


def test_waits_with_unequal_counts_tell_neither(tmp_path: Path) -> None:
    """An idle JVM whose processor time goes into waking threads looks so."""
    lines = [f"[NettyClientSelector_{number} tid={number}];{SELECTOR} {3**number}" for number in range(1, 13)]
    _, profile = read(tmp_path, "\n".join([f"[ConsumeMessageThread_CID_shop_1 tid=7];{READS} 9", *lines, ""]))
    assert profile.by_wall is None


def test_few_samples_tell_neither(tmp_path: Path) -> None:
    text = (
        by_wall((READS, 97), (IDLE, 3))
        .replace(" 100\n", " 1\n")
        .replace(" 97\n", " 1\n")
        .replace(" 3\n", " 1\n")
    )
    report, profile = read(tmp_path, text)
    assert profile.by_wall is None
    assert rules(report) == []


def test_without_threads_methods_alone_are_shown(tmp_path: Path) -> None:
    report, profile = read(tmp_path, f"{COMPUTES} 500\n{SELECTOR} 20\n")
    assert (profile.threads, profile.by_wall, profile.groups) == (None, None, ())
    assert profile.hot_methods[0].frame == "com.shop.Rules.match"
    assert rules(report) == []
    assert report.answer is not None
    assert "does not separate threads" in english()(report.answer.reason)


@pytest.mark.parametrize("top", ["byte[]_[i]", "java.util.HashMap$Node_[i]", "java/lang/String_[k]"])
def test_objects_are_not_taken_for_time(tmp_path: Path, top: str) -> None:
    report, profile = read(tmp_path, by_wall((f"{COMPUTES};{top}", 98)).replace(SELECTOR, f"{SELECTOR};{top}"))
    assert profile.counts_objects
    assert rules(report) == []
    assert report.answer is not None
    assert "not time" in english()(report.answer.reason)


def test_signatures_and_dots_make_the_same_stack() -> None:
    plain = read_collapsed(["[a b tid=7];java/lang/Thread.run;com/x/A.of 3"])
    signed = "[a b];java.lang.Thread.run()V_[0];com.x.A.of([Ljava/lang/String;I)Ljava/lang/Object;_[j] 3"
    assert read_collapsed([signed]).stacks == plain.stacks
    assert plain.stacks == {CollapsedStack("a b", ("com.x.A.of", "java.lang.Thread.run")): 3}


@folded(
    "text",
    [
        "",
        "name;value 3\n",
        "2026-01-01 10:00:00 INFO com.a.B.run; done 12\n",
        "java/lang/Thread.run 12\n",
        "java/lang/Thread.run;com/x/A.of 3\nand a sentence\n",
        "java/lang/Thread.run;com/x/A.of -3\n",
        "java/lang/Thread.run;;com/x/A.of 3\n",
        "java/lang/Thread.run;com/x/A.of 9999999999999999\n",
    ],
)
def test_other_texts_are_not_taken_for_stacks(text: str) -> None:
    assert not is_collapsed(text)


def test_a_line_of_another_form_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    report, profile = read(tmp_path, by_wall((READS, 97)) * 20 + "Segmentation fault\n" + by_wall((READS, 97)))
    assert profile.samples == 21 * (8 * 97 + 2000)
    (given,) = report.inputs
    assert not given.complete
    assert given.problem is not None
    assert "line 561" in english()(given.problem)
    assert ("input-incomplete", "warning") in [(one.rule, one.severity) for one in report.findings]


def test_distinct_stacks_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collapsed, "MOST_STACKS", 5)
    found = read_collapsed(f"java/lang/Thread.run;com/x/A.m{number} 2" for number in range(9))
    assert (len(found.stacks), found.samples, found.left_out) == (5, 18, 8)


def test_a_long_line_costs_no_more_than_its_length() -> None:
    deep = ";".join(["com/x/A.of"] * 5000) + " 1"
    (stack,) = read_collapsed([deep, "(" * 200_000 + " 1", "a." * 200_000 + " 1"]).stacks.keys() - {
        CollapsedStack(None, ())
    }
    assert len(stack.frames) == collapsed.MOST_FRAMES


def test_packed_and_redacted(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "wall.collapsed.gz"
    file.write_bytes(gzip.compress(by_wall((READS, 97), (IDLE, 3)).replace("Selector_1 ", "hush ").encode()))
    assert run(["diagnose", str(file), "--format", "json", "--redact"]) == 0
    report = json.loads(capfd.readouterr().out)
    assert [one["kind"] for one in report["inputs"]] == ["profile"]
    assert report["profiles"]["profiles"][0]["groups"][0]["group"] == "CID_shop"


@pytest.mark.parametrize(
    ("case", "by_wall"), [("profiled-slow-call-jdk17", True), ("profiled-busy-jdk17", False)]
)
def test_files_of_async_profiler_against_their_truth(case: str, by_wall: bool) -> None:
    """Of real consumers; the busy one keeps up."""
    folder = Path(__file__).parents[2] / "fixtures" / "profiles" / case
    truth = json.loads((folder / "truth.json").read_text())
    report = diagnose_incident([folder / "profile.collapsed.xz"]).report
    assert report.profiles is not None
    (profile,) = report.profiles.profiles
    assert profile.by_wall is by_wall
    (group,) = profile.groups
    assert (group.group, group.threads) == (truth["groups"][0], sum(truth["threads"].values()))
    assert {(one.rule, one.cause) for one in report.findings} == {
        (one["rule"], one["cause"]) for one in truth["expected"]["findings"]
    }
    assert report.answer is not None
    assert report.answer.state == "undecided"


def test_a_thread_that_consumes_nothing_only_has_the_name(tmp_path: Path) -> None:
    other = by_wall((f"{POOL};com/shop/Export.run;com/shop/Rules.match_[i]", 100)).replace("CID_shop", "CID_x")
    report, profile = read(tmp_path, other + by_wall((IDLE, 100)))
    assert [group.group for group in profile.groups] == ["CID_shop"]
    assert report.findings == ()
