"""A report to its verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mqdiag.causes.agreement import agreements, contradicted, contradictions, time_gap
from mqdiag.causes.certainty import broker_of, certainty, elsewhere, untimed_links, zone_of_dumps
from mqdiag.causes.chain import chain_of, steps
from mqdiag.causes.missing_evidence import missing_evidence, missing_times
from mqdiag.causes.read_evidence import read_evidence
from mqdiag.causes.same_finding import SameFindings
from mqdiag.facts.verdict import ChainStep, Verdict
from mqdiag.findings import Finding, Report
from mqdiag.text import Text, say

LINKS_TOLD = 3
_LAG = say(
    "{lag:count} messages wait on the brokers for the {queues:count} {queues:queue|queues} of group {group} that this"
    " process has, as of the last pulls"
)
_LAG_OF_SOME = say(
    "{lag:count} messages wait on the brokers for {queues:count} of the {queues_in_all:count} queues of group {group}"
    " that this process has, as of the last pulls; how many wait for the rest, mostly %RETRY%, is unknown"
)


def build_verdict(report: Report) -> Verdict | None:
    """The verdict; None when nothing could be read. Without a fault it has no chain."""
    if not any(given.was_read for given in report.inputs):
        return None
    cards = {card.name: card for card in report.rule_cards}
    same = SameFindings(report.findings, cards)
    against = contradictions(report, same)
    # What the thread dumps contradict is no root cause; the contradiction itself is told.
    findings = tuple(found for found in report.findings if not contradicted(found, report, same))
    candidates = [found for found in findings if found.is_fault and found.accepted is None]
    if not candidates:
        return Verdict(
            contradictions=against,
            read_evidence=read_evidence(report),
            missing_evidence=missing_evidence(report, ()),
        )
    chain = chain_of(tuple(sorted(findings, key=lambda found: found is not candidates[0])), same, cards)
    made = steps(chain, same, cards)
    gap = time_gap(report)
    if gap is not None and {"heap", "logs"} <= {kind for step in made for kind in step.seen_in}:
        against = (*against, gap)
    zone = zone_of_dumps(report)
    in_any_zone = untimed_links(made, findings, same, None)
    untimed = in_any_zone if zone is None else untimed_links(made, findings, same, zone)
    confidence, reason = certainty(chain[0], same, against, untimed)
    read = read_evidence(report)
    if len(untimed) < len(in_any_zone):
        read = (*read, say("logs without a zone were read in that of the thread dumps, {zone}", zone=zone))
    return Verdict(
        statement=_statement(made, _named_broker(report, chain[0])),
        confidence=confidence.value,
        confidence_reason=reason,
        chain=made,
        consequences=tuple(dict.fromkeys(_consequences(report, chain))),
        agreements=agreements(report, same),
        contradictions=against,
        read_evidence=read,
        elsewhere=tuple(dict.fromkeys(elsewhere(chain, candidates))),
        missing_evidence=(*missing_evidence(report, chain), *missing_times(untimed)),
    )


def _named_broker(report: Report, root: Finding) -> str | None:
    """The broker, where the evidence is of several and the root cause lies at one of them."""
    of_broker = root.subject.broker is not None or root.subject.instance is not None
    several = report.logs is not None and bool(report.logs.brokers)
    return broker_of(root) if several and of_broker and root.subject.group is None else None


def _statement(chain: Sequence[ChainStep], broker: str | None) -> Text:
    """The root cause, and what it led to, as one sentence."""
    story = chain[0].says
    for step in chain[1 : 1 + LINKS_TOLD]:
        story = say("{story}; {word} {says}", step, story=story)
    if broker is not None:
        return say("At broker {broker}: {story}.", broker=broker, story=story)
    return say("{story}.", story=story)


def _consequences(report: Report, chain: tuple[Finding, ...]) -> Iterator[Text]:
    """What follows now: what the rules say of it, and the backlog of the groups of the chain."""
    for finding in chain:
        if finding.consequence:
            yield finding.consequence
    heap = report.heap
    if heap is None or heap.process_queues is None:
        return
    for group in sorted({finding.subject.group for finding in chain if finding.subject.group is not None}):
        queues = [queue for queue in heap.queues if queue.group == group and not queue.dropped]
        lags = [queue.lag for queue in queues if queue.lag is not None]
        if sum(lags):
            words = _LAG if len(lags) == len(queues) else _LAG_OF_SOME
            yield words.filled(
                {"lag": sum(lags), "queues": len(lags), "queues_in_all": len(queues), "group": group}
            )
