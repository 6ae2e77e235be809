from __future__ import annotations

from mqdiag.facts import Facts
from tests.rules.examples.broker import BROKER, example


def fires() -> Facts:
    """The limit for a busy page cache is five seconds."""
    store_config = BROKER["store_config"]
    assert isinstance(store_config, dict)
    return example(store_config={**store_config, "osPageCacheBusyTimeOutMills": 5000})


def silent() -> Facts:
    """All settings have the version's defaults."""
    return example()
