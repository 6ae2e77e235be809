"""A run that is told to end: Spark is stopped, what is done stays, and the caller hears of an interruption."""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from mqdiag.progress import Progress
from mqdiag.text import say


@contextmanager
def stoppable(progress: Progress) -> Iterator[None]:
    """Turn SIGTERM and SIGINT into KeyboardInterrupt, whatever the gateway to the JVM makes of one on its way."""
    stopped = False

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal stopped
        stopped = True
        # The gateway logs an interrupted call as an error, with its traceback.
        logging.disable(logging.CRITICAL)
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with told_to_end(stop):
        try:
            yield
        except (Exception, KeyboardInterrupt) as error:
            # PySpark puts a handler of its own over that for SIGINT, which raises the same.
            if not stopped and not isinstance(error, KeyboardInterrupt):
                raise
            progress.note(say("stopped; what is done is kept, run the same again to go on"))
            raise KeyboardInterrupt from error
        finally:
            logging.disable(logging.NOTSET)


@contextmanager
def told_to_end(hear: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Call a function when SIGTERM or SIGINT comes, for as long as the block lasts."""
    before = {number: signal.signal(number, hear) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
