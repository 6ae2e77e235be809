"""Runs the rules over the facts: what they found, what was skipped, what crashed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from mqdiag.acceptance import Acceptance
from mqdiag.facts import Facts, Input
from mqdiag.facts.evidence_kinds import NAMES
from mqdiag.facts.inputs import AMONG_LINES
from mqdiag.facts.known import KnownOfRun
from mqdiag.findings import Confidence, Failed, Finding, Margin, Severity, Skipped
from mqdiag.fingerprints import fingerprint
from mqdiag.knowledge.words import Words
from mqdiag.rules.catalogue import RuleFile
from mqdiag.rules.discovery import load
from mqdiag.rules.draft import Check, Draft, Limits, Result, Skip
from mqdiag.rules.rule import Rule
from mqdiag.rules.shared.actions import actions, evidence_first
from mqdiag.text import NOTHING, Text, say
from mqdiag.time_ranges import moments

if TYPE_CHECKING:
    from mqdiag.knowledge.team import Team

MOST_FINDINGS = 200
"""findings of one rule that are kept: nobody reads more, and findings are held against each other"""

WORDS = Words("engine")


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What the rules said."""

    findings: tuple[Finding, ...]
    skipped: tuple[Skipped, ...]
    failed: tuple[Failed, ...]
    margins: tuple[Margin, ...] = ()
    """how far from their limits the rules were that found nothing"""
    ignored: tuple[Finding, ...] = ()
    """what ignored rules found"""
    errors: tuple[BaseException, ...] = ()
    """the crashes themselves, for `--debug`"""


def run_rules(
    rules: Iterable[Rule | RuleFile],
    facts: Facts,
    *,
    limits: Mapping[str, Mapping[str, float]] | None = None,
    severities: Mapping[str, Severity] | None = None,
    ignored: Mapping[str, Acceptance] | None = None,
    team: Team | None = None,
) -> Outcome:
    """Check all rules.

    Args:
        rules: rules to run; those that none of the evidence is for are not imported.
        facts: the evidence.
        limits: thresholds to put over the defaults, by rule.
        severities: severity overrides, by rule.
        ignored: rules whose findings are kept apart; each is listed as skipped, with the reason, when it fires.
        team: what a team adds to findings.
    """
    limits, severities, ignored = limits or {}, severities or {}, ignored or {}
    outcome = _Outcome()

    @cache
    def told() -> KnownOfRun:
        return KnownOfRun(facts)

    for listed in rules:
        missing = missing_evidence(listed, facts)
        if missing is not None:
            reason, kinds = missing
            outcome.skipped.append(Skipped(rule=listed.name, reason=reason, needs=kinds))
            continue
        rule = load(listed) if isinstance(listed, RuleFile) else listed
        try:
            said = _ask(rule, facts, {**rule.limits, **limits.get(rule.name, {})})
            drafts = _gravest([(item, kinds) for item, kinds in said if isinstance(item, Draft)])
            severity = severities.get(rule.name)
            found = [_finding(rule, draft, kinds, severity, facts, told) for draft, kinds in drafts]
            if team is not None:
                # Here, not above: most runs know of no team.
                from mqdiag.knowledge.team.in_findings import with_team_words

                found = [with_team_words(one, team) for one in found]
        except Exception as error:
            outcome.failed.append(Failed(rule=rule.name, error=f"{type(error).__name__}: {error}"))
            outcome.errors.append(error)
            continue
        outcome.take(rule.name, [item for item, _ in said], found, ignored.get(rule.name))
    return outcome.whole()


class _Outcome:
    """What the rules said so far."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.skipped: list[Skipped] = []
        self.failed: list[Failed] = []
        self.margins: list[Margin] = []
        self.set_apart: list[Finding] = []
        self.errors: list[BaseException] = []

    def take(self, rule: str, said: list[Result], found: list[Finding], acceptance: Acceptance | None) -> None:
        """What one rule said; its findings are set apart where they are accepted."""
        self.skipped += [Skipped(rule=rule, reason=item.reason) for item in said if isinstance(item, Skip)]
        if not found:
            self.margins += [
                msgspec.structs.replace(item, rule=rule) for item in said if isinstance(item, Margin)
            ]
        if acceptance is None:
            self.findings += found
            return
        self.skipped += [Skipped(rule=rule, reason=_ignored(acceptance)) for _ in found]
        self.set_apart += [msgspec.structs.replace(one, accepted=acceptance) for one in found]

    def whole(self) -> Outcome:
        """The outcome of all rules."""
        return Outcome(
            findings=tuple(self.findings),
            skipped=tuple(dict.fromkeys(self.skipped)),
            failed=tuple(self.failed),
            margins=tuple(self.margins),
            ignored=tuple(self.set_apart),
            errors=tuple(self.errors),
        )


def _checks(rule: Rule, facts: Facts) -> list[tuple[tuple[str, ...], Check]]:
    """The checks of its file, and those that its card describes of what is given, with the evidence that each needs."""
    if not any(_given(facts, kind) for kind in rule.described.evidence):
        return rule.own_checks
    # Here, not above: most rules that run have none.
    from mqdiag.rules.detectors import checks_of

    return [*rule.own_checks, *checks_of(rule, rule.described)]


def _ask(rule: Rule, facts: Facts, limits: Limits) -> list[tuple[Result, tuple[str, ...]]]:
    """All that a rule says, with the kinds of evidence that showed it."""
    said = [
        (item, evidence)
        for evidence, check in _checks(rule, facts)
        if all(_given(facts, kind) for kind in evidence)
        for item in check(facts, limits)
    ]
    shown_by: dict[str, tuple[str, ...]] = {}
    for item, evidence in said:
        if isinstance(item, Draft):
            identity = fingerprint(rule.name, item.cause, item.subject)
            shown_by[identity] = tuple(dict.fromkeys((*shown_by.get(identity, ()), *evidence)))
    return [
        (
            item,
            shown_by[fingerprint(rule.name, item.cause, item.subject)] if isinstance(item, Draft) else evidence,
        )
        for item, evidence in said
    ]


def _gravest(drafts: list[tuple[Draft, tuple[str, ...]]]) -> list[tuple[Draft, tuple[str, ...]]]:
    """The gravest of them, in the rule's own order; the first says how many there are where some are left out."""
    if len(drafts) <= MOST_FINDINGS:
        return drafts
    by_weight = sorted(range(len(drafts)), key=lambda at: (drafts[at][0].severity.rank, -drafts[at][0].weight))
    kept = [drafts[at] for at in sorted(by_weight[:MOST_FINDINGS])]
    first, seen_in = kept[0]
    told = WORDS.say("gravest", found=len(drafts), kept=len(kept))
    kept[0] = (msgspec.structs.replace(first, explanation=(*first.explanation, told)), seen_in)
    return kept


def _given(facts: Facts, kind: str) -> bool:
    return getattr(facts, kind, None) is not None


def _ignored(acceptance: Acceptance) -> Text:
    if acceptance.until is None:
        return WORDS.say("ignored", reason=acceptance.reason)
    return WORDS.say("ignored_until", until=acceptance.until.isoformat(), reason=acceptance.reason)


def missing_evidence(rule: Rule | RuleFile, facts: Facts) -> tuple[Text, tuple[str, ...]] | None:
    """Why none of a rule's checks can be made on these facts, and the kinds it lacks; None when one can."""
    wanting = [tuple(kind for kind in evidence if not _given(facts, kind)) for evidence in rule.evidence]
    if not all(wanting):
        return None
    return needs(tuple(wanting)), tuple(dict.fromkeys(kind for kinds in wanting for kind in kinds))


@cache
def needs(alternatives: tuple[tuple[str, ...], ...]) -> Text:
    """What is missing, such as "needs thread dumps or a heap dump".

    Args:
        alternatives: kinds of evidence that are missing together, of which one set is enough.
    """
    least = min(map(len, alternatives))
    sets = [
        NAMES[kinds[0]] if len(kinds) == 1 else WORDS.say("all_of", kinds=tuple(NAMES[kind] for kind in kinds))
        for kinds in dict.fromkeys(alternatives)
        if len(kinds) == least
    ]
    if len(sets) == 1:
        return WORDS.say("needs_one", what=sets[0])
    return WORDS.say("needs_one_of", some=tuple(sets[:-1]), last=sets[-1])


def _finding(
    rule: Rule,
    draft: Draft,
    seen_in: tuple[str, ...],
    severity: Severity | None,
    facts: Facts,
    told: Callable[[], KnownOfRun],
) -> Finding:
    shown_by = draft.seen_in or seen_in
    confidence, why = draft.confidence, draft.confidence_reason
    doubt = _doubt(draft, shown_by, facts)
    may_be_quoted = doubt in (AMONG_LINES, WORDS.say("followed"), WORDS.say("in_a_value"))
    if doubt is not None and (may_be_quoted or confidence is Confidence.HIGH):
        confidence, why = Confidence.LOW if may_be_quoted else Confidence.MEDIUM, doubt
    subject = draft.subject
    of_run = told().of(subject.group, subject.topic, subject.broker, seen_in=shown_by)
    stated = {**msgspec.structs.asdict(subject), **draft.evidence}
    known = {**stated, **of_run, **{name: value for name, value in stated.items() if value is not None}}
    title = draft.title.filled(known)
    now, then = (tuple(actions(rule.name, steps, known)) for steps in (draft.now, draft.then))
    now = evidence_first(now, facts, known)
    in_chain = draft.in_chain or (say(rule.texts.in_chain) if rule.texts.in_chain else NOTHING)
    return Finding(
        rule=rule.name,
        severity=_at_most_warning(severity or draft.severity)
        if draft.may_be_quoted
        else severity or draft.severity,
        cause=draft.cause,
        confidence=confidence,
        fingerprint=fingerprint(rule.name, draft.cause, draft.subject),
        title=title,
        in_chain=in_chain.filled(known) if in_chain else title,
        subject=draft.subject,
        evidence=dict(draft.evidence),
        explanation=tuple(line.filled(known) for line in draft.explanation),
        remedy=tuple(action.in_a_line for action in (*now, *then)),
        now=now,
        then=then,
        confidence_reason=why.filled(known),
        references=rule.texts.references,
        weight=draft.weight,
        seen_in=shown_by,
        rests_on=draft.rests_on,
        processes=draft.processes,
        felt_in=draft.felt_in,
        when=draft.when or moments(facts.heap, facts.stacks, shown_by, draft.age_ms, facts.asked_at),
        consequence=draft.consequence.filled(known),
        tells_most=draft.tells_most,
        lies_at=rule.texts.lies_at,
        undecides=rule.texts.undecides or draft.undecides,
        may_be_quoted=may_be_quoted,
        gives_way_to=draft.gives_way_to,
    )


def _at_most_warning(severity: Severity) -> Severity:
    return max(severity, Severity.WARNING, key=lambda one: one.rank)


def _shows(given: Input, shown_by: tuple[str, ...]) -> bool:
    """Whether facts of an input may show something; a recording has thread dumps inside."""
    if given.kind == "recording":
        return "recordings" in shown_by or "stacks" in shown_by
    return given.kind in shown_by


def _doubt(draft: Draft, shown_by: tuple[str, ...], facts: Facts) -> Text | None:
    """Why the evidence allows no high confidence, whatever a rule says; None where it does."""
    if any(given.contradictory and _shows(given, shown_by) for given in facts.inputs):
        return WORDS.say("contradictory")
    if any(given.pasted and given.kind in shown_by for given in facts.inputs if given.kind == "admin"):
        return AMONG_LINES
    if draft.may_be_quoted:
        return WORDS.say("in_a_value")
    crashes = () if facts.crash is None or "crash" not in shown_by else facts.crash.reports
    if crashes and all(report.followed for report in crashes):
        return WORDS.say("followed")
    if crashes and all(report.followed or report.is_message for report in crashes):
        return AMONG_LINES
    if {*shown_by} == {"logs"} and draft.unsigned:
        return WORDS.say("unsigned")
    if {*shown_by} == {"logs"} and facts.logs is not None and any(file.cut_at for file in facts.logs.files):
        return WORDS.say("cut")
    of_excerpt = {*shown_by} == {"logs"} and facts.logs is not None and facts.logs.is_excerpt
    if of_excerpt and not draft.sure_in_excerpt:
        return WORDS.say("excerpt")
    return None
