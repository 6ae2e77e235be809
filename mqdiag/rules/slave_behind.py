"""A slave does not keep up, or has more than its master."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mqdiag.facts import AdminFacts, Facts
from mqdiag.facts.admin import ReplicaListed, ReplicationStatus
from mqdiag.facts.broker import BrokerFacts, Replication, SlaveLink
from mqdiag.facts.logs import LogEvent, LogsFacts, ReplicaGap
from mqdiag.findings import Confidence, Finding, Margin, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said, Skip
from mqdiag.rules.shared.broker_status import Counters, counters
from mqdiag.rules.shared.brokers import brokers_of_heap, brokers_of_logs, called, subject, subject_of_logs
from mqdiag.rules.shared.busy_remedies import SLAVE_BEHIND
from mqdiag.rules.shared.example_broker import example
from mqdiag.rules.shared.excerpts import enough, surest
from mqdiag.rules.shared.log_events import (
    between,
    counted,
    counted_lines_about,
    events,
    files_of,
    lines_of,
    most_frequent_counted,
    when,
)
from mqdiag.text import NOTHING, Text, say
from mqdiag.time_ranges import between as range_between
from mqdiag.time_ranges import joined, ranges_of

DEFAULT_MAX_BYTES = 256 << 20
"""haSlaveFallbehindMax"""
LEAST_AHEAD_BYTES = 16 << 20
"""a master that answers haStatus reads its own end first, and a slave may confirm more meanwhile; mqadmin brokerStatus
asks the slave later still"""
LEAST_TIMEOUTS = 3
LONGEST_LOG_BYTES = 1 << 50
"""no commit log is as long; numbers beyond it are texts that somebody sent to the HA port"""
OVERFLOW = "offset-not-corrected-by-slave"
FOREIGN = say(
    "The master takes the first eight bytes of whatever arrives at its HA port for a slave's offset, as those of a port"
    " scan. Real slaves go on copying."
)
EPOCH_MISSING = (
    say(
        "Restart the slave, so that it agrees with the master again. If that does not help, build it from the master."
    ),
    say("Upgrade the brokers: RocketMQ 5.2.0 is known to lose an epoch when the same master is elected again."),
)
FOREIGN_BYTES = (
    say("Let nobody but slaves reach haListenPort (10912 by default): close it for scanners of the network."),
    say(
        "Restart the master when it is a SYNC_MASTER: until then it takes every message for copied and does not wait"
        " for its slave."
    ),
)
SLAVE_AHEAD = (
    say(
        "Before any restart copy the slave's store (commitlog, consumequeue, config) to a safe place: it holds messages"
        " that the master has lost."
    ),
    say(
        "Compare the consumers' offsets with the master's queues. The broker resets offsets beyond their end; brokers"
        " up to 4.9.3 reset them to 0."
    ),
)


SETTINGS_NOT_COPIED = (
    say("Check that the master runs and that the slave reaches its brokerIP1, at the port of the lines."),
    say("In a network of its own, give master and slave a brokerIP1 that both clients and slave reach."),
)


def _in_chain(finding: Finding) -> Text:
    if finding.cause == "slave-ahead":
        return say("the master has lost messages that its slave has")
    if finding.cause == "epoch-missing":
        return say("the master sends its slave nothing, because it lost an epoch")
    if finding.cause == "settings-not-copied":
        return say("the slave does not copy the master's settings")
    if finding.cause == "foreign-bytes":
        return say("something that is no slave wrote to the master's HA port")
    return say("the slave falls behind")


RULE = Rule(
    name="slave-behind",
    title="Master and slave do not hold the same messages",
    why=(
        "A slave that is far behind cannot replace its master: if the master is lost, the messages that the slave lacks"
        " are lost too. A slave that is ahead shows that the master lost messages, which consumers may have read."
    ),
    causes=("slow-slave", "slave-ahead", "foreign-bytes", "epoch-missing", "settings-not-copied"),
    severities=(Severity.WARNING,),
    remedy=(*SLAVE_BEHIND, *SLAVE_AHEAD, *FOREIGN_BYTES, *EPOCH_MISSING, *SETTINGS_NOT_COPIED),
    references=(
        "article 003: power loss of a master",
        "https://github.com/apache/rocketmq/issues/1675",
        "https://github.com/apache/rocketmq/issues/3015",
        "https://github.com/apache/rocketmq/issues/9689",
        "HAConnection.slaveAckOffset, MessageStoreConfig.haSlaveFallbehindMax",
    ),
    limits={"lines_of_overflow": 10, "entries_of_overflow": 100, "lines_of_epochs": 3, "lines_of_settings": 3},
    lies_at="broker",
    in_chain=_in_chain,
    leads_to={"offset-reset-to-zero": say("and after the restart")},
)


def _facts(behind: int) -> Facts:
    slave = SlaveLink(address="10.0.0.8:40122", acknowledged_offset=(4 << 30) - behind, behind_bytes=behind)
    return example(replication=Replication(slaves=(slave,), fall_behind_max_bytes=256 << 20))


def fires() -> Facts:
    """Half a GiB is missing."""
    return _facts(512 << 20)


def silent() -> Facts:
    """A MiB is on its way."""
    return _facts(1 << 20)


@RULE.sees("heap")
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """For each master a finding for the slave that is farthest behind, if too far, and one for a slave ahead."""
    for broker in brokers_of_heap(facts):
        if isinstance(broker, Skip):
            yield broker
        elif broker.replication is not None:
            yield from _of_master(broker, broker.replication)


def _of_master(broker: BrokerFacts, replication: Replication) -> Iterator[Said]:
    known = [(slave.behind_bytes, slave) for slave in replication.slaves if slave.behind_bytes is not None]
    if not known:
        return
    most = DEFAULT_MAX_BYTES if replication.fall_behind_max_bytes is None else replication.fall_behind_max_bytes
    behind, slave = max(known, key=lambda pair: pair[0])
    if behind > most:
        yield _behind(broker, slave, behind, most)
    elif behind >= 0:
        label = say("slave of {broker} behind its master", broker=called(broker.name))
        yield Margin(rule="", label=label, value=behind, limit=most, kind="bytes")
    behind, slave = min(known, key=lambda pair: pair[0])
    if behind < -LONGEST_LOG_BYTES:
        yield _foreign_link(broker, slave, behind)
    elif behind < 0:
        yield _ahead(broker, slave, -behind)


def _behind(broker: BrokerFacts, slave: SlaveLink, behind: int, most: int) -> Draft:
    explained = [
        _confirmed(slave),
        say("A slave that is more than {fall_behind_max_bytes:bytes} behind does not count as in sync."),
    ]
    if broker.role == "SYNC_MASTER":
        explained.append(
            say("The SYNC_MASTER no longer waits for this slave and answers sends with SLAVE_NOT_AVAILABLE.")
        )
    return Draft(
        severity=Severity.WARNING,
        cause="slow-slave",
        confidence=Confidence.HIGH,
        title=say("A slave of {called} is {behind_bytes:bytes} behind", called=called(broker.name)),
        subject=subject(broker),
        evidence={
            "slave": slave.address,
            "behind_bytes": behind,
            "fall_behind_max_bytes": most,
            "acknowledged_offset": slave.acknowledged_offset,
            "role": broker.role,
        },
        explanation=tuple(explained),
        remedy=SLAVE_BEHIND,
    )


def _ahead(broker: BrokerFacts, slave: SlaveLink, ahead: int) -> Draft:
    return Draft(
        severity=Severity.WARNING,
        cause="slave-ahead",
        confidence=Confidence.HIGH,
        title=say(
            "A slave of {called} has {ahead_bytes:bytes} that the master does not have",
            called=called(broker.name),
        ),
        subject=subject(broker),
        evidence={
            "slave": slave.address,
            "behind_bytes": -ahead,
            "ahead_bytes": ahead,
            "acknowledged_offset": slave.acknowledged_offset,
            "role": broker.role,
        },
        explanation=(
            _confirmed(slave),
            say(
                "This offset lies beyond the end of the master's commit log: the master lost the end of its log, as"
                " after a power loss."
            ),
        ),
        remedy=SLAVE_AHEAD,
    )


def _foreign_link(broker: BrokerFacts, slave: SlaveLink, behind: int) -> Draft:
    return Draft(
        severity=Severity.WARNING,
        cause="foreign-bytes",
        confidence=Confidence.HIGH,
        title=say(
            "Something that is no slave is connected to the HA port of {called}", called=called(broker.name)
        ),
        subject=subject(broker),
        evidence={
            "slave": slave.address,
            "behind_bytes": behind,
            "acknowledged_offset": slave.acknowledged_offset,
            "role": broker.role,
        },
        explanation=(_confirmed(slave), say("No commit log is as long."), FOREIGN),
        remedy=FOREIGN_BYTES,
    )


def _confirmed(slave: SlaveLink) -> Text:
    if slave.address is None:
        return say("The slave has confirmed offset {acknowledged_offset:count}.")
    return say("Slave {slave} has confirmed offset {acknowledged_offset:count}.")


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """For each broker a finding for a slave that is behind, one for a slave that is ahead, and one for neither."""
    for logs in brokers_of_logs(facts):
        foreign = [gap for gap in logs.replica_gaps if gap.smallest_bytes < -LONGEST_LOG_BYTES]
        if foreign:
            yield _foreign_bytes(logs, min(foreign, key=lambda gap: gap.smallest_bytes))
        ahead = [gap for gap in logs.replica_gaps if -LONGEST_LOG_BYTES <= gap.smallest_bytes < 0]
        if ahead:
            yield _ahead_in_logs(logs, min(ahead, key=lambda gap: gap.smallest_bytes))
        yield from _asked_for_more(logs, limits)
        missing = events(logs, "slave-epoch-missing")
        if enough(logs, lines_of(missing), limits["lines_of_epochs"]):
            yield _epoch_missing(logs, missing)
        not_copied = events(logs, "slave-settings-not-copied")
        if enough(logs, lines_of(not_copied), limits["lines_of_settings"]):
            yield _settings_not_copied(logs, not_copied)
        gaps = [gap for gap in logs.replica_gaps if gap.replica_seen and gap.largest_bytes > 0]
        gap = max(gaps, key=lambda gap: gap.largest_bytes, default=None)
        timeouts = logs.count("slave-transfer-timeout")
        if _too_far(logs, gap) or timeouts >= LEAST_TIMEOUTS:
            yield _behind_in_logs(logs, gap)
        elif gap is not None:
            label = say(
                "slave of {broker} behind its master at most", broker=called(subject_of_logs(logs, []).broker)
            )
            yield Margin(rule="", label=label, value=gap.largest_bytes, limit=DEFAULT_MAX_BYTES, kind="bytes")


def _too_far(logs: LogsFacts, gap: ReplicaGap | None) -> bool:
    """Too many bytes, or a gap that grew to the end after the slave's connection expired."""
    if gap is None:
        return False
    expired = bool(logs.count("slave-connection-expired"))
    stuck = expired and bool(gap.growing) and gap.last_bytes == gap.largest_bytes
    return gap.largest_bytes > DEFAULT_MAX_BYTES or stuck


def _behind_in_logs(logs: LogsFacts, gap: ReplicaGap | None) -> Draft:
    timeouts, expired = events(logs, "slave-transfer-timeout"), events(logs, "slave-connection-expired")
    explained = [*map(_timeout, timeouts), *map(_expired, expired)]
    if gap is not None:
        explained.append(
            say(
                "By the master's count the slave lacked up to {largest_behind_bytes:bytes}, and {behind_bytes:bytes} at"
                " the end ({gap_lines:count} {gap_lines:line|lines} {between}).",
                between=between(gap.first, gap.last),
            )
        )
    return Draft(
        severity=Severity.WARNING,
        cause="slow-slave",
        confidence=Confidence.HIGH,
        title=say("The slave does not keep up: it is {behind_bytes:bytes} behind")
        if gap is not None and gap.last_bytes > 0
        else say("The slave does not keep up"),
        subject=subject_of_logs(logs, timeouts),
        evidence={
            "behind_bytes": None if gap is None else gap.last_bytes,
            "largest_behind_bytes": None if gap is None else gap.largest_bytes,
            "gap_lines": None if gap is None else gap.lines,
            "timeouts": lines_of(timeouts),
            "expired_connections": lines_of(expired),
            **counted((*timeouts, *expired)),
        },
        explanation=tuple(explained),
        remedy=SLAVE_BEHIND,
        when=joined((*ranges_of([*timeouts, *expired]), *(range_between(gap.first, gap.last) if gap else ()))),
        weight=0.5,
    )


def _timeout(event: LogEvent) -> Text:
    return say(
        "A SYNC_MASTER waited for its slave without an answer, {lines:count} {lines:line|lines} {when}. Senders see"
        " FLUSH_SLAVE_TIMEOUT or SLAVE_NOT_AVAILABLE.",
        lines=event.count,
        when=when(event),
    )


def _expired(event: LogEvent) -> Text:
    return say(
        "A slave confirmed nothing for 20 s and was disconnected, {lines:count} {lines:time|times} {when}.",
        lines=event.count,
        when=when(event),
    )


def _ahead_in_logs(logs: LogsFacts, gap: ReplicaGap) -> Draft:
    return Draft(
        severity=Severity.WARNING,
        cause="slave-ahead",
        confidence=Confidence.HIGH,
        title=say("The slave has {ahead_bytes:bytes} that its master does not have"),
        subject=subject_of_logs(logs, []),
        evidence={
            "behind_bytes": gap.smallest_bytes,
            "ahead_bytes": -gap.smallest_bytes,
            "lines": gap.negative_lines,
            "gap_lines": gap.lines,
        },
        explanation=(
            say(
                "`Slave fall behind master` is negative in {lines:count} of {gap_lines:count} {gap_lines:line|lines}"
                " {between}: the slave is ahead.",
                between=between(gap.first, gap.last),
            ),
            say("So the master lost the end of its commit log, as after a power loss."),
        ),
        remedy=SLAVE_AHEAD,
        when=range_between(gap.first, gap.last),
        weight=0.6,
    )


def _epoch_missing(logs: LogsFacts, found: list[LogEvent]) -> Draft:
    confidence, reason = surest(logs, Confidence.HIGH, NOTHING)
    return Draft(
        severity=Severity.WARNING,
        cause="epoch-missing",
        confidence=confidence,
        confidence_reason=reason,
        title=say("The master sends its slave nothing: it does not find the slave's epoch"),
        subject=subject_of_logs(logs, found),
        evidence={"lines": lines_of(found), **counted(found)},
        explanation=(
            *(
                say(
                    "{lines:count} {lines:line|lines} 'Failed to find epochEntry' {when}.",
                    lines=event.count,
                    when=when(event),
                )
                for event in found
            ),
            say("In controller mode each election begins an epoch, and a slave gets messages epoch by epoch."),
        ),
        remedy=EPOCH_MISSING,
        rests_on=files_of(found),
        when=ranges_of(found),
        weight=0.5,
    )


def _settings_not_copied(logs: LogsFacts, found: list[LogEvent]) -> Draft:
    return Draft(
        severity=Severity.WARNING,
        cause="settings-not-copied",
        confidence=Confidence.MEDIUM,
        confidence_reason=say("the slave's lines do not tell whether the master runs"),
        title=say("A slave cannot copy the settings of its master"),
        subject=subject_of_logs(logs, []),
        evidence={"lines": lines_of(found), **counted(found), **most_frequent_counted(*found)},
        explanation=(
            *map(counted_lines_about, found),
            say(
                "A slave asks its master's brokerIP1 for topics, groups and offsets every few seconds. Messages come by"
                " another port and may still arrive."
            ),
        ),
        remedy=SETTINGS_NOT_COPIED,
        rests_on=files_of(found),
        when=ranges_of(found),
        weight=0.5,
    )


def _foreign_bytes(logs: LogsFacts, gap: ReplicaGap) -> Draft:
    return Draft(
        severity=Severity.WARNING,
        cause="foreign-bytes",
        confidence=Confidence.HIGH,
        title=say("Something that is no slave wrote to the master's HA port"),
        subject=subject_of_logs(logs, []),
        evidence={
            "behind_bytes": gap.smallest_bytes,
            "lines": gap.negative_lines,
            "gap_lines": gap.lines,
        },
        explanation=(
            say(
                "`Slave fall behind master` is {behind_bytes:count} bytes in {lines:count} of {gap_lines:count}"
                " {gap_lines:line|lines} {between}; no commit log is as long.",
                between=between(gap.first, gap.last),
            ),
            FOREIGN,
        ),
        remedy=FOREIGN_BYTES,
        when=range_between(gap.first, gap.last),
        weight=0.4,
    )


def _asked_for_more(logs: LogsFacts, limits: Limits) -> Iterator[Draft]:
    """A slave that consumers ask for offsets far beyond its end."""
    asked = events(logs, OVERFLOW)
    overflows = events(logs, "offset-overflow")
    beyond = max((event.values.get("largest_beyond", 0) for event in overflows), default=0)
    far = beyond >= limits["entries_of_overflow"]
    if not far or not enough(logs, lines_of(asked), limits["lines_of_overflow"]):
        return
    confidence, reason = surest(logs, Confidence.HIGH, NOTHING)
    yield Draft(
        severity=Severity.WARNING,
        cause="slow-slave",
        confidence=confidence,
        confidence_reason=reason,
        title=say(
            "The slave lacks messages: consumers ask it for offsets up to {beyond_entries:count} beyond its end"
        ),
        subject=subject_of_logs(logs, asked),
        evidence={"lines": lines_of(asked), "beyond_entries": beyond, **counted(asked)},
        explanation=(
            *(
                say(
                    "The broker is a slave and left the offset of {lines:count} {lines:pull|pulls} as it was {when}.",
                    lines=event.count,
                    when=when(event),
                )
                for event in asked
            ),
            say(
                "Its queues end before the offsets that were consumed at the master, so it copied less than the master"
                " had. Consumers get nothing until the master is back."
            ),
        ),
        remedy=SLAVE_BEHIND,
        rests_on=files_of(asked),
        when=ranges_of(asked),
        weight=0.5,
    )


@RULE.sees("admin")
def in_admin(facts: Facts, limits: Limits) -> Iterator[Said]:
    """Findings from haStatus of masters, and from the counters of a master and its slave."""
    admin = facts.admin
    assert admin is not None
    for status in admin.replication:
        for replica in status.replicas:
            yield from _of_replica(admin, status, replica)
    if not any(status.replicas for status in admin.replication):
        yield from _of_counters(facts)


def _of_replica(admin: AdminFacts, status: ReplicationStatus, replica: ReplicaListed) -> Iterator[Said]:
    broker = next((one.broker for one in admin.brokers if one.address == status.master), None)
    gap = _Gap(
        broker=broker,
        slave=replica.address,
        behind_bytes=replica.diff_bytes,
        master_offset=status.max_offset,
        slave_offset=replica.ack_offset,
        in_sync=replica.in_sync,
        answer="haStatus",
    )
    yield from _of_gap(gap)


def _of_counters(facts: Facts) -> Iterator[Said]:
    """A master and its slaves, as clusterList pairs them; each was asked at another moment."""
    admin = facts.admin
    assert admin is not None
    by_address = {one.status.address: one for one in counters(facts) if one.status.address is not None}
    for master in admin.brokers:
        if master.broker_id != 0 or (own := _end_of_log(by_address.get(master.address))) is None:
            continue
        for slave in admin.brokers:
            theirs = _end_of_log(by_address.get(slave.address))
            if slave.broker_id > 0 and slave.broker == master.broker and theirs is not None:
                yield from _of_gap(
                    _Gap(
                        broker=master.broker,
                        slave=slave.address,
                        behind_bytes=own - theirs,
                        master_offset=own,
                        slave_offset=theirs,
                        answer="brokerStatus",
                    )
                )


def _end_of_log(broker: Counters | None) -> int | None:
    return None if broker is None else broker.number("commitLogMaxOffset")


@dataclass(frozen=True, kw_only=True)
class _Gap:
    """What mqadmin says of one slave."""

    broker: str | None
    slave: str
    behind_bytes: int
    master_offset: int | None
    slave_offset: int
    in_sync: bool | None = None
    answer: str


def _of_gap(gap: _Gap) -> Iterator[Said]:
    if gap.behind_bytes > DEFAULT_MAX_BYTES:
        yield _of_answer(gap, "slow-slave", gap.behind_bytes)
    elif gap.behind_bytes < -(LEAST_AHEAD_BYTES if gap.answer == "haStatus" else DEFAULT_MAX_BYTES):
        yield _of_answer(gap, "slave-ahead", -gap.behind_bytes)
    else:
        label = say("slave of {broker} behind its master", broker=called(gap.broker))
        yield Margin(
            rule="", label=label, value=max(gap.behind_bytes, 0), limit=DEFAULT_MAX_BYTES, kind="bytes"
        )


def _of_answer(gap: _Gap, cause: str, gap_bytes: int) -> Draft:
    behind = cause == "slow-slave"
    return Draft(
        severity=Severity.WARNING,
        cause=cause,
        confidence=Confidence.HIGH if gap.answer == "haStatus" else Confidence.MEDIUM,
        confidence_reason=say("the master printed both offsets at one moment")
        if gap.answer == "haStatus"
        else say("mqadmin asked the master and the slave one after the other"),
        title=say("The slave {slave} of {called} is {gap_bytes:bytes} behind", called=called(gap.broker))
        if behind
        else say(
            "The slave {slave} of {called} has {gap_bytes:bytes} that the master does not have",
            called=called(gap.broker),
        ),
        subject=Subject(broker=gap.broker),
        evidence={
            "slave": gap.slave,
            "behind_bytes": gap.behind_bytes,
            "gap_bytes": gap_bytes,
            "fall_behind_max_bytes": DEFAULT_MAX_BYTES,
            "master_offset": gap.master_offset,
            "acknowledged_offset": gap.slave_offset,
            "in_sync": gap.in_sync,
            "answer": gap.answer,
        },
        explanation=(
            say("{answer}: the slave's log ends at {acknowledged_offset:count}.")
            if gap.master_offset is None
            else say(
                "{answer}: the master's log ends at {master_offset:count}, the slave's at {acknowledged_offset:count}."
            ),
            say("A slave that is more than {fall_behind_max_bytes:bytes} behind does not count as in sync.")
            if behind
            else say("So the master lost the end of its commit log, as after a power loss."),
        ),
        remedy=SLAVE_BEHIND if behind else SLAVE_AHEAD,
    )
