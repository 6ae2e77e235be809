"""The counters of brokers that mqadmin brokerStatus or clusterList printed, as numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePath

import msgspec

from mqdiag.facts.admin import AdminFacts, BrokerListed, BrokerStatus


class BrokerCounters(msgspec.Struct, frozen=True):
    """The counters of one broker."""

    status: BrokerStatus
    name: str | None
    """as clusterList names the broker of this address"""
    answer: str = "brokerStatus"
    """the command of mqadmin that printed them"""

    def number(self, name: str) -> int | None:
        """A counter; None where it is not printed, or is no number."""
        text = self.status.values.get(name, "")
        return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def counters_of(admin: AdminFacts | None) -> Iterator[BrokerCounters]:
    """The last answer of each broker; where brokerStatus did not ask it, its line of clusterList.

    Nothing without mqadmin output.
    """
    if admin is None:
        return
    names = {one.address: one.broker for one in admin.brokers if one.broker is not None}
    latest = [answers[-1] for answers in answers_of(admin)]
    asked: set[str | None] = set()
    for status in latest:
        name = _name(status, names, alone=len(latest) == 1)
        asked |= {status.address, name}
        yield BrokerCounters(status, name)
    for line in {one.address: one for one in admin.brokers}.values():
        if not asked & {line.address, line.broker} - {None}:
            yield BrokerCounters(_status_of(line), line.broker if line.broker_id == 0 else None, "clusterList")


def answers_of(admin: AdminFacts) -> list[list[BrokerStatus]]:
    """All answers of brokerStatus by broker, each broker's in the order of their times."""
    found: dict[str, list[BrokerStatus]] = {}
    for status in admin.broker_statuses:
        found.setdefault(_identity(status), []).append(status)
    return [sorted(answers, key=lambda one: one.asked_at or "") for answers in found.values()]


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
