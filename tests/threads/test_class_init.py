"""Threads that wait for the static initializer of a class; frames of a real series."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.language import english
from tests.threads.made import CONSUME, READ, At, report

NOTE = "- waiting on the Class initialization monitor for com.acme.Rates"
WAITS = ("com.acme.Pricing.price(Pricing.java:85)", NOTE, *CONSUME)
RUNS = (
    *READ,
    "sun.net.www.http.HttpClient.parseHTTPHeader(HttpClient.java:826)",
    "com.acme.Rates.fetch(Rates.java:15)",
    "com.acme.Rates.<clinit>(Rates.java:84)",
    "com.acme.Pricing.price(Pricing.java:85)",
    *CONSUME,
)


@pytest.mark.parametrize("with_note", [True, False])
def test_who_runs_the_initializer_is_the_holder(tmp_path: Path, with_note: bool) -> None:
    """JDK 17 names the class; before, a wait in Object.wait() that is RUNNABLE is all there is."""
    frames = WAITS if with_note else tuple(line for line in WAITS if line != NOTE)
    sample = [At("ConsumeMessageThread_CID_1", 27, RUNS)]
    sample += [At(f"ConsumeMessageThread_CID_{n}", 26 + n, frames) for n in range(2, 6)]
    found = report(tmp_path, [sample] * 5)
    assert found.stacks is not None
    workers = [thread for thread in found.stacks.threads if thread.role == "consume-worker"]
    assert sorted({(thread.state, thread.held_by) for thread in workers}, key=str) == [
        ("blocked", "ConsumeMessageThread_CID_1"),
        ("stuck", None),
    ]
    assert (found.findings[0].rule, found.findings[0].cause) == (
        "stuck-socket-read",
        "missing-http-timeout",
    )
    if with_note:
        (convoy,) = [each for each in found.findings if each.rule == "lock-convoy"]
        assert convoy.evidence["lock_class"] == "com.acme.Rates"
        assert convoy.evidence["holder"] == "ConsumeMessageThread_CID_1"
        assert any("static initializer" in english()(line) for line in convoy.remedy)
        assert convoy.caused_by == (found.findings[0].fingerprint,)


def test_another_class_is_no_holder(tmp_path: Path) -> None:
    other = tuple(line.replace("com.acme.Rates.<clinit>", "com.acme.Tax.<clinit>") for line in RUNS)
    sample = [At("ConsumeMessageThread_CID_1", 27, other), At("ConsumeMessageThread_CID_2", 28, WAITS)]
    found = report(tmp_path, [sample] * 5)
    assert found.stacks is not None
    assert {thread.held_by for thread in found.stacks.threads} == {None}


JOINS = (
    "java.lang.Object.wait(Native Method)",
    "- waiting on <0x00000000fc087230> (a java.lang.Thread)",
    "java.lang.Thread.join(Thread.java:1313)",
    "com.acme.Rates.<clinit>(Rates.java:15)",
    "com.acme.Start.main(Start.java:7)",
)
ENDS = ("java.lang.Thread.run(Thread.java:840)",)


@pytest.mark.parametrize(
    ("first", "note", "found"),
    [
        ("com.acme.Rates$$Lambda$1/0x00007f97c1000c10.run(Unknown Source)", NOTE, True),
        ("com.acme.Rates$1.run(Rates.java:18)", NOTE, True),
        ("com.acme.Rates$Feed.run(Rates.java:31)", NOTE, False),
        ("com.acme.Pricing.price(Pricing.java:85)", NOTE, False),
        ("com.acme.Rates$1.run(Rates.java:18)", NOTE.replace("Rates", "Tax"), False),
    ],
    ids=["a lambda", "an anonymous class", "a class of its own", "other code", "another class"],
)
def test_an_initializer_that_waits_for_a_thread_which_it_made(
    first: str, note: str, found: bool, tmp_path: Path
) -> None:
    """As jstack of JDK 17 shows a start that hangs; what others made may end without the class."""
    sample = [At("main", 1, JOINS, "WAITING (on object monitor)"), At("warm-up", 13, (first, note, *ENDS))]
    said = [one for one in report(tmp_path, [sample] * 3).findings if one.rule == "deadlock"]
    assert bool(said) is found
    if found:
        assert (said[0].severity, said[0].confidence) == ("error", "medium")
        assert english()(said[0].title).startswith(
            "main runs the static initializer of com.acme.Rates and waits"
        )
    timed = [At("main", 1, JOINS, "TIMED_WAITING (on object monitor)"), sample[1]]
    assert not [one for one in report(tmp_path, [timed] * 3).findings if one.rule == "deadlock"]
