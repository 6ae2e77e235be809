"""The disk of a broker is full, or so full that the broker deletes messages that are not expired."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.admin import AdminFacts, BrokerStatus
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.findings import Confidence, Margin, Severity
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.broker_status import counters
from mqdiag.rules.shared.brokers import brokers_of_logs, subject_of_logs
from mqdiag.rules.shared.log_events import counted, events, lines_of, when
from mqdiag.text import NOTHING, Text, say, sentences
from mqdiag.time_ranges import ranges_of

MARKED, NOT_FREED, RECLAIMED = "disk-marked-full", "disk-not-freed", "disk-reclaimed"
NOT_MEASURED = "disk-not-measured"
REFUSED = "service-not-available"

RULE = Rule(
    name="disk-full",
    title="A broker's disk is full",
    why=(
        "Above diskMaxUsedSpaceRatio (75 %) a broker deletes expired files at any hour. Above 85 % it deletes the"
        " oldest files, expired and consumed or not. Above 90 % it marks its disk full and refuses all messages:"
        " senders get code 14, service not available now."
    ),
    causes=("disk-full", "disk-nearly-full"),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=(
        "Remove other data from the broker's disk, or enlarge the disk. Below 90 % the broker writes again by itself,"
        " within ten seconds.",
        "Keep messages for less time (fileReservedTime, hours), or spread topics over more brokers.",
        "Do not delete files of commitlog by hand: consumers then pull through entries without a message.",
    ),
    references=(
        "DefaultMessageStore.CleanCommitLogService: diskMaxUsedSpaceRatio, diskSpaceCleanForciblyRatio,"
        " diskSpaceWarningLevelRatio",
        "SendMessageProcessor: SERVICE_NOT_AVAILABLE with diskUtil",
    ),
    limits={"full_percent": 90, "forced_percent": 85},
    lies_at="broker",
    in_chain=say("the broker's disk is full"),
)


_IN_USE = say("Up to {largest_percent} % of the disk was in use.")
_BEFORE_IT_IS_FULL = say(
    "Remove other data from the broker's disk, or enlarge the disk: by default the broker deletes the oldest files"
    " above 85 %, expired or not, and refuses all messages above 90 %."
)


def _facts(ratio: float) -> Facts:
    status = BrokerStatus(source="status.txt", version="V4_3_2", disk_ratio=ratio)
    return Facts(admin=AdminFacts(broker_statuses=(status,)))


def fires() -> Facts:
    """The disk of the commit log is 93 % full."""
    return _facts(0.93)


def silent() -> Facts:
    """It is 76 % full: the broker deletes expired files at any hour, and nothing is lost."""
    return _facts(0.76)


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each broker that marks its disk full, or tells senders so."""
    for logs in brokers_of_logs(facts):
        yield from _by_logs(logs, limits)


def _by_logs(logs: LogsFacts, limits: Limits) -> Iterator[Draft]:
    # a path that cannot be measured counts as full, and nothing is found to delete for it
    not_freed = [] if events(logs, NOT_MEASURED) else events(logs, NOT_FREED)
    marked = events(logs, MARKED)
    # slaves and stores that shut down give the same answer; it has the shares of the disks then too
    refused = [event for event in events(logs, REFUSED) if _percent(event) >= limits["full_percent"]]
    forced = [event for event in events(logs, RECLAIMED) if _percent(event) > limits["forced_percent"]]
    found = [*marked, *refused, *not_freed, *forced]
    if not found:
        return
    largest = max(map(_percent, [*found, *events(logs, RECLAIMED)]))
    full = bool(marked or refused)
    sure = bool(marked) or not full
    yield Draft(
        severity=Severity.ERROR if full else Severity.WARNING,
        cause="disk-full" if full else "disk-nearly-full",
        confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
        confidence_reason=NOTHING if sure else say("only senders say so: store.log would show when it began"),
        title=say("The broker's disk is full") if full else say("The broker's disk is nearly full"),
        subject=subject_of_logs(logs, refused),
        evidence={
            "largest_percent": largest or None,
            "marked_full": lines_of(marked),
            "refused": lines_of(refused),
            "not_freed": lines_of(not_freed),
            "largest_percent_by_event": tuple(map(_percent, found)),
            **counted(found),
        },
        explanation=(
            *map(_explained, found),
            *((_IN_USE,) if largest and not any(map(_percent, found)) else ()),
        ),
        remedy=_remedy(full=full),
        when=ranges_of(found),
        weight=1.0,
    )


def _explained(event: LogEvent) -> Text:
    lines, at = event.count, when(event)
    said = {
        MARKED: say(
            "The broker marked its disk full, {lines:count} {lines:line|lines} {at}.", lines=lines, at=at
        ),
        REFUSED: say(
            "The broker told senders that the service is not available, {lines:count} {lines:line|lines} {at}.",
            lines=lines,
            at=at,
        ),
        NOT_FREED: say(
            "The disk is above diskMaxUsedSpaceRatio (75 % by default) and the broker found nothing to delete,"
            " {lines:count} {lines:line|lines} {at}.",
            lines=lines,
            at=at,
        ),
        RECLAIMED: say(
            "The disk was so full that the broker deletes the oldest files, expired or not, {lines:count}"
            " {lines:line|lines} {at}.",
            lines=lines,
            at=at,
        ),
    }[event.kind]
    largest = _percent(event)
    if not largest:
        return said
    return sentences(said, _IN_USE.filled({"largest_percent": largest}))


def _remedy(*, full: bool) -> tuple[Text, ...]:
    return RULE.remedy if full else (_BEFORE_IT_IS_FULL, *RULE.remedy[1:])


def _percent(event: LogEvent) -> int:
    return event.values.get("largest_percent", 0)


@RULE.sees("admin")
def in_admin(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each broker of brokerStatus with a disk that is too full (commitLogDiskRatio)."""
    for broker in counters(facts):
        ratio = broker.status.disk_ratio
        if ratio is None:
            continue
        if ratio * 100 <= limits["forced_percent"]:
            label = say("disk of {broker}", broker=broker.called)
            yield Margin(
                rule="", label=label, value=ratio, limit=limits["forced_percent"] / 100, kind="percent"
            )
            continue
        full = ratio * 100 > limits["full_percent"]
        yield Draft(
            severity=Severity.ERROR if full else Severity.WARNING,
            cause="disk-full" if full else "disk-nearly-full",
            confidence=Confidence.HIGH,
            title=say("The disk of {called} is {disk_ratio:percent} full", called=broker.called),
            subject=broker.subject,
            evidence={"disk_ratio": round(ratio, 4)},
            explanation=(
                say("brokerStatus: commitLogDiskRatio is {disk_ratio:decimal}."),
                say(
                    "Above 0.85 the broker deletes the oldest files and above 0.90 it refuses all messages, unless"
                    " diskSpaceCleanForciblyRatio and diskSpaceWarningLevelRatio are set."
                ),
            ),
            remedy=_remedy(full=full),
            when=broker.when,
            weight=ratio,
        )
