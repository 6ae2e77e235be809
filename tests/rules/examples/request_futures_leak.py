from __future__ import annotations

import msgspec

from mqdiag.facts import Facts
from mqdiag.facts.producers import RequestFutures, SendingFacts
from tests.rules.examples.consumer import example


def _facts(overdue: int, longest_ms: int) -> Facts:
    facts = example()
    assert facts.heap is not None
    futures = RequestFutures(
        pending=overdue + 20,
        overdue=overdue,
        oldest_ms=longest_ms + 3000,
        longest_overdue_ms=longest_ms,
        retained_bytes=2048 * overdue,
    )
    sending = SendingFacts(request_futures=futures)
    return msgspec.structs.replace(facts, heap=msgspec.structs.replace(facts.heap, sending=sending))


def fires() -> Facts:
    """Five thousand requests are overdue, one of them by ten minutes."""
    return _facts(5000, 600_000)


def silent() -> Facts:
    """As many are overdue by less than a second: the next scan removes them."""
    return _facts(5000, 800)
