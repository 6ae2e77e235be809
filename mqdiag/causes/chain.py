"""The chain of causes around the worst finding: from what explains it to what it leads to."""

from __future__ import annotations

from collections.abc import Mapping

from mqdiag.causes.link import LONGEST, Depths, causes_before
from mqdiag.causes.same_finding import SameFindings, threads_of
from mqdiag.facts.verdict import ChainStep
from mqdiag.findings import Confidence, Finding, RuleCard
from mqdiag.text import NOTHING, Text, say

SO = say("so")
"""the word between a cause and its effect where the cause's card has none"""
_CERTAINTY = {Confidence.HIGH: 0, Confidence.MEDIUM: 1, Confidence.LOW: 2}


def chain_of(
    findings: tuple[Finding, ...], same: SameFindings, cards: Mapping[str, RuleCard]
) -> tuple[Finding, ...]:
    """The findings of the chain that the first one belongs to, root cause first.

    Args:
        findings: all that may be in it; the chain is drawn around the first one.
        same: what shows the same fault in other evidence.
        cards: of their rules, by name.
    """
    if not findings:
        return ()
    first = findings[0]
    before = causes_before(first, findings, lambda one: _preference(one, findings, same), longest=LONGEST - 1)
    chain = [*before, first]
    seen = {finding.fingerprint for finding in chain}
    seen |= {other.fingerprint for finding in chain for other in same.of(finding)}
    found = True
    while found and len(chain) < LONGEST:
        found = False
        for finding in findings:
            links = finding.rule not in cards or cards[finding.rule].links
            if links and finding.fingerprint not in seen and set(finding.caused_by) & seen:
                chain.append(finding)
                seen.add(finding.fingerprint)
                found = True
    depths = Depths(findings)
    return tuple(sorted(chain, key=depths.of))[:LONGEST]


def _preference(
    finding: Finding, findings: tuple[Finding, ...], same: SameFindings
) -> tuple[int, int, int, int]:
    """The worst and surest of several causes; before it one that two kinds of evidence show."""
    seen_twice = 0 if same.of(finding) else 1
    return (seen_twice, finding.severity.rank, _CERTAINTY[finding.confidence], findings.index(finding))


def steps(
    chain: tuple[Finding, ...], same: SameFindings, cards: Mapping[str, RuleCard]
) -> tuple[ChainStep, ...]:
    """The chain for the report."""
    made: list[ChainStep] = []
    for finding, alike in _folded(chain):
        others = (*same.of(finding), *alike)
        cause = nearest_cause(finding, chain, same)
        made.append(
            ChainStep(
                fingerprint=finding.fingerprint,
                also=tuple(other.fingerprint for other in others),
                says=_with_more(finding.title if cause is None else finding.in_chain, finding, alike),
                word=NOTHING if cause is None else _word(cause, finding, cards),
                tied_by=() if cause is None else _in_common(cause, finding, same),
                seen_in=tuple(dict.fromkeys(kind for one in (finding, *others) for kind in one.seen_in)),
            )
        )
    return tuple(made)


def nearest_cause(finding: Finding, chain: tuple[Finding, ...], same: SameFindings) -> Finding | None:
    """The last link before it that explains it, by itself or by the same finding in other evidence."""
    for before in reversed(chain[: chain.index(finding)]):
        prints = {before.fingerprint, *(other.fingerprint for other in same.of(before))}
        if prints & set(finding.caused_by):
            return before
    return None


def _folded(chain: tuple[Finding, ...]) -> list[tuple[Finding, tuple[Finding, ...]]]:
    """Findings of one rule about one group are one link: seen at several queues, or in several kinds of evidence."""
    groups: dict[tuple[str, str | None], list[Finding]] = {}
    for finding in chain:
        groups.setdefault((finding.rule, finding.subject.group), []).append(finding)
    folded = []
    for members in groups.values():
        first = min(members, key=lambda one: (one.severity.rank, not one.tells_most, members.index(one)))
        folded.append((first, tuple(one for one in members if one is not first)))
    return folded


def _with_more(said: Text, finding: Finding, alike: tuple[Finding, ...]) -> Text:
    """The link, with the number of further queues that the same is true of."""
    subject = finding.subject
    others = {
        (one.subject.topic, one.subject.broker, one.subject.queue_id)
        for one in alike
        if one.subject.queue_id is not None
    } - {(subject.topic, subject.broker, subject.queue_id)}
    if subject.queue_id is None or not others:
        return said
    return say("{said} (and {others:count} more {others:queue|queues} like it)", said=said, others=len(others))


def _word(cause: Finding, effect: Finding, cards: Mapping[str, RuleCard]) -> Text:
    own = cards[cause.rule].leads_to if cause.rule in cards else {}
    return own.get(effect.rule, SO)


def _in_common(cause: Finding, effect: Finding, same: SameFindings) -> tuple[Text, ...]:
    """What both name, the cause in any of the evidence that shows it."""
    shown = (cause, *same.of(cause))
    return tuple(dict.fromkeys(tie for one in shown for tie in _shared(one, effect)))


def _shared(cause: Finding, effect: Finding) -> list[Text]:
    mine, theirs = cause.subject, effect.subject
    shared = []
    if mine.group is not None and mine.group == theirs.group:
        shared.append(say("group {group}", group=mine.group))
    if mine.topic is not None and mine.topic == theirs.topic:
        shared.append(say("topic {topic}", topic=mine.topic))
    if mine.broker is not None and mine.broker == theirs.broker:
        shared.append(say("broker {broker}", broker=mine.broker))
    if mine.queue_id is not None and mine.queue_id == theirs.queue_id:
        shared.append(say("queue {queue_id}", queue_id=mine.queue_id))
    threads = sorted(threads_of(cause) & threads_of(effect))
    if len(threads) > 1:
        shared.append(
            say("thread {thread} and {others:count} more", thread=threads[0], others=len(threads) - 1)
        )
    elif threads:
        shared.append(say("thread {thread}", thread=threads[0]))
    message = cause.evidence.get("msg_id")
    if isinstance(message, str) and message == effect.evidence.get("msg_id"):
        shared.append(say("message {msg_id}", msg_id=message))
    return shared
