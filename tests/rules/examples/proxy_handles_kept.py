from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.servers import HandleOwner
from tests.rules.examples.proxy import example


def _facts(oldest_ms: int) -> Facts:
    owner = HandleOwner(
        group="CID_orders",
        client_id="shop-7@4711@0@9k2m1x",
        topic="orders",
        handles=200,
        oldest_ms=oldest_ms,
        renewals=3,
    )
    return example(handles=200, handles_retained_bytes=600_000, handle_owners=(owner,))


def fires() -> Facts:
    """200 messages; the oldest was received ten minutes ago."""
    return _facts(600_000)


def silent() -> Facts:
    """As many, and the oldest was received a minute ago: the consumer works on its cache."""
    return _facts(60_000)
