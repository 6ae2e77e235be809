"""The evidence of an incident through the rules: each process by itself, what they share, one report of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from mqdiag.baseline import Baseline, with_baseline
from mqdiag.causes.agreement import contradicted
from mqdiag.causes.build_verdict import build_verdict
from mqdiag.causes.one_clock import by_one_clock
from mqdiag.causes.same_finding import SameFindings
from mqdiag.config import Settings
from mqdiag.diagnose.answer import answered
from mqdiag.diagnose.judge import Diagnosis, judge
from mqdiag.diagnose.merged import merged
from mqdiag.diagnose.processes import Process
from mqdiag.facts import Facts, Input
from mqdiag.facts.processes import ProcessFacts
from mqdiag.findings import Confidence, Finding, Margin, Report, Skipped
from mqdiag.rules.catalogue import rule_files
from mqdiag.rules.engine import missing_evidence
from mqdiag.text import Text

INPUT_KINDS = {"logs": "log", "recordings": "recording", "profiles": "profile"}
"""what `Input.kind` calls a part of `Facts`, where it is another word"""


def judge_processes(
    processes: Sequence[Process],
    other_inputs: Sequence[Input],
    shared: Mapping[str, object],
    settings: Settings,
) -> Diagnosis:
    """Run all rules.

    With one process everything belongs together. With several, rules see one process at a time, so that nothing is
    concluded from the heap of one and the threads of another; what is of no process is judged by itself.

    Args:
        processes: the JVMs that evidence is of.
        other_inputs: files of shared evidence, and those that gave nothing.
        shared: logs and other evidence of no one process, by field of `Facts`.
        settings: thresholds, expectations, ignored rules.
    """
    if len(processes) == 1:
        own = processes[0]
        together = {**shared, "processes": (own.facts,)}
        facts = _facts((*own.inputs, *other_inputs), own.facts, together, settings)
        diagnosis = judge(facts, settings)
        report = _told(diagnosis.report, facts, None)
        report = _with_verdict(msgspec.structs.replace(report, findings=merged(report.findings)), own, settings)
        return Diagnosis(report=report, crashes=diagnosis.crashes)
    runs = [(own, _facts(own.inputs, own.facts, {}, settings)) for own in processes]
    all_of_them = tuple(own.facts for own in processes)
    rest = _facts(other_inputs, None, {**shared, "processes": all_of_them}, settings)
    # A known finding of one process is not gone because another does not have it: known is told of all together.
    unmarked = msgspec.structs.replace(settings, baseline=Baseline())
    judged = [(own, facts, judge(facts, unmarked)) for own, facts in (*runs, (None, rest))]
    reports = [_told(diagnosis.report, facts, own) for own, facts, diagnosis in judged]
    report, shown = _one_report(processes, reports, [facts for _, facts, _ in judged])
    report = with_baseline(report, settings.baseline, settings.today)
    return Diagnosis(
        report=_with_verdict(report, shown, settings),
        crashes=tuple(crash for _, _, diagnosis in judged for crash in diagnosis.crashes),
    )


def _facts(
    inputs: Sequence[Input], own: ProcessFacts | None, shared: Mapping[str, object], settings: Settings
) -> Facts:
    return msgspec.structs.replace(
        Facts(inputs=tuple(inputs), expectations=settings.expectations),
        heap=None if own is None else own.heap,
        stacks=None if own is None else own.stacks,
        pid=None if own is None else own.pid,
        host=None if own is None else own.host,
        **shared,
    )


def _told(report: Report, facts: Facts, own: Process | None) -> Report:
    """The report with what each finding rests on."""
    return msgspec.structs.replace(
        report,
        findings=tuple(
            msgspec.structs.replace(
                finding,
                rests_on=finding.rests_on or _rests_on(finding, facts),
                processes=finding.processes if own is None else (own.facts.name,),
            )
            for finding in report.findings
        ),
    )


def _rests_on(finding: Finding, facts: Facts) -> tuple[str, ...]:
    """Paths of the inputs of the kinds that it was found in; of one that it names, that one."""
    named = finding.evidence.get("path")
    if any(given.path == named for given in facts.inputs):
        return (str(named),)
    kinds = {INPUT_KINDS.get(part, part) for part in finding.seen_in}
    if "heap" in kinds:
        kinds.add("histogram")
    return tuple(given.path for given in facts.inputs if given.kind in kinds and given.error is None)


def _one_report(
    processes: Sequence[Process], reports: Sequence[Report], facts: Sequence[Facts]
) -> tuple[Report, Process | None]:
    """All reports as one, and the process that it shows; the last one is that of the shared evidence."""
    findings = merged([finding for report in reports for finding in report.findings])
    shown = _shown(processes, findings)
    checked = {name for report in reports for name in report.checked}
    cards = {card.name: card for report in reports for card in report.rule_cards}
    report = msgspec.structs.replace(
        reports[-1],
        inputs=tuple(dict.fromkeys(given for report in reports for given in report.inputs)),
        findings=findings,
        skipped=_skipped(reports, facts),
        failed=tuple(dict.fromkeys(failed for report in reports for failed in report.failed)),
        checked=tuple(sorted(checked)),
        ignored=merged([finding for report in reports for finding in report.ignored]),
        lowered=tuple(name for report in reports for name in report.lowered),
        rule_cards=tuple(cards[name] for name in sorted(cards)),
        heap=None if shown is None else shown.facts.heap,
        stacks=None if shown is None else shown.facts.stacks,
        other_processes=tuple(own.facts for own in processes if own is not shown),
        answer=msgspec.structs.replace(reports[-1].answer, margins=_nearest(reports)),
    )
    return report, shown


def _nearest(reports: Sequence[Report]) -> tuple[Margin, ...]:
    """The margins of all processes; of those with the same words the one that is nearest to its limit."""
    nearest: dict[tuple[str, Text, float], Margin] = {}
    for report in reports:
        for margin in report.answer.margins:
            key = (margin.rule, margin.label, margin.limit)
            if key not in nearest or nearest[key].value < margin.value:
                nearest[key] = margin
    return tuple(nearest.values())


def _with_verdict(report: Report, shown: Process | None, settings: Settings) -> Report:
    if shown is not None:
        report = msgspec.structs.replace(
            report, process=msgspec.structs.replace(shown.facts, heap=None, stacks=None)
        )
    report = by_one_clock(report)
    same = SameFindings(report.findings, {card.name: card for card in report.rule_cards})
    findings = tuple(_weighed(finding, report, same) for finding in report.findings)
    report = msgspec.structs.replace(report, findings=findings, verdict=build_verdict(report))
    return answered(report, report.answer.margins, settings.limits)


def _weighed(finding: Finding, report: Report, same: SameFindings) -> Finding:
    """Less sure where other evidence saw its threads at other work."""
    reason = contradicted(finding, report, same)
    if reason is None:
        return finding
    return msgspec.structs.replace(finding, confidence=Confidence.LOW, confidence_reason=reason)


def _skipped(reports: Sequence[Report], facts: Sequence[Facts]) -> tuple[Skipped, ...]:
    """What could be checked nowhere, with the first reason; and what a rule itself left undecided."""
    by_name = {file.name: file for file in rule_files()}
    checked = {
        name for name, file in by_name.items() if any(missing_evidence(file, one) is None for one in facts)
    }
    never: dict[str, Skipped] = {}
    undecided: dict[Skipped, None] = {}
    for report, given in zip(reports, facts, strict=True):
        for skip in report.skipped:
            if missing_evidence(by_name[skip.rule], given) is None:
                undecided[skip] = None
            elif skip.rule not in checked:
                never.setdefault(skip.rule, skip)
    return (*never.values(), *undecided)


def _shown(processes: Sequence[Process], findings: Sequence[Finding]) -> Process | None:
    """The process of the first finding that is of one; the first process where nothing was found."""
    by_name = {own.facts.name: own for own in processes}
    named = (name for finding in findings for name in finding.processes)
    return next((by_name[name] for name in named), processes[0] if processes else None)
