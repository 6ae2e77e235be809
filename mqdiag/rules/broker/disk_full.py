"""The disk of a broker is full, or so full that it deletes what is not expired."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.admin import AdminFacts, BrokerStatus
from mqdiag.findings import Severity
from mqdiag.rules.broker._disk_full_admin import in_admin
from mqdiag.rules.broker._disk_full_logs import in_logs
from mqdiag.rules.registry import Draft, Limits, Skip, rule


def _facts(ratio: float) -> Facts:
    status = BrokerStatus(source="status.txt", version="V4_3_2", disk_ratio=ratio)
    return Facts(admin=AdminFacts(broker_statuses=(status,)))


def fires() -> Facts:
    """The disk of the commit log is 93 % full."""
    return _facts(0.93)


def silent() -> Facts:
    """It is 76 % full: expired files are deleted at any hour, and nothing is lost."""
    return _facts(0.76)


@rule(
    name="disk-full",
    title="A broker's disk is full",
    why=(
        "Beyond diskMaxUsedSpaceRatio (75 %) a broker deletes expired files at any hour. Beyond 85 % it deletes the"
        " oldest ones whether they are expired or not, consumed or not. Beyond 90 % it marks its disk full and refuses"
        " all messages: senders get code 14, service not available now."
    ),
    causes=("disk-full", "disk-nearly-full"),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=(
        "Free the disk of what is not the broker's, or enlarge it; below 90 % the broker writes again by itself, within"
        " ten seconds.",
        "Keep messages for less time (fileReservedTime, hours), or spread topics over more brokers.",
        "Do not delete files of commitlog by hand: consumers then pull through entries without a message.",
    ),
    references=(
        "DefaultMessageStore.CleanCommitLogService: diskMaxUsedSpaceRatio, diskSpaceCleanForciblyRatio,"
        " diskSpaceWarningLevelRatio",
        "SendMessageProcessor: SERVICE_NOT_AVAILABLE with diskUtil",
    ),
    any_of=("logs", "admin"),
    limits={"full_percent": 90, "forced_percent": 85},
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each broker of the logs and of brokerStatus."""
    yield from in_logs(facts, limits, check.card.remedy)
    yield from in_admin(facts, limits, check.card.remedy)
