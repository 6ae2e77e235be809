"""The counters that mqadmin brokerStatus or clusterList printed, as numbers."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.admin import AdminFacts, BrokerStatus
from mqdiag.facts.broker_counters import BrokerCounters, counters_of
from mqdiag.findings import Subject, TimeRange
from mqdiag.knowledge.words import Words
from mqdiag.log_events import of_broker
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


class Counters(BrokerCounters, frozen=True):
    """The counters of one broker."""

    only_broker: str | None = None
    """the one broker of all logs, where one broker answered"""

    @property
    def one_moment(self) -> Text:
        """Why a finding from counters alone is not sure."""
        return WORDS.say("one-moment", answer=self.answer)

    def counter(self, name: str) -> str:
        """How a sentence names a counter, such as "brokerStatus: commitLogDiskRatio" or "clusterList: #SPACE"."""
        return f"{self.answer}: {name if self.answer == 'brokerStatus' else COLUMNS[name]}"

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
        return called(self.name or self.only_broker)


def counters(facts: Facts) -> Iterator[Counters]:
    """The last answer of each broker, with the words for it."""
    found = [*counters_of(facts.admin)]
    only = of_broker(facts.logs).broker if facts.logs is not None and len(found) == 1 else None
    for one in found:
        yield Counters(one.status, one.name, one.answer, only)


def is_slave(admin: AdminFacts, status: BrokerStatus) -> bool:
    """Whether this broker is a slave that rests: it gives out no delayed message, its master does.

    A 5.x slave that acts for its master says brokerActive=true.
    """
    if "brokerActive" in status.values:
        return status.values["brokerActive"] == "false"
    at = status.address
    listed = [one.broker_id for one in admin.brokers if at is not None and one.address == at]
    if listed:
        return listed[-1] != 0
    of_it = [one.settings for one in admin.broker_configs if None in (one.address, at) or one.address == at]
    return {settings.get("brokerRole") for settings in of_it} == {"SLAVE"}
