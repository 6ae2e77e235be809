"""Heap dumps of one process: what grows, and what only looks as if it did."""

from __future__ import annotations

from typing import Any

import pytest

from mqdiag.findings import Confidence
from mqdiag.language import english
from mqdiag.rules import heap_grows
from tests.rules.checks import findings
from tests.rules.examples.heap_grows import facts


def test_the_rate_comes_from_the_first_and_the_last_dump() -> None:
    (finding,) = findings(heap_grows, facts((4, 10, 16)))
    assert (finding.evidence["entries_per_second"], finding.evidence["dumps"]) == (50.0, 3)
    assert "Seen.ORDERS grows by 50 entries a second" in english()(finding.title).replace("50.0", "50")
    assert finding.when


@pytest.mark.parametrize(
    "case",
    [
        {"sizes": (4, 10, 9)},
        {"sizes": (4, 10, 16), "apart": 100},
        {"sizes": (4, 10, 16), "minutes": (0, 0, 0)},
        {"sizes": (4,)},
        {"sizes": (4, 10, 16), "cache": {"owner": "rocketmq"}},
    ],
    ids=["shrank", "other processes", "one moment", "one dump", "queues"],
)
def test_nothing_is_said_of_what_is_no_growth(case: dict[str, Any]) -> None:
    assert findings(heap_grows, facts(**case)) == ()


def test_a_cache_known_to_have_no_limit_is_sure() -> None:
    path = (
        "com.github.benmanes.caffeine.cache.UnboundedLocalCache.data -> java.util.concurrent.ConcurrentHashMap",
    )
    cache = {"path": path, "known_as": "a Caffeine cache"}
    (finding,) = findings(heap_grows, facts((4, 10, 16), cache=cache))
    assert (finding.cause, finding.confidence) == ("unbounded-cache", Confidence.HIGH)
