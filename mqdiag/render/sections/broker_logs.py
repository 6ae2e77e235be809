"""What logs say of brokers: how long writes took, each of several brokers, and how far slaves are behind."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.logs import BrokerLogs, LogsFacts
from mqdiag.facts.ratios import ratio
from mqdiag.facts.store_logs import PutLatency, ReplicaGap
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import AnyPart, Bullets, Fold, Section, Several, Table
from mqdiag.render.sections.log_events import FULL_FILE_EDGE
from mqdiag.render.tables import Tables
from mqdiag.render.wording.short_paths import shared_folder
from mqdiag.text import Text, say

TABLES = Tables("broker_logs")

_BROKERS = (12, 2000)
_EVENTS_OF_BROKER = 6
_FILES_OF_BROKER = 3


def broker_logs_section(report: Report, view: View) -> Iterator[Section]:
    """One section for write times, one for several brokers, one for replication."""
    logs = report.logs
    if logs is None:
        return
    if logs.pagecachert is not None:
        yield Section(
            name="write-times",
            title=say("How long the broker's writes took (PAGECACHERT)"),
            short_title=say("Write times"),
            parts=(
                Bullets([*write_times(logs.pagecachert)]),
                _buckets(logs.pagecachert, "write-times"),
            ),
        )
    if logs.brokers:
        yield Section(
            name="broker-logs",
            title=say("The logs of each broker"),
            parts=(
                Several(
                    parts=[_broker(broker, place) for place, broker in enumerate(logs.brokers, 1)],
                    shown=_BROKERS,
                    rest=lambda hidden: say("and {hidden:count} more {hidden:broker|brokers}", hidden=hidden),
                ),
            ),
        )
    if logs.replica_gaps:
        yield Section(name="replicas", title=say("Master and slave"), parts=[*_replicas(logs)])


def write_times(latency: PutLatency) -> Iterator[Text]:
    """The distribution in words, and the worst minute where writes were slow."""
    yield say(
        "{puts:count} writes in {lines:count} {lines:minute|minutes}: {from_10_ms:count} took 10 ms or longer,"
        " {from_100_ms:count} took 100 ms or longer ({share:percent}), {from_1_s:count} took 1 s or longer",
        latency,
        share=ratio(latency.from_100_ms, latency.puts),
    )
    worst = latency.worst
    if worst is not None and worst.from_100_ms:
        yield say(
            "the worst minute ends at {at:time}: {from_100_ms:count} of {puts:count} took 100 ms or longer",
            worst,
        )


def _buckets(latency: PutLatency, name: str) -> Table:
    return TABLES.table(
        "broker-logs",
        rows=[(bucket, puts, ratio(puts, latency.puts)) for bucket, puts in latency.buckets.items()],
        name=name,
    )


def _broker(broker: BrokerLogs, place: int) -> Fold:
    """Nothing of two brokers is summed."""
    name = say("{broker}", broker=broker.called)
    if broker.address:
        name = say("{broker}, {address}", broker=broker.called, address=broker.address)
    parts: list[AnyPart] = [Bullets([*_lines(broker)])]
    if broker.pagecachert is not None and broker.pagecachert.puts:
        parts.append(_buckets(broker.pagecachert, f"write-times-{place}"))
    if broker.not_matched:
        from mqdiag.render.sections.log_offsets import not_matched_table

        parts.append(not_matched_table(broker.not_matched, f"not-matched-{place}"))
    return Fold(name, parts)


def _lines(broker: BrokerLogs) -> Iterator[Text]:
    puts = broker.pagecachert
    if broker.paths:
        at_once = say("{files:count} {files:file|files} at {first:time}: {paths}")
        lasting = say("{files:count} {files:file|files} from {first:time} to {last:time}: {paths}")
        yield (at_once if broker.first == broker.last else lasting).filled(
            {
                "files": len(broker.paths),
                "first": broker.first,
                "last": broker.last,
                "paths": broker.paths[:_FILES_OF_BROKER],
            }
        )
    if puts is not None and puts.puts:
        yield from write_times(puts)
    events = [event for event in broker.events if event.kind != FULL_FILE_EDGE]
    if events:
        counts = tuple(
            say("{kind} ({lines:count})", kind=event.kind, lines=event.count)
            for event in events[:_EVENTS_OF_BROKER]
        )
        hidden = len(events) - len(counts)
        told = say("events: {counts}", counts=counts)
        yield say("{told} and {hidden:count} more", told=told, hidden=hidden) if hidden else told
    elif puts is None or not puts.puts:
        yield say("its logs have no known event")


def _replicas(logs: LogsFacts) -> Iterator[AnyPart]:
    cut = len(shared_folder([file.path for file in logs.files]))
    yield Bullets([_gap(gap, gap.path[cut:]) for gap in logs.replica_gaps])
    yield TABLES.table("replicas", logs.replica_gaps)


def _gap(gap: ReplicaGap, name: str) -> Text:
    if gap.smallest_bytes < 0:
        return say(
            "{name}: the slave was ahead of its master by {ahead_bytes:bytes}",
            name=name,
            ahead_bytes=-gap.smallest_bytes,
        )
    if gap.replica_seen:
        return say(
            "{name}: the slave was behind by {largest_bytes:bytes} at most, {last_bytes:bytes} at the end",
            gap,
            name=name,
        )
    return say(
        "{name}: the log shows no slave; `fall behind` then counts everything that the master ever wrote",
        name=name,
    )
