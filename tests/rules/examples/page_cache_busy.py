from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.broker import PutLock
from tests.rules.examples.broker import example

_WRITER = PutLock(
    held=True,
    holder="SendMessageThread_1",
    holder_frames=("org.apache.rocketmq.store.MappedFile.appendMessagesInner(MappedFile.java:208)",),
    writers=("SendMessageThread_1",),
)


def fires() -> Facts:
    """One write has taken three seconds so far."""
    return example(page_cache_lock_ms=3000, put_lock=_WRITER)


def silent() -> Facts:
    """It has taken a tenth of a second."""
    return example(page_cache_lock_ms=100, put_lock=_WRITER)
