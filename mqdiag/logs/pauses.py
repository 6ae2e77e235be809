"""Lines of the JVM about its pauses: garbage collections and safepoints, wherever they are written to."""

from __future__ import annotations

from mqdiag.logs.log_tally import LogTally
from mqdiag.logs.message import Message
from mqdiag.logs.pause_lines import tells_nothing


def collection(message: Message, log: LogTally) -> None:
    """A line about a garbage collection."""
    # any line may be the first with a zone
    if log.zone_minutes is not None and tells_nothing(message.hit.line):
        return
    log.gc.see(message, log.at(message))


def stopped(message: Message, log: LogTally) -> None:
    """A pause of the whole JVM by its parts."""
    log.safepoints.see(message, log.at(message))
