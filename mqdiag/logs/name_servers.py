"""Brokers that a name server takes away: because they are silent, because their connection ended, or in order.

Source: RouteInfoManager.scanNotActiveBroker, onChannelDestroy and unregisterBroker, 4.3.2 to 5.3.3; since 5.0 the
line of a connection's end has no address, and the line of the removal follows from another thread.
"""

from __future__ import annotations

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.log_tally import MOST_ROWS, BrokerTally, LogTally
from mqdiag.logs.message import Message
from mqdiag.logs.tally import Subject

SOON_MS = 5000
"""between the lines of one loss: two threads write them, at once"""
ONE_CALL_MS = 1000
"""between the lines of one registration: one thread writes them in one call"""
IDLE_MS = 120_000
"""NettyServerConfig.serverChannelMaxIdleTimeSeconds: the name server closes a connection over which nothing came"""
_BROKER = lazy_pattern(r"QueueData \[brokerName=([^,\]]{1,255}),")
_EXPIRED = lazy_pattern(
    r"channel expired, (?:\S{1,40} \[clusterName=[^,\]]{1,255}, brokerAddr=)?([\w.:-]{3,100}:\d{1,5})\]? (\d{1,12})ms"
)
_ADDRESS = lazy_pattern(r"(?:, |brokerAddr='?)([\w.:-]{3,100}:\d{1,5})\b")


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
    name, before = log.registering.pop(message.thread() or "", (None, None))
    at = log.at(message)
    if not _soon(before, at, ONE_CALL_MS):
        name = None
    known = log.known_brokers.pop(found[1], None)
    if known is not None or len(log.known_brokers) < MOST_ROWS:
        log.known_brokers[found[1]] = BrokerTally(name, at, None if known is None else known.left)


def expired(message: Message, log: LogTally) -> None:
    """No registration came for two minutes, while the connection stayed open."""
    found = _EXPIRED.search(message.text)
    if found is not None:
        _lost(message, log, found[1], silent_ms=int(found[2]))


def connection_ended(message: Message, log: LogTally) -> None:
    """The connection of a broker ended, or the name server closed it."""
    found, at = _ADDRESS.search(message.text), log.at(message)
    if found is not None:
        if not _is_lost(log, found[1], at):
            _lost(message, log, found[1], silent_ms=_idle(log, at))
    elif at is not None and len(log.brokers_left) < MOST_ROWS:
        log.brokers_left.append(at)


def removed(message: Message, log: LogTally) -> None:
    """The name server took a broker away; one that shuts down in order asks for it."""
    found, at = _ADDRESS.search(message.text), log.at(message)
    if found is None:
        return
    log.brokers_left = [left for left in log.brokers_left if _soon(left, at)]
    ended = bool(log.brokers_left)
    del log.brokers_left[:1]
    if _is_lost(log, found[1], at):
        return
    if ended:
        _lost(message, log, found[1], silent_ms=_idle(log, at))
    else:
        log.add("broker-removed", message, Subject(broker=found[1]))
        _gone(log, found[1], at)


def _lost(message: Message, log: LogTally, address: str, silent_ms: int | None) -> None:
    kind = "broker-connection-ended" if silent_ms is None else "broker-expired"
    tally = log.add(kind, message, Subject(broker=address))
    if silent_ms is not None and tally is not None:
        tally.keep_largest("silent_ms", silent_ms)
    _gone(log, address, log.at(message))


def _gone(log: LogTally, address: str, at: int | None) -> None:
    known = log.known_brokers.get(address)
    if known is None and len(log.known_brokers) < MOST_ROWS:
        known = log.known_brokers[address] = BrokerTally()
    if known is not None:
        known.is_there, known.left = False, at


def _is_lost(log: LogTally, address: str, at: int | None) -> bool:
    """Whether a line of the same loss was there before."""
    known = log.known_brokers.get(address)
    return known is not None and not known.is_there and _soon(known.left, at)


def _idle(log: LogTally, at: int | None) -> int | None:
    """How long nothing came, where the name server just closed a connection for that; None otherwise."""
    tally = log.events.get(("connection-idle", None))
    return IDLE_MS if tally is not None and _soon(tally.span.last, at) else None


def _soon(before: int | None, at: int | None, within_ms: int = SOON_MS) -> bool:
    return before is not None and at is not None and 0 <= at - before <= within_ms
