"""Master and slave: how far behind, or ahead, the slave is, and waits for it that ended."""

from __future__ import annotations

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.log_tally import LogTally
from mqdiag.logs.message import Message

_BEHIND = lazy_pattern(r"[Ss]lave fall behind master(?::|, how much,)? (-?\d{1,19}) ?bytes")
"""3.x writes "slave fall behind master, how much, 9 bytes" """

_OF_A_SLAVE = lazy_pattern(r"\bSyncTopicConfig Exception, ")
"""the line under which a slave logs why it did not copy its master's topics"""


def behind(message: Message, log: LogTally) -> None:
    """The master's line of each minute."""
    found = _BEHIND.search(message.text)
    if found is None:
        return
    gap = int(found[1])
    gaps = log.gaps
    if gaps.lines == 0:
        gaps.first = gaps.largest = gaps.smallest = gap
    gaps.shrank = gaps.shrank or (gaps.lines > 0 and gap < gaps.last)
    gaps.lines += 1
    gaps.largest, gaps.smallest = max(gaps.largest, gap), min(gaps.smallest, gap)
    gaps.negative += gap < 0
    gaps.last = gap
    gaps.span.see(log.at(message))
    # without a slave the same line counts all that the master ever wrote, and only grows
    log.replica_seen = log.replica_seen or gap < 0 or gaps.shrank


def replica_seen(message: Message, log: LogTally) -> None:
    """A slave has connected."""
    log.replica_seen = True


def connection_expired(message: Message, log: LogTally) -> None:
    """A slave confirmed nothing for twenty seconds, and the master closed its connection."""
    log.replica_seen = True
    log.add("slave-connection-expired", message, side="broker")


def epoch_missing(message: Message, log: LogTally) -> None:
    """A master in controller mode does not find the epoch that its slave needs, and sends nothing."""
    log.replica_seen = True
    log.add("slave-epoch-missing", message, side="broker")


def settings_refused(message: Message, log: LogTally) -> None:
    """A slave refuses an attribute of its master's topics; to mqadmin the same words are an answer."""
    if _OF_A_SLAVE.search(message.both) is not None:
        log.add("slave-settings-refused", message, side="broker", example=message.text)
    else:
        log.said_nothing += message.stands_for
