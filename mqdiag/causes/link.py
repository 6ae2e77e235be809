"""Which finding causes which, and the order that follows from it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from mqdiag.causes.same_finding import threads_of
from mqdiag.findings import Finding, RuleCard, Severity
from mqdiag.log_events import folder_of
from mqdiag.time_ranges import apart

LONGEST = 8
"""findings of a chain of causes"""
ANY_RULE, ANY_FAULT, SAME_THREADS = "*", "any fault", "same threads"
"""marks in `gives_way_to`: any finding, a fault in the same evidence, findings that name most of the same threads"""


def link(
    findings: Sequence[Finding], cards: Mapping[str, RuleCard], *, severity_set: Collection[str] = ()
) -> list[Finding]:
    """Fill `caused_by`: a rule's card says what explains it; subject, time and process must agree.

    A finding that nothing as severe explains gets the severity that its card gives for that. One that may be quoted
    is a warning at most. One that gives way to another is left out.

    Args:
        findings: all of a report; `processes` tells those of several JVMs apart.
        cards: of their rules, by name.
        severity_set: rules of which the configuration sets the severity.
    """
    findings = standing(findings)
    by_rule: dict[str, list[int]] = {}
    for place, finding in enumerate(findings):
        by_rule.setdefault(finding.rule, []).append(place)
    linked = []
    for effect in findings:
        roots = _roots(effect, cards)
        rules = dict.fromkeys(root.partition(":")[0] for root in roots)
        causes = [
            cause
            for cause in (
                findings[place] for place in sorted(at for rule in rules for at in by_rule.get(rule, ()))
            )
            if (cause.rule in roots or f"{cause.rule}:{cause.cause}" in roots)
            and cause is not effect
            and can_be_one_story(cause, effect, cards)
        ]
        severity = effect.severity
        if effect.rule not in severity_set:
            severity = _severity_alone(effect, causes, cards) or severity
            if effect.may_be_quoted and severity is Severity.ERROR:
                severity = Severity.WARNING
        linked.append(
            msgspec.structs.replace(
                effect,
                caused_by=tuple(dict.fromkeys(cause.fingerprint for cause in causes)),
                severity=severity,
            )
        )
    return linked


def standing(findings: Sequence[Finding], beside: Sequence[Finding] = ()) -> list[Finding]:
    """The findings without those that give way to another one, or to one that is beside them."""
    all_findings = (*findings, *beside)
    return [
        found for found in findings if not any(_gives_way(found, to, all_findings) for to in found.gives_way_to)
    ]


def _gives_way(finding: Finding, to: str, among: Sequence[Finding]) -> bool:
    """Whether what a finding gives way to is among others; the marks are those of a card.

    A rule by its name may give way to others itself; of all that a mark stands for, only what gives way to none counts.
    What may be quoted hides no fault that is not.
    """
    if finding.is_fault and not finding.may_be_quoted:
        among = [other for other in among if not other.may_be_quoted]
    if to not in (ANY_RULE, ANY_FAULT, SAME_THREADS):
        return any(other.rule == to and to not in other.gives_way_to for other in among)
    speaking = [found for found in among if not found.gives_way_to]
    if to == ANY_RULE:
        return bool(speaking)
    if to == SAME_THREADS:
        own = threads_of(finding)
        told = own.intersection(name for other in speaking for name in threads_of(other))
        return 2 * len(told) > len(own)
    seen = set(finding.seen_in)
    return any(other.is_fault and seen.intersection(other.seen_in) for other in speaking)


def _roots(effect: Finding, cards: Mapping[str, RuleCard]) -> tuple[str, ...]:
    """The rules that may explain a finding, as its card names them."""
    card = cards.get(effect.rule)
    if card is None or (card.explained_causes and effect.cause not in card.explained_causes):
        return ()
    return card.explained_by


def _severity_alone(
    finding: Finding, causes: Sequence[Finding], cards: Mapping[str, RuleCard]
) -> Severity | None:
    """The severity of a remark by itself; None where one of its causes says as much."""
    alone = cards[finding.rule].severity_alone if finding.rule in cards else None
    if (
        alone is None
        or finding.severity is not Severity.INFO
        or any(cause.severity.rank <= alone.rank for cause in causes)
    ):
        return None
    return alone


def can_be_one_story(cause: Finding, effect: Finding, cards: Mapping[str, RuleCard]) -> bool:
    """Whether two findings can be cause and effect, by what they are about, by their times and by their processes."""
    return (
        (cause.subject.overlaps(effect.subject) or _has_the_holder(cause, effect))
        and apart(cause, effect) is not True
        and _of_one_process(cause, effect, cards)
        and _share_threads(cause, effect, cards)
    )


def _of_one_process(cause: Finding, effect: Finding, cards: Mapping[str, RuleCard]) -> bool:
    """Whether nothing tells that they are of two processes.

    What is of no process, such as a log, belongs to one only where both name the same group or broker, and where one
    process alone has the finding: with two of them nobody knows which one the log is of. What happens to a broker is
    felt by clients, which are other processes; so is what another process is known to wait for.
    """
    mine, theirs = set(cause.processes), set(effect.processes)
    if theirs & set(cause.felt_in):
        return True
    if mine and theirs:
        return bool(mine & theirs)
    if mine or theirs:
        return len(mine | theirs) == 1 and _name_the_same(cause, effect)
    if cause.subject.broker is not None:
        return True
    return not (_of_process(cause, cards) and _logs_of_two_folders(cause, effect))


def _name_the_same(cause: Finding, effect: Finding) -> bool:
    return any(
        getattr(cause.subject, part) is not None
        and getattr(cause.subject, part) == getattr(effect.subject, part)
        for part in ("group", "broker")
    )


def _logs_of_two_folders(cause: Finding, effect: Finding) -> bool:
    """Whether the logs of both lie in different folders, as those of two processes do."""
    mine, theirs = ({folder_of(path) for path in one.rests_on} for one in (cause, effect))
    return bool(mine and theirs) and not mine & theirs


def _share_threads(cause: Finding, effect: Finding, cards: Mapping[str, RuleCard]) -> bool:
    """A thread that serves no group does not explain what a group suffers, unless both findings name it.

    What other processes wait for explains what is said of the threads that are known to wait.
    """
    felt_by = cause.evidence.get("felt_by")
    if isinstance(felt_by, tuple | list) and felt_by and set(effect.processes) & set(cause.felt_in):
        return not threads_of(effect) or not threads_of(effect).isdisjoint(map(str, felt_by))
    if _of_process(cause, cards) or _of_process(effect, cards):
        return True
    alone = [one.subject.thread is not None and one.subject.group is None for one in (cause, effect)]
    grouped = [one.subject.group is not None for one in (cause, effect)]
    if not ((alone[0] and grouped[1]) or (grouped[0] and alone[1])):
        return True
    return bool(_named_threads(cause) & _named_threads(effect))


def _has_the_holder(cause: Finding, effect: Finding) -> bool:
    """Whether the thread that an effect waits for is one of the cause, which may be of another pool or group."""
    holder = effect.evidence.get("holder")
    return isinstance(holder, str) and holder in threads_of(cause)


def _of_process(finding: Finding, cards: Mapping[str, RuleCard]) -> bool:
    """Whether it names a thread, yet hits the whole process."""
    return finding.rule in cards and cards[finding.rule].of_process


def _named_threads(finding: Finding) -> frozenset[str]:
    holder = finding.evidence.get("holder")
    return threads_of(finding) | ({holder} if isinstance(holder, str) else frozenset())


def causes_before(
    finding: Finding, findings: Collection[Finding], preference: Callable[[Finding], Any], *, longest: int
) -> list[Finding]:
    """What explains a finding, and what explains that, root cause first; a circle of causes counts once.

    Args:
        finding: where the climb begins.
        findings: those that may be causes.
        preference: of several causes of one finding, the one with the least value is taken.
        longest: causes at most.
    """
    by_print = {one.fingerprint: one for one in findings}
    chain = [finding]
    while len(chain) <= longest:
        causes = [by_print[cause] for cause in chain[0].caused_by if cause in by_print]
        causes = [cause for cause in causes if cause not in chain]
        if not causes:
            break
        chain.insert(0, min(causes, key=preference))
    return chain[:-1]


def order(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Severity; a root cause before what it causes; the share explained; the rule's name."""
    depths = Depths(findings)
    trees = _weights_of_trees(findings)
    return tuple(
        sorted(
            findings,
            key=lambda found: (
                found.severity.rank,
                depths.of(found),
                -trees[found.fingerprint],
                found.rule,
                found.fingerprint,
            ),
        )
    )


def _weights_of_trees(findings: Sequence[Finding]) -> dict[str, float]:
    """Weight of each finding; of those that threads show, with the threads of all that they cause."""
    effects: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        for cause in finding.caused_by:
            effects[cause].append(finding)
    weights: dict[str, float] = {}
    for finding in findings:
        weights[finding.fingerprint] = max(finding.weight, weights.get(finding.fingerprint, 0.0))
        names = set(threads_of(finding)) if "stacks" in finding.seen_in else set()
        if not names or not effects[finding.fingerprint]:
            continue
        seen, left = {finding.fingerprint}, [finding.fingerprint]
        while left:
            for effect in effects[left.pop()]:
                if effect.fingerprint not in seen:
                    seen.add(effect.fingerprint)
                    left.append(effect.fingerprint)
                    names |= threads_of(effect)
        weights[finding.fingerprint] = max(weights[finding.fingerprint], float(len(names)))
    return weights


class Depths:
    """How many causes lie before each finding, on the longest way; the causes of a circle count once each."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        causes = {finding.fingerprint: finding.caused_by for finding in findings}
        self._depths: dict[str, int] = {}
        for circle in _circles(causes):
            before = (self._depths[cause] for one in circle for cause in causes[one] if cause in self._depths)
            depth = max((1 + depth for depth in before), default=0) + (len(circle) if len(circle) > 1 else 0)
            self._depths.update(dict.fromkeys(circle, depth))

    def of(self, finding: Finding) -> int:
        """0 for a root cause."""
        return self._depths[finding.fingerprint]


def _circles(causes: Mapping[str, Sequence[str]]) -> Iterator[list[str]]:
    """Fingerprints that are causes of each other, or one by itself; each after all of its causes.

    Tarjan's strongly connected components (SIAM Journal on Computing 1, 1972), in linear time: a hostile thread dump
    makes a circle of hundreds of findings, which has too many ways to go them all.
    """
    numbers: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    for start in causes:
        way = [] if start in numbers else [(start, iter(causes[start]))]
        while way:
            here, left = way[-1]
            if here not in numbers:
                numbers[here] = lowest[here] = len(numbers)
                stack.append(here)
                on_stack.add(here)
            deeper = next(
                (cause for cause in left if cause in causes and _is_open(cause, numbers, on_stack)), None
            )
            if deeper is not None and deeper not in numbers:
                way.append((deeper, iter(causes[deeper])))
                continue
            if deeper is not None:
                lowest[here] = min(lowest[here], numbers[deeper])
                continue
            way.pop()
            if way:
                above = way[-1][0]
                lowest[above] = min(lowest[above], lowest[here])
            if lowest[here] == numbers[here]:
                circle = [stack.pop()]
                while circle[-1] != here:
                    circle.append(stack.pop())
                on_stack.difference_update(circle)
                yield circle


def _is_open(cause: str, numbers: Mapping[str, int], on_stack: Collection[str]) -> bool:
    """Whether a cause was not met yet, or belongs to a circle that is not complete yet."""
    return cause not in numbers or cause in on_stack
