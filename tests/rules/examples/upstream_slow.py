from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.services import ServicesFacts, Upstream


def _facts(gave_up: int) -> Facts:
    upstream = Upstream(
        gateway="nginx",
        source="access.log",
        service="10.0.0.2:8080",
        host="pricing",
        path="/price/*",
        requests=100,
        statuses={"200": 100 - gave_up, "499": gave_up},
        longest_ms=1003.0,
        median_ms=1001.0,
        most_ms=1002.0,
        first="2026-11-28T01:00:00+00:00",
        last="2026-11-28T01:05:00+00:00",
    )
    return Facts(services=ServicesFacts(upstreams=(upstream,)))


def fires() -> Facts:
    """70 of 100 clients gave up."""
    return _facts(70)


def silent() -> Facts:
    """Nine of 100 did."""
    return _facts(9)
