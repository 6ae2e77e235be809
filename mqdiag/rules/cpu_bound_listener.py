"""The listener computes and does not end."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from mqdiag.facts import Facts
from mqdiag.facts.stacks import Standstill
from mqdiag.findings import Severity
from mqdiag.rules.registry import Limits, Rule, Said
from mqdiag.rules.shared.standstill import LIMITS, draft, example, short_frame, who
from mqdiag.text import say

RULE = Rule(
    name="cpu-bound-listener",
    title="Consume threads compute in the same place in all samples",
    why=(
        "A loop whose end condition never holds, or a regular expression that backtracks, never lets a consume"
        " thread off the CPU. Heavy work that makes progress looks the same in plain jstack output; allocated="
        " (jstack -e) tells them apart, as a loop allocates nothing."
    ),
    causes=("busy-loop",),
    severities=(Severity.WARNING, Severity.INFO),
    remedy=(
        "Look at the code at the frame: the loop's end condition, or the regular expression.",
        "Take `jstack -e` samples or a CPU profile to be sure.",
    ),
    references=("JDK-8200720: cpu= and elapsed= in jstack", "JDK 17: jstack -e prints allocated="),
    limits=LIMITS,
)


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
    remedy=(say("Limit the input of the regular expression."),),
)


def fires() -> Facts:
    """One worker that computes in the same place and allocates nothing."""
    return example(LOOP)


def silent() -> Facts:
    """A wait is no computation."""
    return example(Standstill(kind="wait", cause="missing-timeout", threads=LOOP.threads, role=LOOP.role))


@RULE.sees("stacks")
def in_stacks(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each pool; where the samples do not tell a loop from work, it is a note that undecides."""
    stacks = facts.stacks
    assert stacks is not None
    for still in stacks.standstills:
        if still.kind != "cpu":
            continue
        frame = short_frame(still.frame)
        if still.decided:
            title = say("{who} {thread_count:loops|loop} on the CPU at {frame}", who=who(still), frame=frame)
            yield draft(still, limits, title=title, worst=Severity.WARNING)
            continue
        title = say(
            "{who} {thread_count:computes|compute} at {frame} in all samples: a loop, or heavy work",
            who=who(still),
            frame=frame,
        )
        yield msgspec.structs.replace(draft(still, limits, title=title, worst=Severity.INFO), undecides=True)
