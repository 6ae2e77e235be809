"""The last step of every diagnosis: facts through the rules into a report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from mqdiag import __version__
from mqdiag.baseline import with_baseline
from mqdiag.causes.link import link, order, standing
from mqdiag.config import Settings
from mqdiag.diagnose.answer import answered
from mqdiag.diagnose.open_in_report import PASTED
from mqdiag.errors import InputError
from mqdiag.facts import Facts, Input
from mqdiag.facts.vocabulary import InputKind
from mqdiag.findings import Confidence, Finding, Report, RuleCard, Severity
from mqdiag.rules.catalogue import RuleFile, cards_of, rule_files
from mqdiag.rules.engine import Outcome, missing_evidence, run_rules
from mqdiag.text import Text, say

IN_A_DOCUMENT = say(
    "it stands in a document, such as a ticket, a mail or a table, and nothing in that says of which process it is"
)
_IN_DOCUMENTS = {"log": "logs", "crash": "crash"}
"""kinds of evidence that documents hold, as findings call them"""
CAUSE_LOST = say("the dump is damaged, and the cause of this may be in the part that was lost")


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """The report, and what went wrong inside while it was made."""

    report: Report
    crashes: tuple[BaseException, ...] = ()
    """one for each rule in `report.failed`"""


def judge(facts: Facts, settings: Settings) -> Diagnosis:
    """Run all rules over the facts; those of a fleet over a fleet's, the others over all else."""
    of_fleet = facts.fleet is not None
    rules = tuple(
        file for file in rule_files() if any(("fleet" in kinds) is of_fleet for kinds in file.evidence)
    )
    outcome = run_rules(
        rules,
        facts,
        limits=settings.limits,
        severities=settings.severities,
        ignored=settings.ignored,
        team=settings.team,
    )
    outcome = _doubted(rules, facts, settings, outcome)
    cards = cards_of({finding.rule for finding in (*outcome.findings, *outcome.ignored)})
    report = Report(
        mqdiag=__version__,
        inputs=facts.inputs,
        findings=order(
            _of_documents(
                _of_pasted(
                    _less_sure(link(outcome.findings, cards, severity_set=settings.severities), cards, facts),
                    facts,
                ),
                facts,
            )
        ),
        skipped=outcome.skipped,
        failed=outcome.failed,
        checked=_checked(rules, facts, outcome),
        ignored=order(outcome.ignored),
        lapsed=settings.lapsed,
        lowered=_lowered(rules, facts, settings, outcome),
        lowered_by=settings.source,
        rule_cards=tuple(cards.values()),
        heap=facts.heap,
        stacks=facts.stacks,
        logs=facts.logs,
        stores=facts.stores,
        admin=facts.admin,
        crash=facts.crash,
        recordings=facts.recordings,
        profiles=facts.profiles,
        services=facts.services,
        fleet=facts.fleet,
    )
    if settings.limits and report.logs is not None:
        # Here, not above: most runs have no limits of their own.
        from mqdiag.diagnose.open_in_logs import talked_down

        report = msgspec.structs.replace(
            report, lowered=(*report.lowered, *talked_down(report, report.logs, settings.limits))
        )
    report = with_baseline(report, settings.baseline, settings.today)
    return Diagnosis(report=answered(report, outcome.margins, settings.limits), crashes=outcome.errors)


def _doubted(rules: tuple[RuleFile, ...], facts: Facts, settings: Settings, outcome: Outcome) -> Outcome:
    """The outcome with doubts where somebody may have written the lines of a log that show a fault."""
    if facts.sure_logs is None:
        return outcome
    # Here, not above: few runs have such lines.
    from mqdiag.diagnose.may_be_written import with_doubts

    def again(without: Facts, names: set[str]) -> tuple[Finding, ...]:
        asked = [rule for rule in rules if rule.name in names]
        return run_rules(asked, without, limits=settings.limits, severities=settings.severities).findings

    return msgspec.structs.replace(
        outcome,
        findings=with_doubts(outcome.findings, facts, again),
        ignored=with_doubts(outcome.ignored, facts, again),
    )


def _less_sure(findings: Iterable[Finding], cards: Mapping[str, RuleCard], facts: Facts) -> tuple[Finding, ...]:
    """Findings of a damaged dump that lack their cause are not sure: what was lost may be the cause."""
    if all(given.complete for given in facts.inputs if given.kind == "heap"):
        return tuple(findings)
    return tuple(
        msgspec.structs.replace(found, confidence=Confidence.MEDIUM, confidence_reason=CAUSE_LOST)
        if found.confidence is Confidence.HIGH
        and "heap" in found.seen_in
        and cards[found.rule].explained_by
        and not found.caused_by
        else found
        for found in findings
    )


def _of_pasted(findings: tuple[Finding, ...], facts: Facts) -> tuple[Finding, ...]:
    """Findings of evidence that somebody pasted into a log are information: whose it is, nobody knows."""
    kinds = set()
    if facts.stacks is not None and facts.stacks.pasted is not None:
        kinds.add("stacks")
    if facts.crash is not None and all(report.pasted for report in facts.crash.reports):
        kinds.add("crash")
    told = (_of_nobody(found) if kinds.intersection(found.seen_in) else found for found in findings)
    if facts.stacks is None or kinds or (doubt := facts.stacks.may_be_pasted) is None:
        return tuple(told)
    return tuple(_may_be_of_nobody(found, doubt) if {*found.seen_in} == {"stacks"} else found for found in told)


def _of_documents(findings: tuple[Finding, ...], facts: Facts) -> tuple[Finding, ...]:
    """Findings of logs and crash reports that stand in documents alone are not sure: whose they are, nobody knows."""
    shown: dict[str, list[Input]] = {}
    for given in facts.inputs:
        if given.was_read and given.kind in _IN_DOCUMENTS:
            shown.setdefault(_IN_DOCUMENTS[given.kind], []).append(given)
    alone = {kind for kind, inputs in shown.items() if all(given.pasted for given in inputs)}
    return tuple(
        msgspec.structs.replace(found, confidence=Confidence.MEDIUM, confidence_reason=IN_A_DOCUMENT)
        if found.confidence is not Confidence.LOW
        and found.confidence_reason != PASTED
        and {*found.seen_in} <= alone
        and found.seen_in
        else found
        for found in findings
    )


def _of_nobody(found: Finding) -> Finding:
    if not found.is_fault:
        undecides = found.undecides and found.severity is Severity.INFO
        return msgspec.structs.replace(
            found, severity=Severity.INFO, undecides=undecides, confidence=Confidence.LOW
        )
    sure = Confidence.LOW if found.confidence is Confidence.LOW else Confidence.MEDIUM
    return msgspec.structs.replace(found, severity=Severity.INFO, confidence=sure, confidence_reason=PASTED)


def _may_be_of_nobody(found: Finding, why: Text) -> Finding:
    severity = max(found.severity, Severity.WARNING, key=lambda one: one.rank)
    return msgspec.structs.replace(
        found, severity=severity, confidence=Confidence.LOW, confidence_reason=why, may_be_quoted=True
    )


def _lowered(
    rules: tuple[RuleFile, ...], facts: Facts, settings: Settings, outcome: Outcome
) -> tuple[str, ...]:
    """The rule of each fault or doubt that would stand, or stand higher, without the configuration."""
    names = {*settings.limits, *settings.severities, *settings.ignored}
    changed = [rule for rule in rules if rule.name in names]
    if not changed:
        return ()
    stands = {found.fingerprint: found.severity for found in outcome.findings}
    return tuple(
        found.rule
        for found in standing(run_rules(changed, facts).findings, outcome.findings)
        if (found.is_fault or found.undecides)
        and (found.fingerprint not in stands or stands[found.fingerprint].rank > found.severity.rank)
    )


def _checked(rules: tuple[RuleFile, ...], facts: Facts, outcome: Outcome) -> tuple[str, ...]:
    out = {failed.rule for failed in outcome.failed}
    out |= {skipped.rule for skipped in outcome.skipped} - {finding.rule for finding in outcome.findings}
    return tuple(rule.name for rule in rules if rule.name not in out and missing_evidence(rule, facts) is None)


def unreadable(name: str, kind: InputKind, error: InputError) -> Input:
    """The entry of an input that gave nothing; its error is one line that does not repeat the path."""
    told = error.without_path
    if error.offset is not None:
        told = say("at byte {offset}: {problem}", offset=error.offset, problem=told)
    elif error.line is not None:
        told = say("at line {line}: {problem}", line=error.line, problem=told)
    return Input(path=name, kind=kind, complete=False, error=told, lack=error.lack)
