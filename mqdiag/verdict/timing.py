"""What the times of a chain's links tell, what they do not, and which other faults are of another time or broker."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.verdict import ChainStep
from mqdiag.findings import Confidence, Finding, TimeRange
from mqdiag.text import say
from mqdiag.time_ranges import apart
from mqdiag.verdict.same_fault import threads_of, twins

_ORDER = (Confidence.LOW, Confidence.MEDIUM, Confidence.HIGH)


def uncompared(
    steps: tuple[ChainStep, ...], findings: tuple[Finding, ...]
) -> tuple[tuple[Finding, Finding], ...]:
    """Links of which nothing shows that they were at one time: (what goes before, the step)."""
    by_print = {finding.fingerprint: finding for finding in findings}
    chain = [by_print[step.fingerprint] for step in steps]
    return tuple(
        (before, finding)
        for place, finding in enumerate(chain)
        for before in _causes(finding, chain[:place], findings)[:1]
        if not _shown(before, finding, findings)
    )


def _causes(finding: Finding, earlier: list[Finding], findings: tuple[Finding, ...]) -> list[Finding]:
    """Steps that explain it, the surest first: those whose times agree."""
    found = [
        before
        for before in earlier
        if {before.fingerprint, *(twin.fingerprint for twin in twins(before, findings))}
        & set(finding.caused_by)
    ]
    return sorted(found, key=lambda before: not _shown(before, finding, findings))


def _shown(cause: Finding, effect: Finding, findings: tuple[Finding, ...]) -> bool:
    """Whether both are of one time, by their clocks or by one message, thread or queue that both are about."""
    for one in (cause, *twins(cause, findings)):
        message = one.evidence.get("msg_id")
        if (
            (message is not None and message == effect.evidence.get("msg_id"))
            or threads_of(one) & threads_of(effect)
            or (one.subject.queue_id is not None and one.subject.queue_id == effect.subject.queue_id)
            or (one.seen_in == effect.seen_in and not (one.when or effect.when))
            # dumps of one process, or they would not be joined; what days keep apart is not joined either
            or {*one.seen_in, *effect.seen_in} <= {"heap", "stacks"}
            or apart(one, effect) is False
        ):
            return True
    return False


def less_sure(
    level: Confidence, reason: str, untold: tuple[tuple[Finding, Finding], ...]
) -> tuple[Confidence, str]:
    """One step less, with the reason, where a link's times cannot be compared."""
    if not untold:
        return level, reason
    cause, effect = untold[0]
    why = say(
        "whether {cause} and {effect} were at one time cannot be told: {why}",
        cause=cause.rule.replace("-", " "),
        effect=effect.rule.replace("-", " "),
        why=why_untold(cause, effect),
    )
    return _ORDER[max(_ORDER.index(level) - 1, 0)], why


def why_untold(cause: Finding, effect: Finding) -> str:
    """Which of both has no time, or none that compares."""
    for one in (cause, effect):
        if not one.when:
            kinds = say(" and ").join(map(say, one.seen_in)) or one.rule
            return say("{kinds} tell no time for it", kinds=kinds)
    return say("one is known by local times of an unknown zone, which --utc-offset names")


def elsewhere(chain: tuple[Finding, ...], candidates: list[Finding]) -> Iterator[str]:
    """Faults that this chain has nothing to do with, by their times or their brokers."""
    inside = {finding.fingerprint for finding in chain}
    root = chain[0]
    for found in candidates:
        if found.fingerprint in inside or set(found.caused_by) & inside:
            continue
        if all(apart(one, found) is True for one in chain):
            yield say("{title}: at another time, {when}", title=found.title, when=_when(found.when))
        elif _other_broker(root, found):
            yield say("{title}: at another broker, {name}", title=found.title, name=broker_of(found))


def broker_of(finding: Finding) -> str:
    """The broker, with what tells it from others of its name."""
    name, instance = finding.subject.broker, finding.subject.instance
    return f"{name} ({instance})" if name and instance else name or instance or "?"


def _other_broker(one: Finding, other: Finding) -> bool:
    return any(
        getattr(one.subject, part) is not None
        and getattr(other.subject, part) is not None
        and getattr(one.subject, part) != getattr(other.subject, part)
        for part in ("broker", "instance")
    )


def _when(ranges: tuple[TimeRange, ...]) -> str:
    first, last = ranges[0].first, ranges[-1].last
    return first if first == last else say("{first} to {last}", first=first, last=last)
