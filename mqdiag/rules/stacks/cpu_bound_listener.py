"""The listener computes without coming to an end."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.stacks import Standstill
from mqdiag.findings import Severity
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.rules.stacks._standstill import LIMITS, draft, example, plain, verb, who
from mqdiag.text import say

LOOP = Standstill(
    kind="cpu",
    cause="busy-loop",
    threads=("ConsumeMessageThread_CID_1",),
    role="consume-worker",
    pool="ConsumeMessageThread_CID",
    pool_size=3,
    group="CID",
    frame="com.acme.orders.Address.parse(Address.java:12)",
    samples=5,
    seconds=10.4,
    cpu_growth_ms=9900.0,
    confidence="high",
    remedy=("Bound the input of the regular expression.",),
)


def fires() -> Facts:
    """One worker that computes in the same place and allocates nothing."""
    return example(LOOP)


def silent() -> Facts:
    """A wait is no computation."""
    return example(Standstill(kind="wait", cause="missing-timeout", threads=LOOP.threads, role=LOOP.role))


@rule(
    name="cpu-bound-listener",
    title="Consume threads compute in the same place in all samples",
    why=(
        "A loop whose end condition never holds, or a regular expression that backtracks, keeps a consume thread on"
        " the CPU for ever. Heavy but honest work looks the same in plain jstacks; allocated= (jstack -e) tells them"
        " apart: a loop makes nothing."
    ),
    causes=("busy-loop",),
    severities=(Severity.WARNING,),
    remedy=(
        "Look at the code at the frame: the loop's end condition, or the regular expression.",
        "Take `jstack -e` samples or a CPU profile to be sure.",
    ),
    references=("JDK-8200720: cpu= and elapsed= in jstack", "JDK 17: jstack -e prints allocated="),
    needs=("stacks",),
    limits=LIMITS,
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each pool; undecided ones say so."""
    stacks = facts.stacks
    assert stacks is not None
    for still in stacks.standstills:
        if still.kind != "cpu":
            continue
        if still.decided:
            title = say(
                "{who} {verb} on the CPU at {frame}",
                who=who(still),
                verb=verb(still, "loops", "loop"),
                frame=plain(still.frame),
            )
        else:
            title = say(
                "{who} {verb} at {frame} in all samples: a loop, or heavy work",
                who=who(still),
                verb=verb(still, "computes", "compute"),
                frame=plain(still.frame),
            )
        yield draft(still, limits, title=title, worst=Severity.WARNING)
