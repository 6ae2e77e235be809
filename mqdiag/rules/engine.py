"""Runs the rules over the facts: findings in order, what was skipped, what crashed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass

import msgspec

from mqdiag.facts import Facts
from mqdiag.findings import Acceptance, Failed, Finding, RuleCard, Severity, Skipped, fingerprint
from mqdiag.language import later, say
from mqdiag.rules.registry import Draft, Rule, Skip
from mqdiag.spells import apart, moments

EVIDENCE = {
    "heap": later("heap dump"),
    "stacks": later("stack samples"),
    "logs": later("logs"),
    "stores": later("store folders"),
    "admin": later("mqadmin output"),
    "fleet": later("fleet run"),
}
"""What each part of `Facts` is called when it is missing."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What the rules said."""

    findings: tuple[Finding, ...]
    skipped: tuple[Skipped, ...]
    failed: tuple[Failed, ...]
    ignored: tuple[Finding, ...] = ()
    """what ignored rules found"""
    errors: tuple[BaseException, ...] = ()
    """the crashes themselves, for `--debug`"""


def run_rules(
    rules: Iterable[Rule],
    facts: Facts,
    *,
    limits: Mapping[str, Mapping[str, float]] | None = None,
    severities: Mapping[str, Severity] | None = None,
    ignored: Mapping[str, Acceptance] | None = None,
) -> Outcome:
    """Check all rules.

    Args:
        rules: rules to run.
        facts: the evidence.
        limits: thresholds to put over the defaults, by rule.
        severities: severity overrides, by rule.
        ignored: rules whose findings are kept apart; each is listed as skipped, with the reason, when it fires.
    """
    limits, severities, ignored = limits or {}, severities or {}, ignored or {}
    findings: list[Finding] = []
    skipped: list[Skipped] = []
    failed: list[Failed] = []
    set_apart: list[Finding] = []
    errors: list[BaseException] = []
    explained_by: dict[str, tuple[str, ...]] = {}
    of_process: set[str] = set()
    for rule in rules:
        name = rule.card.name
        explained_by[name] = rule.explained_by
        if rule.of_process:
            of_process.add(name)
        missing = missing_evidence(rule.card, facts)
        if missing is not None:
            skipped.append(Skipped(rule=name, reason=missing))
            continue
        own = {**rule.card.limits, **limits.get(name, {})}
        try:
            said = list(rule.check(facts, own))
            seen_in = _sightings(rule, facts, own)
        except Exception as error:
            failed.append(Failed(rule=name, error=f"{type(error).__name__}: {error}"))
            errors.append(error)
            continue
        for item in said:
            if isinstance(item, Skip):
                skipped.append(Skipped(rule=name, reason=say(item.reason)))
            elif name in ignored:
                skipped.append(Skipped(rule=name, reason=_ignored(ignored[name])))
                found = _finding(rule, item, seen_in, severities.get(name), facts)
                set_apart.append(msgspec.structs.replace(found, accepted=ignored[name]))
            else:
                findings.append(_finding(rule, item, seen_in, severities.get(name), facts))
    return Outcome(
        findings=order(link(findings, explained_by, of_process)),
        skipped=tuple(dict.fromkeys(skipped)),
        failed=tuple(failed),
        ignored=order(set_apart),
        errors=tuple(errors),
    )


def _ignored(acceptance: Acceptance) -> str:
    until = "" if acceptance.until is None else say(" until {until}", until=acceptance.until.isoformat())
    return say("ignored by configuration{until}: {reason}", until=until, reason=acceptance.reason)


def missing_evidence(card: RuleCard, facts: Facts) -> str | None:
    """Why a rule cannot be checked on these facts; None when it can."""
    missing = [need for need in card.needs if getattr(facts, need, None) is None]
    if missing:
        return "; ".join(_not_given((need,)) for need in missing)
    if card.any_of and all(getattr(facts, need, None) is None for need in card.any_of):
        return _not_given(card.any_of)
    return None


def _not_given(needs: tuple[str, ...]) -> str:
    what = say(" and no ").join(say(EVIDENCE[need]) for need in needs)
    if EVIDENCE[needs[-1]].endswith("s"):
        return say("no {what} were given", what=what)
    return say("no {what} was given", what=what)


def _sightings(rule: Rule, facts: Facts, limits: Mapping[str, float]) -> dict[str | None, tuple[str, ...]]:
    """The kinds of evidence that show each finding, by fingerprint; under None what the rule looks at.

    Where several kinds are there of which one is enough, the rule is asked of each alone.
    """
    there = [part for part in rule.card.any_of if getattr(facts, part, None) is not None]
    seen: dict[str | None, tuple[str, ...]] = {None: (*rule.card.needs, *there)}
    if len(there) < 2:
        return seen
    for part in there:
        alone = msgspec.structs.replace(facts, **{other: None for other in there if other != part})
        for item in rule.check(alone, limits):
            if isinstance(item, Draft):
                key = fingerprint(rule.card.name, item.cause, item.subject)
                seen[key] = (*seen.get(key, rule.card.needs), part)
    return seen


def _finding(
    rule: Rule,
    draft: Draft,
    seen_in: Mapping[str | None, tuple[str, ...]],
    severity: Severity | None,
    facts: Facts,
) -> Finding:
    identity = fingerprint(rule.card.name, draft.cause, draft.subject)
    shown_by = draft.seen_in or seen_in.get(identity, seen_in[None])
    return Finding(
        rule=rule.card.name,
        severity=severity or draft.severity,
        cause=draft.cause,
        confidence=draft.confidence,
        fingerprint=identity,
        title=say(draft.title),
        subject=draft.subject,
        evidence=dict(draft.evidence),
        explanation=tuple(map(say, draft.explanation)),
        remedy=tuple(map(say, draft.remedy)),
        confidence_reason=say(draft.confidence_reason),
        references=rule.card.references,
        weight=draft.weight,
        seen_in=shown_by,
        rests_on=draft.rests_on,
        spells=draft.spells or moments(facts.heap, facts.stacks, shown_by, draft.evidence.items()),
    )


def link(
    findings: list[Finding], explained_by: Mapping[str, tuple[str, ...]], of_process: Set[str] = frozenset()
) -> list[Finding]:
    """Fill `caused_by` from the rules' own word on what explains them, where subjects and times agree.

    Args:
        findings: all of one process, or of none.
        explained_by: the rules that explain each rule.
        of_process: rules about something that the whole process shares, though they name a thread.
    """
    linked = []
    for finding in findings:
        roots = explained_by.get(finding.rule, ())
        causes = tuple(
            other.fingerprint
            for other in findings
            if (other.rule in roots or f"{other.rule}:{other.cause}" in roots)
            and other is not finding
            and finding.subject.overlaps(other.subject)
            and apart(other, finding) is not True
            and not (other.rule in of_process and _of_another_process(other, finding))
            and (of_process & {other.rule, finding.rule} or not _of_others(other, finding))
        )
        linked.append(msgspec.structs.replace(finding, caused_by=tuple(dict.fromkeys(causes))))
    return linked


def _of_others(root: Finding, effect: Finding) -> bool:
    """A thread that serves no group has nothing to do with what a group suffers, unless both findings name it."""
    alone = [one.subject.thread is not None and one.subject.group is None for one in (root, effect)]
    grouped = [one.subject.group is not None for one in (root, effect)]
    if not ((alone[0] and grouped[1]) or (grouped[0] and alone[1])):
        return False
    return not _named_threads(root) & _named_threads(effect)


def _of_another_process(root: Finding, effect: Finding) -> bool:
    """Whether the logs of both lie in different folders, as those of two processes do."""
    mine, theirs = ({path.rpartition("/")[0] for path in one.rests_on} for one in (root, effect))
    return bool(mine and theirs) and not mine & theirs


def _named_threads(finding: Finding) -> set[str]:
    names = finding.evidence.get("threads")
    single = (finding.evidence.get(key) for key in ("thread", "holder"))
    return {str(name) for name in (*(names if isinstance(names, tuple) else ()), *single) if name is not None}


def order(findings: list[Finding]) -> tuple[Finding, ...]:
    """Severity; a root cause before what it causes; the share explained; the rule's name."""
    by_fingerprint = {finding.fingerprint: finding for finding in findings}

    def depth(finding: Finding, seen: tuple[str, ...] = ()) -> int:
        if finding.fingerprint in seen:
            return 0
        below = (*seen, finding.fingerprint)
        roots = (by_fingerprint[print_] for print_ in finding.caused_by if print_ in by_fingerprint)
        return max((1 + depth(root, below) for root in roots), default=0)

    return tuple(
        sorted(
            findings,
            key=lambda found: (
                found.severity.rank,
                depth(found),
                -found.weight,
                found.rule,
                found.fingerprint,
            ),
        )
    )
