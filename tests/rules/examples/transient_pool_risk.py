from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.broker import CommitLogFacts, TransientStorePoolFacts
from tests.rules.examples.broker import example


def _facts(uncommitted: int) -> Facts:
    return example(
        transient_store_pool=TransientStorePoolFacts(
            enabled=True, pool_size=5, available_buffers=3, in_force=True, buffers_in_use=2
        ),
        commit_log=CommitLogFacts(files=1, uncommitted_bytes=uncommitted, unflushed_bytes=0),
    )


def fires() -> Facts:
    """Three MiB are not committed."""
    return _facts(3 << 20)


def silent() -> Facts:
    """All is in the page cache."""
    return _facts(0)
