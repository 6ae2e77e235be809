"""The broker cannot measure the disk of its store."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.registry import LITERALS, Draft, Limits, Rule, Said
from mqdiag.rules.shared.brokers import brokers_of_logs, subject_of_logs
from mqdiag.rules.shared.log_events import counted, events, files_of, lines_of, when
from mqdiag.text import say
from mqdiag.time_ranges import ranges_of

RULE = Rule(
    name="store-path-missing",
    title="The broker cannot measure the disk of its store",
    why=(
        "Every ten seconds the broker measures how full the disk of its store is. For a path that does not exist, or"
        " whose volume is not mounted, the result is -1, and the broker logs it like a full disk: 'disk maybe full"
        " soon, so reclaim space, -1.0'. The disk need not be full at all."
    ),
    causes=("store-path-missing",),
    severities=(Severity.WARNING,),
    remedy=(
        "Check that storePathCommitLog and storePathConsumeQueue exist, are mounted, and belong to the broker's user.",
        "Compare them with broker.conf: a path that is set for the root only (storePathRootDir) leaves the others at"
        " the default.",
    ),
    references=(
        "https://github.com/apache/rocketmq-externals/issues/282",
        "UtilAll.getDiskPartitionSpaceUsedPercent",
    ),
    lies_at="broker",
    proven_on=LITERALS,
)


def _facts(kind: str) -> Facts:
    event = LogEvent(
        kind=kind,
        side="broker",
        count=6,
        first="2026-11-21T20:00:01+08:00",
        last="2026-11-21T20:01:01+08:00",
    )
    return Facts(logs=LogsFacts(events=(event,)))


def fires() -> Facts:
    """Six measurements gave -1."""
    return _facts("disk-not-measured")


def silent() -> Facts:
    """The disk was measured."""
    return _facts("disk-reclaimed")


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each broker."""
    for logs in brokers_of_logs(facts):
        found = events(logs, "disk-not-measured")
        if found:
            yield _draft(logs, found)


def _draft(logs: LogsFacts, found: list[LogEvent]) -> Draft:
    return Draft(
        severity=Severity.WARNING,
        cause="store-path-missing",
        confidence=Confidence.HIGH,
        title=say("The broker could not measure the disk of its store {lines:count} {lines:time|times}"),
        subject=subject_of_logs(logs, found),
        evidence={"lines": lines_of(found), "measured": -1, **counted(found)},
        explanation=(
            *(
                say(
                    "{lines:count} {lines:line|lines} 'so reclaim space, -1.0' {when}.",
                    lines=event.count,
                    when=when(event),
                )
                for event in found
            ),
            say("{measured} is what the broker gets for a path that does not exist; it is no share of a disk."),
        ),
        remedy=RULE.remedy,
        rests_on=files_of(found),
        when=ranges_of(found),
        weight=0.5,
    )
