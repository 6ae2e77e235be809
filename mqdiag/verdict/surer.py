"""What is missing, what it would tell, and how to get it."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.verdict import MissingEvidence
from mqdiag.findings import Finding, Report
from mqdiag.text import say
from mqdiag.verdict import commands
from mqdiag.verdict.places import Place, place_of

STOPS = say(
    "it stops the JVM for about a second per GiB of heap, and needs as much free disk as the heap in use"
)
BROKER_EVIDENCE = frozenset(
    {
        "page-cache-busy", "slow-writes", "send-queue-timeout", "send-queue-full", "send-busy",
        "transient-pool-exhausted", "stuck-lock-time", "broker-send-blocked", "producer-backlog", "slave-behind",
        "disk-full", "offset-reset-to-zero", "offset-not-matched", "deleted-data-loop", "busy-workaround",
    }
)  # fmt: skip
"""rules whose fault lies at a broker"""


def surer(report: Report, chain: tuple[Finding, ...]) -> tuple[MissingEvidence, ...]:
    """What would make the verdict surer, the most telling first."""
    place = place_of(report)
    if report.stores is not None and report.heap is None and report.stacks is None and report.logs is None:
        # brokers that stand still have no threads to look at
        return tuple(_stores(report, place))
    at_broker = any(finding.rule in BROKER_EVIDENCE for finding in chain)
    return tuple(_broker(report, place, chain) if at_broker else _client(report, place, chain))


def _stores(report: Report, place: Place) -> Iterator[MissingEvidence]:
    assert report.stores is not None
    if not report.stores.pairs:
        yield MissingEvidence(
            what=say("the other store of this broker: the slave's beside the master's"),
            why=say("it tells whether messages are missing, and where they still are"),
            commands=commands.store_folder(place),
        )
    if report.admin is None and not all(store.version == "5.x" for store in report.stores.stores):
        yield MissingEvidence(
            what=say("the broker's exact version"),
            why=say("up to 4.9.3 consumers beyond the end of a queue are sent back to 0, later ones are not"),
            commands=commands.cluster_list(place),
        )


def _client(report: Report, place: Place, chain: tuple[Finding, ...]) -> Iterator[MissingEvidence]:
    stacks, heap = report.stacks, report.heap
    if stacks is None or not stacks.judged:
        have = (
            ""
            if stacks is None
            else say(
                ", as the given {count} cannot",
                count=say("{number:count} {number:sample|samples}", number=stacks.samples),
            )
        )
        yield MissingEvidence(
            what=say("five thread dumps of the process, three seconds apart"),
            why=say("they tell standstill from slow work, and name the frame{have}", have=have),
            commands=commands.thread_dumps(place),
        )
    if heap is None:
        yield MissingEvidence(
            what=say("a heap dump of the process"),
            why=(
                say(
                    "it tells which message each thread has in hand and since when, what the queues hold,"
                    " which settings are in force, and how many messages a restart would deliver again"
                )
            ),
            caution=say(STOPS),
            commands=commands.heap_dump(place),
        )
    elif heap.process_queues is None:
        yield MissingEvidence(
            what=say("the heap dump read in full"), why=say("without its graph no cause can be named")
        )
    if report.logs is None:
        yield MissingEvidence(
            what=say("the client's log, rocketmq_client.log, with its rotated files"),
            why=say("it tells when it began, which flow control came first, and errors that no dump shows"),
            commands=commands.client_log(place),
        )
    group = _group(report, chain)
    if group is not None and not _has_kind(report, "admin"):
        yield MissingEvidence(
            what=say("the backlog of group {group} as the brokers have it", group=group),
            why=say("a dump knows only the queues of its own process, as of their last pulls"),
            commands=commands.consumer_progress(place, group),
        )


def _broker(report: Report, place: Place, chain: tuple[Finding, ...]) -> Iterator[MissingEvidence]:
    if report.logs is None:
        yield MissingEvidence(
            what=say("the broker's logs: broker.log, store.log, watermark.log"),
            why=say("store.log has the distribution of write times, one line a minute"),
            commands=commands.broker_logs(place),
        )
    if report.stacks is None or not report.stacks.judged:
        yield MissingEvidence(
            what=say("five thread dumps of the broker, three seconds apart"),
            why=say("they tell what the send threads wait for: the put lock, the flush or the slave"),
            commands=commands.thread_dumps(place),
        )
    if not _has_kind(report, "admin"):
        broker = next((one.subject.broker for one in chain if one.subject.broker is not None), None)
        yield MissingEvidence(
            what=say("the broker's own counters"),
            why=say("mqadmin brokerStatus has the queue sizes, head waits and the page cache lock time of now"),
            commands=commands.broker_status(place, broker),
        )


def times_missing(untold: tuple[tuple[Finding, Finding], ...]) -> Iterator[MissingEvidence]:
    """What would tell whether links of the chain were at one time."""
    if any(cause.when and effect.when for cause, effect in untold):
        yield MissingEvidence(
            what=say("the zone of the logs with local times: --utc-offset +HH:MM"),
            why=say(
                "4.x clients and applications print none, so their lines cannot be laid beside the broker's"
            ),
        )
    without = dict.fromkeys(one.rule for pair in untold for one in pair if not one.when)
    if without:
        yield MissingEvidence(
            what=say("when the evidence of {rules} was taken", rules=", ".join(without)),
            why=say("a cause and its effect are one story only when they were at one time"),
        )


def _group(report: Report, chain: tuple[Finding, ...]) -> str | None:
    """The group of the chain; the only one of the heap where nothing was found."""
    named = next((one.subject.group for one in chain if one.subject.group is not None), None)
    if named is not None:
        return named
    groups = {one.group for one in report.heap.consumers} if report.heap is not None else set()
    return groups.pop() if len(groups) == 1 else None


def _has_kind(report: Report, kind: str) -> bool:
    return any(given.kind == kind and given.error is None for given in report.inputs)
