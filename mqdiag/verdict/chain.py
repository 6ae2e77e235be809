"""The chain of causes around the worst finding: from what explains it to what it leads to."""

from __future__ import annotations

from collections.abc import Mapping

from mqdiag.facts.verdict import ChainStep
from mqdiag.findings import Confidence, Finding
from mqdiag.text import say
from mqdiag.verdict.effects import of_span, says, word
from mqdiag.verdict.same_fault import threads_of, twins

LONGEST = 8
_SURENESS = {Confidence.HIGH: 0, Confidence.MEDIUM: 1, Confidence.LOW: 2}
_PARTS = (("group", "group"), ("topic", "topic"), ("broker", "broker"), ("queue_id", "queue"))


def chain_of(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """The findings of the chain that the first one belongs to, root cause first."""
    if not findings:
        return ()
    by_print = {finding.fingerprint: finding for finding in findings}
    up = [findings[0]]
    while True:
        causes = [by_print[root] for root in up[0].caused_by if root in by_print and by_print[root] not in up]
        if not causes or len(up) >= LONGEST:
            break
        up.insert(0, min(causes, key=lambda one: _preference(one, findings)))
    chain = up
    seen = {finding.fingerprint for finding in chain}
    seen |= {twin.fingerprint for finding in chain for twin in twins(finding, findings)}
    found = True
    while found and len(chain) < LONGEST:
        found = False
        for finding in findings:
            if finding.fingerprint not in seen and set(finding.caused_by) & seen:
                chain.append(finding)
                seen.add(finding.fingerprint)
                found = True
    return tuple(sorted(chain, key=lambda one: _depth(one, by_print)))[:LONGEST]


def _preference(finding: Finding, findings: tuple[Finding, ...]) -> tuple[int, int, int, int]:
    """Of several causes the worst and surest, before it one that two kinds of evidence show."""
    seen_twice = 0 if twins(finding, findings) else 1
    return (seen_twice, finding.severity.rank, _SURENESS[finding.confidence], findings.index(finding))


def _depth(finding: Finding, by_print: Mapping[str, Finding], below: frozenset[str] = frozenset()) -> int:
    if finding.fingerprint in below:
        return 0
    deeper = below | {finding.fingerprint}
    roots = (by_print[root] for root in finding.caused_by if root in by_print)
    return max((1 + _depth(root, by_print, deeper) for root in roots), default=0)


def steps(chain: tuple[Finding, ...], findings: tuple[Finding, ...]) -> tuple[ChainStep, ...]:
    """The chain for the report."""
    made: list[ChainStep] = []
    for finding, alike in _folded(chain):
        same = (*twins(finding, findings), *alike)
        cause = _nearest_cause(finding, chain, findings)
        made.append(
            ChainStep(
                fingerprint=finding.fingerprint,
                also=tuple(twin.fingerprint for twin in same),
                says=(finding.title if cause is None else says(finding)) + _and_more(finding, alike),
                word="" if cause is None else word(cause, finding),
                tied_by=() if cause is None else _ties(cause, finding, findings),
                seen_in=tuple(dict.fromkeys(kind for one in (finding, *same) for kind in one.seen_in)),
            )
        )
    return tuple(made)


def _folded(chain: tuple[Finding, ...]) -> list[tuple[Finding, tuple[Finding, ...]]]:
    """Findings of one rule about one group are one link: seen at several queues, or in several kinds of evidence."""
    groups: dict[tuple[str, str | None], list[Finding]] = {}
    for finding in chain:
        groups.setdefault((finding.rule, finding.subject.group), []).append(finding)
    folded = []
    for members in groups.values():
        first = min(members, key=lambda one: (one.severity.rank, not of_span(one), members.index(one)))
        folded.append((first, tuple(one for one in members if one is not first)))
    return folded


def _and_more(finding: Finding, alike: tuple[Finding, ...]) -> str:
    """How many more queues the same is true of."""
    subject = finding.subject
    others = {
        (one.subject.topic, one.subject.broker, one.subject.queue_id)
        for one in alike
        if one.subject.queue_id is not None
    } - {(subject.topic, subject.broker, subject.queue_id)}
    if subject.queue_id is None or not others:
        return ""
    return say(", and {number:count} more {number:queue|queues} like it", number=len(others))


def _nearest_cause(
    finding: Finding, chain: tuple[Finding, ...], findings: tuple[Finding, ...]
) -> Finding | None:
    """The last link before it that explains it, by itself or by its twin in other evidence."""
    for before in reversed(chain[: chain.index(finding)]):
        prints = {before.fingerprint, *(twin.fingerprint for twin in twins(before, findings))}
        if prints & set(finding.caused_by):
            return before
    return None


def _ties(cause: Finding, effect: Finding, findings: tuple[Finding, ...]) -> tuple[str, ...]:
    """What both name, the cause in any of the evidence that shows it."""
    shown = (cause, *twins(cause, findings))
    return tuple(dict.fromkeys(tie for one in shown for tie in _shared(one, effect)))


def _shared(cause: Finding, effect: Finding) -> list[str]:
    shared = [
        f"{say(name)} {getattr(cause.subject, part)}"
        for part, name in _PARTS
        if getattr(cause.subject, part) is not None
        and getattr(cause.subject, part) == getattr(effect.subject, part)
    ]
    names = sorted(threads_of(cause) & threads_of(effect))
    if names:
        shared.append(
            say("thread {names}", names=names[0])
            + (say(" and {names} more", names=len(names) - 1) if len(names) > 1 else "")
        )
    message = cause.evidence.get("msg_id")
    if message is not None and message == effect.evidence.get("msg_id"):
        shared.append(say("message {message}", message=message))
    return shared
