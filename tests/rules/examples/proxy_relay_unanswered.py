from __future__ import annotations

from mqdiag.facts import Facts
from tests.rules.examples.proxy import example

TIMEOUT = "grpcProxyRelayRequestTimeoutInSeconds"


def fires() -> Facts:
    """96 requests; the oldest has waited for a minute."""
    return example(relayed=96, oldest_relayed_ms=60_000, config={TIMEOUT: 3600})


def silent() -> Facts:
    """As many at once, and none older than the five seconds that the proxy waits."""
    return example(relayed=96, oldest_relayed_ms=4_000, config={TIMEOUT: 5})
