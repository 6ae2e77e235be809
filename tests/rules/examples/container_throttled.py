from __future__ import annotations

from mqdiag.facts import Facts, RecordingsFacts
from mqdiag.facts.recordings import RecordedContainer, Recording


def _facts(throttled: int) -> Facts:
    container = RecordedContainer(
        type="cgroupv1", processors=0.2, periods=144, throttled_periods=throttled, throttled_ms=5_770.0
    )
    recording = Recording(
        path="recording.jfr",
        began_at="2026-11-28T01:00:00.000+00:00",
        ended_at="2026-11-28T01:00:22.000+00:00",
        seconds=22.0,
        chunks=1,
        events=5_000,
        container=container,
    )
    return Facts(recordings=RecordingsFacts(recordings=(recording,)))


def fires() -> Facts:
    """93 of 144 periods with a limit of 0.2 processors."""
    return _facts(93)


def silent() -> Facts:
    """20 of 144."""
    return _facts(20)
