"""Brokers that a name server takes away: because they are silent, because their connection ended, or in order.

Source: RouteInfoManager.scanNotActiveBroker, onChannelDestroy and unregisterBroker, 4.3.2 to 5.3.3; since 5.0 the
line of a connection's end has no address, and the line of the removal follows from another thread.
"""

from __future__ import annotations

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.log_tally import MOST_ROWS, LogTally
from mqdiag.logs.message import Message
from mqdiag.logs.tally import Subject

SOON_MS = 5000
"""between the lines of one loss: two threads write them, at once"""
IDLE_MS = 120_000
"""NettyServerConfig.serverChannelMaxIdleTimeSeconds: the name server closes a connection over which nothing came"""
_BROKER = lazy_pattern(r"QueueData \[brokerName=([^,\]]{1,255}),")
_ADDRESS = lazy_pattern(r"(?:, |brokerAddr=)([\w.:-]{3,100}:\d{1,5})\b")


def topic_registered(message: Message, log: LogTally) -> None:
    """A topic of a master; slaves register none."""
    thread, found = message.thread(), _BROKER.search(message.text)
    if (
        thread is not None
        and found is not None
        and (thread in log.registering or len(log.registering) < MOST_ROWS)
    ):
        log.registering[thread] = found[1], log.at(message)


def registered(message: Message, log: LogTally) -> None:
    """A broker's first registration; what its thread registered of topics has its name, where it is a master."""
    found = _ADDRESS.search(message.text)
    if found is None:
        return
    log.add("broker-registered", message, Subject(broker=found[1]))
    name, before = log.registering.get(message.thread() or "", (None, None))
    at = log.at(message)
    if name is not None and _soon(before, at) and len(log.masters) < MOST_ROWS:
        log.masters[name, found[1]] = at


def connection_ended(message: Message, log: LogTally) -> None:
    """The connection of a broker ended, or the name server closed it."""
    found = _ADDRESS.search(message.text)
    log.broker_left_at = log.at(message)
    if found is not None:
        _gone(log, found[1])
        _lost(message, log, found[1])


def removed(message: Message, log: LogTally) -> None:
    """The name server took a broker away; one that shuts down in order asks for it."""
    found = _ADDRESS.search(message.text)
    if found is None:
        return
    _gone(log, found[1])
    if _soon(log.broker_left_at, log.at(message)):
        _lost(message, log, found[1])
    else:
        log.add("broker-removed", message, Subject(broker=found[1]))


def _lost(message: Message, log: LogTally, address: str) -> None:
    at = log.at(message)
    if _soon(_last(log, "broker-expired"), at):
        return
    silent = _soon(_last(log, "connection-idle"), at)
    tally = log.add("broker-expired" if silent else "broker-connection-ended", message, Subject(broker=address))
    if silent and tally is not None:
        tally.keep_largest("silent_ms", IDLE_MS)


def _gone(log: LogTally, address: str) -> None:
    for master in [one for one in log.masters if one[1] == address]:
        del log.masters[master]


def _last(log: LogTally, kind: str) -> int | None:
    tally = log.events.get((kind, None))
    return None if tally is None else tally.span.last


def _soon(before: int | None, at: int | None) -> bool:
    return before is not None and at is not None and 0 <= at - before <= SOON_MS
