from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.broker import PutLock
from tests.rules.examples.broker import example


def fires() -> Facts:
    """A time of a minute, and a free lock."""
    return example(page_cache_lock_ms=60_000)


def silent() -> Facts:
    """A minute, and a thread that writes."""
    return example(
        page_cache_lock_ms=60_000,
        put_lock=PutLock(held=True, holder="SendMessageThread_1"),
    )
