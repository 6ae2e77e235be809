"""Whether thread dumps show that a client has stopped pulling."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import StacksFacts
from mqdiag.facts.stacks import Standstill

PULL_THREAD = "PullMessageService"
"""sends the pull requests of all groups of a client"""


def nothing_is_pulled(stacks: StacksFacts) -> bool:
    """Whether the thread that pulls is gone, or no thread is free to take the answers to pulls."""
    return PULL_THREAD in stacks.missing or any(True for _ in blocked_callback_pools(stacks))


def blocked_callback_pools(stacks: StacksFacts) -> Iterator[list[Standstill]]:
    """The standstills of each callback pool in which no thread is free."""
    hung = [still for still in stacks.standstills if still.role == "client-callback" and still.decided]
    for pool in dict.fromkeys(still.pool for still in hung):
        members = [still for still in hung if still.pool == pool]
        if sum(len(still.threads) for still in members) >= members[0].pool_size:
            yield members
