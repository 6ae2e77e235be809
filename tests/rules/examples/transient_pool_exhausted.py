from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.broker import TransientStorePoolFacts
from tests.rules.examples.broker import example


def _pool(available: int) -> TransientStorePoolFacts:
    return TransientStorePoolFacts(
        enabled=True, pool_size=5, available_buffers=available, in_force=True, buffers_in_use=5 - available
    )


def fires() -> Facts:
    """All five buffers are in use."""
    return example(transient_store_pool=_pool(0))


def silent() -> Facts:
    """One is free."""
    return example(transient_store_pool=_pool(1))
