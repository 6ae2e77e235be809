"""What brokerStatus printed, as numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mqdiag.facts import Facts
from mqdiag.facts.admin import BrokerStatus
from mqdiag.findings import Subject
from mqdiag.language import later, say

ONE_MOMENT = later("brokerStatus shows one moment; ask again, or look at store.log and watermark.log")


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
    names = {one.address: one.broker for one in facts.admin.brokers}
    alone = set(names.values())
    latest = {status.address: status for status in facts.admin.broker_statuses}
    for address, status in latest.items():
        name = names.get(address) if address is not None else None
        if address is None and len(alone) == 1 and len(latest) == 1:
            name = next(iter(alone))
        yield Counters(status, name)
