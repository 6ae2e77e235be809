from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogsFacts
from mqdiag.facts.offset_logs import OffsetReset


def _facts(given: int) -> Facts:
    reset = OffsetReset(
        group="CID_wash", topic="segments", requested=500, given=given, broker_max=75, sides=("broker",)
    )
    return Facts(logs=LogsFacts(offset_resets=(reset,)))


def fires() -> Facts:
    """The consumer asks for 500 and must begin at 0; the broker's queue ends at 75."""
    return _facts(0)


def silent() -> Facts:
    """The consumer goes on at the end, as with brokers from 4.9.4 on."""
    return _facts(75)
