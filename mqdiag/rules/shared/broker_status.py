"""The counters that mqadmin brokerStatus or clusterList printed, as numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePath

import msgspec

from mqdiag.facts import Facts
from mqdiag.facts.admin import BrokerListed, BrokerStatus
from mqdiag.findings import Subject, TimeRange
from mqdiag.knowledge.words import Words
from mqdiag.rules.shared.brokers import called
from mqdiag.text import Text
from mqdiag.time_ranges import between

WORDS = Words("broker_status")
COLUMNS = {
    "commitLogDiskRatio": "#SPACE",
    "pageCacheLockTimeMills": "#PCWait(ms)",
    "sendThreadPoolQueueHeadWaitTimeMills": "#InTPS(LOAD)",
}
"""the column of clusterList that has a counter of brokerStatus"""


class Counters(msgspec.Struct, frozen=True):
    """The counters of one broker."""

    status: BrokerStatus
    name: str | None
    """as clusterList names the broker of this address"""
    answer: str = "brokerStatus"
    """the command of mqadmin that printed them"""

    @property
    def one_moment(self) -> Text:
        """Why a finding from counters alone is not sure."""
        return WORDS.say("one-moment", answer=self.answer)

    def counter(self, name: str) -> str:
        """How a sentence names a counter, such as "brokerStatus: commitLogDiskRatio" or "clusterList: #SPACE"."""
        return f"{self.answer}: {name if self.answer == 'brokerStatus' else COLUMNS[name]}"

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
            return WORDS.say("by-address", address=address)
        return called(self.name)


def counters(facts: Facts) -> Iterator[Counters]:
    """The last answer of each broker; where brokerStatus did not ask it, its line of clusterList.

    Nothing without mqadmin output.
    """
    if facts.admin is None:
        return
    names = {one.address: one.broker for one in facts.admin.brokers if one.broker is not None}
    latest: dict[str, BrokerStatus] = {}
    for status in facts.admin.broker_statuses:
        before = latest.get(_identity(status))
        if before is None or (status.asked_at or "") >= (before.asked_at or ""):
            latest[_identity(status)] = status
    asked: set[str | None] = set()
    for status in latest.values():
        name = _name(status, names, alone=len(latest) == 1)
        asked |= {status.address, name}
        yield Counters(status, name)
    for line in {one.address: one for one in facts.admin.brokers}.values():
        if not asked & {line.address, line.broker} - {None}:
            yield Counters(_status_of(line), line.broker if line.broker_id == 0 else None, "clusterList")


def _status_of(line: BrokerListed) -> BrokerStatus:
    """The counters that clusterList has too, by their names in brokerStatus."""
    values = {
        "pageCacheLockTimeMills": line.page_cache_wait_ms,
        "sendThreadPoolQueueSize": line.send_queue,
        "sendThreadPoolQueueHeadWaitTimeMills": line.send_wait_ms,
    }
    return BrokerStatus(
        source=line.source,
        address=line.address,
        version=line.version,
        disk_ratio=line.disk_ratio,
        values={name: str(value) for name, value in values.items() if value is not None},
    )


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
