from __future__ import annotations

from mqdiag.facts import Facts, RecordingsFacts
from mqdiag.facts.recordings import RecordedError
from tests.rules.examples.recorded import recording


def _facts(thrown: int) -> Facts:
    error = RecordedError(
        class_name="java.lang.NumberFormatException",
        count=thrown,
        frame="com.acme.shop.Prices.parse(line 31)",
        thread="ConsumeMessageThread_orders_7",
        groups=("orders",),
        in_listeners=thrown,
    )
    found = recording(thrown=thrown, thrown_per_second=thrown / 20, errors=(error,), exceptions_recorded=True)
    return Facts(recordings=RecordingsFacts(recordings=(found,)))


def fires() -> Facts:
    """2,000 exceptions a second in a listener that parses numbers."""
    return _facts(40_000)


def silent() -> Facts:
    """99 a second."""
    return _facts(1_980)
