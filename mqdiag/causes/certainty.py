"""How sure the chain is: evidence that agrees or disagrees, and links whose times cannot be compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

import msgspec

from mqdiag.causes.same_finding import SameFindings, threads_of
from mqdiag.facts.evidence_kinds import evidence_names
from mqdiag.facts.verdict import ChainStep
from mqdiag.findings import Confidence, Finding, Report, TimeRange
from mqdiag.text import Text, say
from mqdiag.time_ranges import apart

_ORDER = (Confidence.LOW, Confidence.MEDIUM, Confidence.HIGH)
Link = tuple[Finding, Finding]
"""a cause and its effect"""


def certainty(
    root: Finding, same: SameFindings, contradictions: tuple[Text, ...], untimed: Sequence[Link]
) -> tuple[Confidence, Text]:
    """As sure as the root cause; surer where other evidence shows the same, less sure where evidence disagrees.

    Args:
        root: the root cause.
        same: what shows the same fault in other evidence.
        contradictions: where evidence disagrees.
        untimed: links of which nothing shows that cause and effect were at one time.
    """
    others = same.of(root)
    best = max((root, *others), key=lambda one: _ORDER.index(one.confidence))
    level, reason = best.confidence, best.confidence_reason
    if others:
        level = Confidence.HIGH if level is not Confidence.LOW else Confidence.MEDIUM
        kinds = sorted({kind for one in (root, *others) for kind in one.seen_in})
        reason = say("{kinds:and} show it independently", kinds=evidence_names(kinds))
    if contradictions:
        level = _less(level)
        reason = say("the evidence disagrees: {contradiction}", contradiction=contradictions[0])
    if untimed:
        cause, effect = untimed[0]
        level = _less(level)
        reason = say(
            "nothing shows that these were at the same time: {cause}, and {effect} ({why})",
            cause=cause.in_chain,
            effect=effect.in_chain,
            why=_why_untimed(cause, effect),
        )
    return level, reason


def _less(level: Confidence) -> Confidence:
    return _ORDER[max(_ORDER.index(level) - 1, 0)]


def untimed_links(
    steps: tuple[ChainStep, ...], findings: tuple[Finding, ...], same: SameFindings, zone: str | None
) -> tuple[Link, ...]:
    """Links of the chain of which nothing shows that both ends were at one time.

    Args:
        steps: of the chain.
        findings: all of them.
        same: what shows the same fault in other evidence.
        zone: in which local times of logs are taken to be; None for any.
    """
    by_print = {finding.fingerprint: finding for finding in findings}
    chain = [by_print[step.fingerprint] for step in steps]
    return tuple(
        (before, finding)
        for place, finding in enumerate(chain)
        for before in _causes(finding, chain[:place], same, zone)[:1]
        if not _at_one_time(before, finding, same, zone)
    )


def zone_of_dumps(report: Report) -> str | None:
    """The zone of the thread dumps, which print local times: `mqdiag capture` noted when it took them."""
    series = () if report.stacks is None else report.stacks.series
    zones = {
        datetime.fromisoformat(one.captured_at).isoformat()[-6:]
        for one in series
        if one.captured_at is not None and one.captured_local is not None
    }
    return zones.pop() if len(zones) == 1 else None


def _in_zone(finding: Finding, zone: str | None) -> Finding:
    """The finding with the local times of its logs in a zone."""
    local = [datetime.fromisoformat(period.first).tzinfo is None for period in finding.when]
    if zone is None or not any(local):
        return finding
    return msgspec.structs.replace(
        finding,
        when=tuple(
            TimeRange(first=period.first + zone, last=period.last + zone) if is_local else period
            for period, is_local in zip(finding.when, local, strict=True)
        ),
    )


def _causes(finding: Finding, earlier: list[Finding], same: SameFindings, zone: str | None) -> list[Finding]:
    """Steps that explain it; those whose times agree come first."""
    found = [
        before
        for before in earlier
        if {before.fingerprint, *(other.fingerprint for other in same.of(before))} & set(finding.caused_by)
    ]
    return sorted(found, key=lambda before: not _at_one_time(before, finding, same, zone))


def _at_one_time(cause: Finding, effect: Finding, same: SameFindings, zone: str | None) -> bool:
    """Whether both are of one time, by their clocks or by one message, thread or queue that both are about."""
    for one in (cause, *same.of(cause)):
        message = one.evidence.get("msg_id")
        if (
            (message is not None and message == effect.evidence.get("msg_id"))
            or threads_of(one) & threads_of(effect)
            or (one.subject.queue_id is not None and one.subject.queue_id == effect.subject.queue_id)
            or (one.seen_in == effect.seen_in and not (one.when or effect.when))
            # dumps of one process, or they would not be joined; what days keep apart is not joined either
            or {*one.seen_in, *effect.seen_in} <= {"heap", "stacks", "recordings"}
            or apart(_in_zone(one, zone), _in_zone(effect, zone)) is False
        ):
            return True
    return False


def _why_untimed(cause: Finding, effect: Finding) -> Text:
    """Which of both has no time, or none that compares."""
    for one in (cause, effect):
        if not one.when:
            return say("{fault}: the evidence has no time", fault=one.in_chain)
    return say("a log has local times: --utc-offset +08:00, or what its zone is, makes them comparable")


def elsewhere(chain: tuple[Finding, ...], candidates: Sequence[Finding]) -> Iterator[Text]:
    """Faults that this chain has nothing to do with, by their times or their brokers."""
    inside = {finding.fingerprint for finding in chain}
    for found in candidates:
        if found.fingerprint in inside or set(found.caused_by) & inside:
            continue
        if all(apart(one, found) is True for one in chain):
            first, last = found.when[0].first, found.when[-1].last
            if first == last:
                yield say("{title}: at another time, {first:time}", title=found.title, first=first)
            else:
                yield say(
                    "{title}: at another time, {first:time} to {last:time}",
                    title=found.title,
                    first=first,
                    last=last,
                )
        elif _at_other_broker(chain[0], found):
            yield say("{title}: at another broker, {broker}", title=found.title, broker=broker_of(found))


def broker_of(finding: Finding) -> str | None:
    """The broker, with what tells it from others of its name."""
    name, instance = finding.subject.broker, finding.subject.instance
    return f"{name} ({instance})" if name and instance else name or instance


def _at_other_broker(one: Finding, other: Finding) -> bool:
    return any(
        getattr(one.subject, part) is not None
        and getattr(other.subject, part) is not None
        and getattr(one.subject, part) != getattr(other.subject, part)
        for part in ("broker", "instance")
    )
