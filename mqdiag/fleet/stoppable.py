"""A run that is told to end: Spark is stopped, what is done stays, and one line says so."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from mqdiag.errors import EXIT_INTERRUPTED, MqdiagError
from mqdiag.text import say

STEP_S = 0.5
"""between two looks at whether the process is told to end"""


class StoppedError(MqdiagError):
    """The process was told to end while it was at work."""

    exit_code = EXIT_INTERRUPTED


class SparkEndedError(MqdiagError):
    """Spark ended under a run, as its JVM was killed or its cluster gave it up."""


class Ending:
    """Whether the process has been told to end."""

    def __init__(self) -> None:
        self.told = False

    def sleep(self, seconds: float) -> bool:
        """Wait; False when the process is to end."""
        until = time.monotonic() + seconds
        while not self.told and (left := until - time.monotonic()) > 0:
            time.sleep(min(STEP_S, left))
        return not self.told


@contextmanager
def stoppable(*, finishes: bool = False) -> Iterator[Ending]:
    """Hear SIGTERM and SIGINT, whatever the gateway to the JVM makes of them on their way.

    Args:
        finishes: whether the first one lets what is at work finish.

    Raises:
        StoppedError: what was at work has been stopped.
    """
    ending = Ending()
    if threading.current_thread() is not threading.main_thread():
        yield ending
        return
    is_stopped = False

    def hear(number: int, frame: FrameType | None) -> None:
        nonlocal is_stopped
        if finishes and not ending.told:
            ending.told = True
            return
        ending.told = is_stopped = True
        raise KeyboardInterrupt

    before = {number: signal.signal(number, hear) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield ending
    except (Exception, KeyboardInterrupt) as error:
        # PySpark puts a handler of its own over that for SIGINT, which raises the same. A signal to all processes ends
        # Spark's JVM too.
        is_interrupt = is_stopped or isinstance(error, KeyboardInterrupt)
        if not is_interrupt and not (ending.told and isinstance(error, SparkEndedError)):
            raise
        raise StoppedError(say("stopped; what is done is kept, run the same again to go on")) from error
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
