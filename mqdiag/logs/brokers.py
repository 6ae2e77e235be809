"""Which broker an address is: senders name a broker by its name on one line and by its address on the next.

Source: BrokerStartup, MQClientInstance.sendHeartbeatToAllBroker, DefaultMQProducerImpl, 3.5.8 to 5.3.3.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mqdiag.facts.vocabulary import LogKind
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.log_tally import MOST_ROWS, LogTally, Registrations
from mqdiag.logs.message import Message
from mqdiag.logs.tally import Subject, SubjectCount

LOGS_OF_BROKERS: tuple[LogKind, ...] = (
    "broker",
    "store",
    "store-error",
    "watermark",
    "remoting",
    "pop",
    "dledger",
)
"""the kinds of logs that a broker writes"""
ANSWERED_BY = lazy_pattern(r"BROKER: ([\w.:\[\]-]{1,100})")
"""in the exception of a client: the address of the broker that answered (MQBrokerException)"""
MASTER_ID = 0
"""broker id of a master"""
LEAP_MS = 180_000
"""without a registration, of which one is due every 10 to 60 seconds (registerNameServerPeriod)"""
_IN_TURN_MS = 9_000, 65_000
_NAME_SERVER = lazy_pattern(r"(?:name server |TargetHost=)([\w.:\[\]-]{3,100}:\d{1,5})")
_STARTED = lazy_pattern(r"The broker\[([^,\]]{1,200}), ([\w.:\[\]-]{3,100}:\d{1,5})\] boot success")
_HEART_BEAT = lazy_pattern(r"send heart beat to broker\[(\S{1,200}) (\d{1,9}) ([\w.:\[\]-]{3,100}:\d{1,5})\]")


def introduced(message: Message, log: LogTally) -> None:
    """A line that has both names of a broker."""
    started = _STARTED.search(message.text)
    if started is not None:
        # 5.x prints only settings that differ from their defaults
        log.settings.setdefault("brokerName", started[1])
        log.started_as = (started[1], started[2])
        log.add("start-succeeded", message)
        note(log, started[1], started[2])
    beats_to = _HEART_BEAT.search(message.text)
    if beats_to is not None:
        name, number, address = beats_to.groups()
        note(log, name, address)
        if int(number) == MASTER_ID and (name in log.heartbeats_to or len(log.heartbeats_to) < MOST_ROWS):
            log.heartbeats_to.setdefault(name, {})[address] = None


def registered_itself(message: Message, log: LogTally) -> None:
    """A registration of the broker that logs it, every 30 seconds by a timer that does not look at the clock.

    A process that stood still makes up for all that it missed, at once, when it goes on. Where nothing is made up for,
    and the next one comes in its turn, no time was missed: the clock was put forward.
    """
    found, at = _NAME_SERVER.search(message.text), log.at(message)
    if (
        found is None
        or at is None
        or (found[1] not in log.registrations and len(log.registrations) >= MOST_ROWS)
    ):
        return
    seen = log.registrations.setdefault(found[1], Registrations())
    before, seen.last = seen.last, at
    if seen.gap_ms:
        if _IN_TURN_MS[0] <= at - seen.gap_end <= _IN_TURN_MS[1]:
            tally = log.add("registrations-leapt", message, side="broker")
            if tally is not None:
                tally.keep_largest("largest_leap_ms", seen.gap_ms)
        seen.gap_ms = 0
    elif before is not None and at - before >= LEAP_MS:
        seen.gap_ms, seen.gap_end = at - before, at


def note(log: LogTally, name: str, address: str) -> None:
    """Remember that an address is a broker's of that name."""
    if address in log.brokers or len(log.brokers) < MOST_ROWS:
        log.brokers.setdefault(address, {})[name] = None


def broker_names(tallies: Iterable[LogTally]) -> dict[str, str]:
    """Names by address; none for an address that several brokers have, as 127.0.0.1 on several hosts."""
    names: dict[str, dict[str, None]] = {}
    for tally in tallies:
        for address, found in tally.brokers.items():
            names.setdefault(address, {}).update(found)
    return {address: next(iter(found)) for address, found in names.items() if len(found) == 1}


def master_addresses(tallies: Iterable[LogTally]) -> dict[str, str]:
    """Addresses of masters by broker's name, as clients have them; none of a broker that had several."""
    masters: dict[str, dict[str, None]] = {}
    for tally in tallies:
        for name, found in tally.heartbeats_to.items():
            masters.setdefault(name, {}).update(found)
    return {name: next(iter(found)) for name, found in sorted(masters.items()) if len(found) == 1}


def with_names(
    subjects: Mapping[Subject, SubjectCount], names: Mapping[str, str]
) -> dict[Subject, SubjectCount]:
    """The rows with brokers by name wherever it is known, those that become alike as one."""
    rows: dict[Subject, SubjectCount] = {}
    for subject, row in subjects.items():
        known = subject._replace(broker=names.get(subject.broker or "", subject.broker))
        into = rows.setdefault(known, SubjectCount())
        into.count += row.count
        into.span.take(row.span)
    return rows
