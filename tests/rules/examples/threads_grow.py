from __future__ import annotations

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.thread_kinds import GrowingKind, ThreadKind


def fires() -> Facts:
    """Threads named poller-#: 40, 50, 60 and 70 in four samples."""
    kind = GrowingKind(
        thread="poller-#",
        threads=(40, 50, 60, 70),
        seconds=7.5,
        runs="com.acme.Poll.loop(Poll.java:9)",
        made_by="com.acme.Web.ask(Web.java:7)",
    )
    return Facts(stacks=StacksFacts(samples=4, seconds=7.5, judged=True, growing_kinds=(kind,)))


def silent() -> Facts:
    """Their number stays."""
    kind = ThreadKind(thread="poller-#", threads=(34, 34, 34, 34))
    return Facts(stacks=StacksFacts(samples=4, seconds=7.5, judged=True, kinds=(kind,)))
