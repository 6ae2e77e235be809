"""A recording of 20 seconds, with what an example needs."""

from __future__ import annotations

from typing import Any

from mqdiag.facts.recordings import Recording


def recording(**facts: Any) -> Recording:
    """A recording with these facts."""
    usual: dict[str, Any] = {
        "path": "recording.jfr",
        "began_at": "2026-11-21T12:00:00.000+00:00",
        "ended_at": "2026-11-21T12:00:20.000+00:00",
        "seconds": 20.0,
        "chunks": 1,
        "events": 4_000,
    }
    return Recording(**{**usual, **facts})
