"""What brokerStatus printed, as numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath

from mqdiag.facts import Facts
from mqdiag.facts.admin import BrokerStatus
from mqdiag.findings import Subject, TimeRange
from mqdiag.text import say
from mqdiag.time_ranges import between

ONE_MOMENT = say("brokerStatus shows one moment; ask again, or look at store.log and watermark.log")


@dataclass(frozen=True)
class Counters:
    """The counters of one broker."""

    status: BrokerStatus
    name: str | None
    """as clusterList names the broker of this address"""

    def number(self, name: str) -> int | None:
        """A counter; None where it is not printed, or is no number."""
        text = self.status.values.get(name, "")
        return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None

    @property
    def ranges(self) -> tuple[TimeRange, ...]:
        """When the broker answered."""
        return between(self.status.asked_at, None)

    @property
    def subject(self) -> Subject:
        """The broker, where its name is known."""
        return Subject(broker=self.name)

    @property
    def called(self) -> str:
        """How a sentence names it."""
        if self.name is not None:
            return say("broker {name}", name=self.name)
        return say("the broker") if self.status.address is None else self.status.address


def counters(facts: Facts) -> Iterator[Counters]:
    """Of each broker the last answer; nothing without mqadmin output."""
    if facts.admin is None:
        return
    names = {one.address: one.broker for one in facts.admin.brokers if one.broker is not None}
    latest: dict[str, BrokerStatus] = {}
    for status in facts.admin.broker_statuses:
        before = latest.get(_who(status))
        if before is None or (status.asked_at or "") >= (before.asked_at or ""):
            latest[_who(status)] = status
    for status in latest.values():
        yield Counters(status, _name(status, names, alone=len(latest) == 1))


def _who(status: BrokerStatus) -> str:
    """What an answer of one broker has in common with its later ones: two brokers do not start in one millisecond."""
    return status.address or status.values.get("bootTimestamp") or status.source


def _name(status: BrokerStatus, names: Mapping[str, str], *, alone: bool) -> str | None:
    """As clusterList has it: by the address, by the file's name, or because there is only one of both."""
    if status.address is not None:
        return names.get(status.address)
    known = set(names.values())
    file = PurePath(status.source).name
    in_file = {name for name in known if name in file}
    if len(in_file) == 1:
        return in_file.pop()
    return known.pop() if alone and len(known) == 1 else None
