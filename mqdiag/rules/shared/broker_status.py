"""The counters that mqadmin brokerStatus printed, as numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePath

import msgspec

from mqdiag.facts import Facts
from mqdiag.facts.admin import BrokerStatus
from mqdiag.findings import Subject, TimeRange
from mqdiag.rules.shared.brokers import called
from mqdiag.text import Text, say
from mqdiag.time_ranges import between

ONE_MOMENT = say("brokerStatus shows one moment; ask again, or read store.log and watermark.log")
"""why a finding from counters alone is not sure"""


class Counters(msgspec.Struct, frozen=True):
    """The counters of one broker."""

    status: BrokerStatus
    name: str | None
    """as clusterList names the broker of this address"""

    def number(self, name: str) -> int | None:
        """A counter; None where it is not printed, or is no number."""
        text = self.status.values.get(name, "")
        return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None

    @property
    def when(self) -> tuple[TimeRange, ...]:
        """When the broker answered."""
        return between(self.status.asked_at, None)

    @property
    def subject(self) -> Subject:
        """The broker, where its name is known."""
        return Subject(broker=self.name)

    @property
    def called(self) -> Text:
        """How a sentence names it: by its name, else by its address."""
        address = self.status.address
        if self.name is None and address is not None:
            return say("the broker at {address}", address=address)
        return called(self.name)


def counters(facts: Facts) -> Iterator[Counters]:
    """The last answer of each broker; nothing without mqadmin output."""
    if facts.admin is None:
        return
    names = {one.address: one.broker for one in facts.admin.brokers if one.broker is not None}
    latest: dict[str, BrokerStatus] = {}
    for status in facts.admin.broker_statuses:
        before = latest.get(_identity(status))
        if before is None or (status.asked_at or "") >= (before.asked_at or ""):
            latest[_identity(status)] = status
    for status in latest.values():
        yield Counters(status, _name(status, names, alone=len(latest) == 1))


def _identity(status: BrokerStatus) -> str:
    """What all answers of one broker have in common: no two brokers start in the same millisecond."""
    return status.address or status.values.get("bootTimestamp") or status.source


def _name(status: BrokerStatus, names: Mapping[str, str], *, alone: bool) -> str | None:
    """The name in clusterList: by the address, by the file's name, or because there is one broker and one name."""
    if status.address is not None:
        return names.get(status.address)
    known = set(names.values())
    file = PurePath(status.source).name
    in_file = {name for name in known if name in file}
    if len(in_file) == 1:
        return in_file.pop()
    return known.pop() if alone and len(known) == 1 else None
