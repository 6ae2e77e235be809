"""Waiting for what a test wants to see, however busy the machine is."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE_S = 600.0
"""after which something that must come never will; also for processes that must end"""


def wait_until(happened: Callable[[], object], what: str) -> None:
    """Wait for something that must come."""
    deadline = time.monotonic() + PATIENCE_S
    while not happened():
        assert time.monotonic() < deadline, f"{what} did not come"
        time.sleep(0.01)
