"""Tests speak English, whatever the locale of whoever runs them; those of other languages say so."""

from __future__ import annotations

import os
import signal

from hypothesis import HealthCheck, settings

os.environ["LC_ALL"] = "C.UTF-8"
# A shell that runs the tests in the background has them ignore interrupts, and so would all that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)
# A slow or busy machine is no failure.
settings.register_profile(
    "any machine", settings(), deadline=None, suppress_health_check=(HealthCheck.too_slow,)
)
settings.load_profile("any machine")


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Bytes are no names: those of an archive hold the time, and workers that collect at two times would disagree."""
    return argname if isinstance(val, bytes) else None
