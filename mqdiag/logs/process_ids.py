"""The process that wrote a client's own log: each line of a 5.x client names it, and so do ids that nobody set.

Source: the pattern of rmq.client.logback.xml, 5.0.0 to 5.5.0; ClientConfig.changeInstanceNameToPID, 3.2.6 to 5.5.0.
"""

from __future__ import annotations

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.log_tally import LogTally
from mqdiag.read.logs.levels import ANY

LEAST = 100
"""least number that is believed: those below it are numbers of a container, and of other processes outside of it"""
_IN_HEAD = lazy_pattern(rb"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[.,]\d{3} +" + ANY.encode() + rb" +\[(\d{1,9})\] \[")
_IN_CLIENT_ID = lazy_pattern(r"@(\d{1,9})(?:#\d{1,20})?\Z")
"""with the nanoseconds of its start since 4.9.0"""


def process_id(tally: LogTally, tail: bytes) -> int | None:
    """The process that wrote the last lines of a log; None where they do not tell one.

    Args:
        tally: of the log; what is no client's own log may hold texts of users, who would name another process.
        tail: its last bytes.
    """
    if tally.kind != "client":
        return None
    found = next(filter(None, map(_IN_HEAD.match, reversed(tail.split(b"\n")))), None)
    if found is not None:
        told = {int(found[1])}
    else:
        running = (client for client, lives in tally.clients.items() if lives and lives[-1].last is None)
        told = {int(named[1]) for named in map(_IN_CLIENT_ID.search, running) if named is not None}
    return next(iter(told)) if len(told) == 1 and min(told) >= LEAST else None
