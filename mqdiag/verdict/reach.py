"""A report to its verdict."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.verdict import ChainStep, Verdict
from mqdiag.findings import Confidence, EvidenceValue, Finding, Report, Severity
from mqdiag.text import say
from mqdiag.verdict.chain import chain_of, steps
from mqdiag.verdict.compare import agreements, contradicted, contradictions, time_gap
from mqdiag.verdict.evidence import checked
from mqdiag.verdict.same_fault import twins
from mqdiag.verdict.surer import surer, times_missing
from mqdiag.verdict.timing import broker_of, elsewhere, less_sure, uncompared

FAULTS = (Severity.ERROR, Severity.WARNING)
INPUT_RULE = "input-incomplete"
RESET = "offset-reset-to-zero"
HELD_BACK = "offset-stuck-at-head"
_ORDER = (Confidence.LOW, Confidence.MEDIUM, Confidence.HIGH)


def reach_verdict(report: Report) -> Verdict | None:
    """The verdict; None when nothing could be read."""
    if not any(given.was_read for given in report.inputs):
        return None
    against = contradictions(report)
    # what the thread dumps contradict is no root cause; the contradiction itself is told
    findings = tuple(found for found in report.findings if not contradicted(found, report))
    candidates = [
        found
        for found in findings
        if found.severity in FAULTS and found.rule != INPUT_RULE and not found.accepted
    ]
    if not candidates:
        return _healthy(report, against)
    ordered = tuple(sorted(findings, key=lambda found: found is not candidates[0]))
    chain = chain_of(ordered)
    made = steps(chain, findings)
    gap = time_gap(report)
    if gap is not None and {"heap", "logs"} <= {kind for step in made for kind in step.seen_in}:
        against = (*against, gap)
    untold = uncompared(made, findings)
    confidence, reason = less_sure(*_confidence(chain[0], findings, against), untold)
    return Verdict(
        healthy=False,
        statement=_statement(made, _named_broker(report, chain[0])),
        confidence=confidence.value,
        confidence_reason=reason,
        chain=made,
        consequences=tuple(_consequences(report, chain)),
        agreements=agreements(report),
        contradictions=against,
        checked=checked(report),
        elsewhere=tuple(dict.fromkeys(elsewhere(chain, candidates))),
        surer=(*surer(report, chain), *times_missing(untold)),
    )


def _healthy(report: Report, against: tuple[str, ...]) -> Verdict:
    """What was looked at, and no more than that is claimed."""
    undecided = report.stacks is not None and not report.stacks.judged and report.heap is None
    unusable = report.stores is not None and any(store.unusable_offsets for store in report.stores.stores)
    cut = unusable or any(found.rule == INPUT_RULE for found in report.findings)
    statement = say("No fault was found: {checked} rules looked at this evidence.", checked=len(report.checked))
    if undecided and report.logs is None:
        statement = say(
            "These thread dumps do not tell progress from standstill; nothing else was found in them."
        )
    elif against:
        statement = say(
            "No fault is proven: the evidence disagrees. {checked} rules looked at it.",
            checked=len(report.checked),
        )
    elif cut:
        statement = say(
            "No fault was found in what could be read: {checked} rules looked at it.",
            checked=len(report.checked),
        )
    return Verdict(
        healthy=not (undecided or against or cut),
        statement=statement,
        contradictions=against,
        checked=checked(report),
        surer=surer(report, ()),
    )


def _named_broker(report: Report, root: Finding) -> str | None:
    """The broker, where the evidence is of several and the root cause lies at one of them."""
    of_broker = root.subject.broker is not None or root.subject.instance is not None
    several = report.logs is not None and bool(report.logs.brokers)
    return broker_of(root) if several and of_broker and root.subject.group is None else None


def _statement(chain: tuple[ChainStep, ...], broker: str | None) -> str:
    """The root cause, and what it led to."""
    first, *rest = chain
    statement = _sentence(first.says)
    if broker is not None:
        statement = say("At broker {broker}: {statement}", broker=broker, statement=statement)
    if rest:
        links = (say("{word} {says}", word=step.word, says=step.says) for step in rest[:3])
        told = say("; ").join(links)
        statement = say("{cause} {effects}", cause=statement, effects=_sentence(told[0].upper() + told[1:]))
    return statement


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", "。")) else text + say(".")


def _confidence(
    root: Finding, findings: tuple[Finding, ...], against: tuple[str, ...]
) -> tuple[Confidence, str]:
    """As sure as the root cause; surer where other evidence shows the same, less where evidence disagrees."""
    same = twins(root, findings)
    best = max((root, *same), key=lambda one: _ORDER.index(one.confidence))
    level, reason = best.confidence, best.confidence_reason
    kinds = sorted({kind for one in (root, *same) for kind in one.seen_in})
    if same:
        level = Confidence.HIGH if level is not Confidence.LOW else Confidence.MEDIUM
        reason = say("{kinds} show it independently", kinds=say(" and ").join(map(say, kinds)))
    if against:
        level = _ORDER[max(_ORDER.index(level) - 1, 0)]
        reason = say("evidence disagrees: {against}", against=against[0])
    return level, reason


def _consequences(report: Report, chain: tuple[Finding, ...]) -> Iterator[str]:
    """The backlog and what a restart costs, for the groups of the chain."""
    heap = report.heap
    groups = {finding.subject.group for finding in chain if finding.subject.group is not None}
    for group in sorted(groups):
        yield from _consumed_again(report, chain, group)
    if heap is None or heap.process_queues is None:
        return
    for group in sorted(groups):
        queues = [queue for queue in heap.queues if queue.group == group and not queue.dropped]
        lags = [queue.lag for queue in queues if queue.lag is not None]
        if sum(lags):
            yield (
                say(
                    (
                        "{lags:count} messages wait on the brokers for the {queues} queues of group {group} that"
                        " this process has, as of the last pulls"
                    ),
                    lags=sum(lags),
                    queues=len(lags),
                    group=group,
                )
            )
        held = [found for found in chain if found.rule == HELD_BACK and found.subject.group == group]
        again = sum(_number(found.evidence.get("finished_beyond_head")) for found in held)
        if again:
            yield (
                say(
                    (
                        "if the process restarts now, {again:count} messages of group {group} that are done are"
                        " delivered again"
                    ),
                    again=again,
                    group=group,
                )
            )


def _consumed_again(report: Report, chain: tuple[Finding, ...], group: str) -> Iterator[str]:
    """What a group gets once more after its offsets were set back: all that the broker still has of it."""
    if report.logs is None or not any(found.rule == RESET and found.subject.group == group for found in chain):
        return
    again: dict[tuple[str | None, str | None, int | None], int] = {}
    for reset in report.logs.offset_resets:
        if reset.group == group and reset.given == 0 and reset.broker_max is not None:
            place = (reset.topic, reset.broker, reset.queue_id)
            again[place] = max(again.get(place, 0), min(reset.requested, reset.broker_max))
    if sum(again.values()):
        yield say(
            "group {group} gets {again:count} messages of {queues} once more",
            group=group,
            again=sum(again.values()),
            queues=say("{number:count} {number:queue|queues}", number=len(again)),
        )


def _number(value: EvidenceValue) -> int:
    return value if isinstance(value, int) else 0
