from __future__ import annotations

from mqdiag.facts import AdminFacts, Facts
from mqdiag.facts.admin import BrokerListed


def _facts(second: str) -> Facts:
    rows = tuple(
        BrokerListed(
            source=f"clusterList-{number}.txt", cluster="shop", broker=name, broker_id=0, address=address
        )
        for number, (name, address) in enumerate((("broker-a", "10.0.0.1:10911"), (second, "10.0.0.2:10911")))
    )
    return Facts(admin=AdminFacts(brokers=rows))


def fires() -> Facts:
    """One name and id at two addresses."""
    return _facts("broker-a")


def silent() -> Facts:
    """Two brokers."""
    return _facts("broker-b")
