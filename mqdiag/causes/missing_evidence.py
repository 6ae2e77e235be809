"""Evidence that is missing: what it would tell, and how to collect it."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.causes import collect_commands
from mqdiag.causes.places import Place, place_of
from mqdiag.facts import StacksFacts
from mqdiag.facts.verdict import MissingEvidence
from mqdiag.facts.vocabulary import ServerKind
from mqdiag.findings import Finding, Report
from mqdiag.text import Text, say

STOPS = say(
    "it stops the JVM for about a second per GiB of heap, and needs as much free disk as the heap in use"
)

_LOGS_OF_BROKER = say("the broker's logs: broker.log, store.log, watermark.log")
_LOGS_OF_PROXY = say("the proxy's logs: proxy.log, proxy_watermark.log")
_LOGS_OF_SERVERS: dict[ServerKind, Text] = {
    "name-server": say("the name server's logs: namesrv.log and its rotated files"),
    "broker": _LOGS_OF_BROKER,
    "broker-dledger": _LOGS_OF_BROKER,
    "controller": say("the controller's logs: controller.log, and the log of its Raft group"),
    "proxy-local": _LOGS_OF_PROXY,
    "proxy-cluster": _LOGS_OF_PROXY,
}


def missing_evidence(report: Report, chain: tuple[Finding, ...]) -> tuple[MissingEvidence, ...]:
    """What would make the verdict surer; what tells most comes first."""
    place = place_of(report)
    if report.stores is not None and report.heap is None and report.stacks is None and report.logs is None:
        # stopped brokers have no threads to look at
        return tuple(_stores(report, place))
    if report.heap is None and report.stacks is None and any("crash" in finding.seen_in for finding in chain):
        # nobody can take dumps of a process that has ended
        return ()
    at_broker = any(finding.lies_at == "broker" for finding in chain)
    return tuple(_broker(report, place, chain) if at_broker else _client(report, place, chain))


def _stores(report: Report, place: Place) -> Iterator[MissingEvidence]:
    assert report.stores is not None
    if not report.stores.pairs:
        yield MissingEvidence(
            what=say("the other store of this broker: the slave's beside the master's"),
            why=say("it shows whether messages are missing, and where they still are"),
            commands=collect_commands.store_folder(place),
        )
    if report.admin is None and not all(store.version == "5.x" for store in report.stores.stores):
        yield MissingEvidence(
            what=say("the broker's exact version"),
            why=say("up to 4.9.3 consumers beyond the end of a queue are sent back to 0, later ones are not"),
            commands=collect_commands.cluster_list(place),
        )


def _may_show(kind: str, report: Report, chain: tuple[Finding, ...]) -> bool:
    """Whether evidence of a kind may tell more of the root of the chain: of a full disk no thread does.

    Its rule looks at such evidence, or knows rules that explain it or show the same in other evidence.
    """
    if not chain:
        return True
    card = next((one for one in report.rule_cards if one.name == chain[0].rule), None)
    return card is None or kind in (*card.needs, *card.any_of) or bool(card.explained_by or card.same_as)


def _client(report: Report, place: Place, chain: tuple[Finding, ...]) -> Iterator[MissingEvidence]:
    stacks, heap = report.stacks, report.heap
    if (stacks is None or not stacks.judged) and _may_show("stacks", report, chain):
        yield MissingEvidence(
            what=say("five thread dumps of the process, three seconds apart"),
            why=_why_samples(stacks),
            commands=collect_commands.thread_dumps(place),
        )
    if heap is None and _may_show("heap", report, chain):
        yield MissingEvidence(
            what=say("a heap dump of the process"),
            why=(
                say(
                    "it shows which message each thread is processing and for how long, what the queues "
                    "hold, which settings are in force, and how many messages a restart would deliver "
                    "again"
                )
            ),
            caution=STOPS,
            commands=collect_commands.heap_dump(place),
        )
    elif heap is not None and heap.process_queues is None:
        yield MissingEvidence(
            what=say("the heap dump read in full"), why=say("without its graph no cause can be named")
        )
    if report.logs is None:
        yield _log(report, place)
    group = _group(report, chain)
    if group is not None and not _has_kind(report, "admin"):
        yield MissingEvidence(
            what=say("the backlog of group {group} as the brokers have it", group=group),
            why=say("a dump knows only the queues of its own process, at the time of their last pulls"),
            commands=collect_commands.consumer_progress(place, group),
        )


def _log(report: Report, place: Place) -> MissingEvidence:
    """The log of the process: of a server where the dumps show one, else of a client."""
    servers = (report.heap.servers if report.heap is not None else ()) or (
        report.stacks.servers if report.stacks is not None else ()
    )
    names = next((_LOGS_OF_SERVERS[kind] for kind in servers), None)
    if names is not None:
        return MissingEvidence(
            what=names,
            why=say("they show when the fault began, and errors that are in no dump"),
            commands=collect_commands.server_logs(place),
        )
    return MissingEvidence(
        what=say("the client's log, rocketmq_client.log, with its rotated files"),
        why=say("it shows when it began, which flow control came first, and errors that are in no dump"),
        commands=collect_commands.client_log(place),
    )


def _broker(report: Report, place: Place, chain: tuple[Finding, ...]) -> Iterator[MissingEvidence]:
    if report.logs is None:
        yield MissingEvidence(
            what=_LOGS_OF_BROKER,
            why=say("store.log has the distribution of write times, one line a minute"),
            commands=collect_commands.server_logs(place),
        )
    if (report.stacks is None or not report.stacks.judged) and _may_show("stacks", report, chain):
        yield MissingEvidence(
            what=say("five thread dumps of the broker, three seconds apart"),
            why=say("they show what the send threads wait for: the put lock, the flush or the slave"),
            commands=collect_commands.thread_dumps(place),
        )
    if not _has_kind(report, "admin"):
        broker = next((one.subject.broker for one in chain if one.subject.broker is not None), None)
        yield MissingEvidence(
            what=say("the broker's own counters"),
            why=say("mqadmin brokerStatus has the queue sizes, head waits and the page cache lock time of now"),
            commands=collect_commands.broker_status(place, broker),
        )


def _why_samples(stacks: StacksFacts | None) -> Text:
    if stacks is None:
        return say("they tell stuck from slow threads, and name the frame")
    return say(
        "they tell stuck from slow threads, and name the frame; the given {samples:count}"
        " {samples:sample|samples} cannot",
        samples=stacks.samples,
    )


def missing_times(untimed: tuple[tuple[Finding, Finding], ...]) -> Iterator[MissingEvidence]:
    """What would tell whether links of the chain were at one time."""
    if any(cause.when and effect.when for cause, effect in untimed):
        yield MissingEvidence(
            what=say("the zone of the logs with local times: --utc-offset +HH:MM"),
            why=say(
                "4.x clients and applications print no zone, so their lines cannot be compared with the broker's"
            ),
        )
    without = dict.fromkeys(one.rule for pair in untimed for one in pair if not one.when)
    if without:
        yield MissingEvidence(
            what=say("when the evidence of {rules} was taken", rules=tuple(without)),
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
