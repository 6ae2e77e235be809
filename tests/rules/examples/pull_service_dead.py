from __future__ import annotations

from mqdiag.facts import Facts, StacksFacts
from mqdiag.rules.shared.pulling import PULL_THREAD


def fires() -> Facts:
    """A client that rebalances and has no PullMessageService."""
    return Facts(stacks=StacksFacts(samples=3, missing=(PULL_THREAD,)))


def silent() -> Facts:
    """All threads of the client are there."""
    return Facts(stacks=StacksFacts(samples=3))
