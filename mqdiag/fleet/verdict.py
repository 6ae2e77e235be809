"""The report of a fleet run: the fleet's rules, and what single services have that no fleet rule tells."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from mqdiag import __version__
from mqdiag.baseline import Baseline, with_baseline
from mqdiag.config import Settings
from mqdiag.diagnose.answer import answered
from mqdiag.diagnose.judge import Diagnosis, judge
from mqdiag.facts import Facts, Input
from mqdiag.facts.fleet import FleetFacts
from mqdiag.findings import Finding, Report
from mqdiag.fleet.faults import faults_of
from mqdiag.rules import cards_of


def fleet_verdict(
    facts: FleetFacts, inputs: tuple[Input, ...], lone: Iterable[Finding], settings: Settings
) -> Diagnosis:
    """Judge the fleet.

    Args:
        facts: the run.
        inputs: the given paths.
        lone: one finding for each fault of each service.
        settings: thresholds, ignored rules, the baseline.
    """
    if facts.plan is not None:
        return Diagnosis(report=answered(Report(mqdiag=__version__, inputs=inputs, fleet=facts)))
    unmarked = msgspec.structs.replace(settings, baseline=Baseline())
    diagnosis = judge(Facts(inputs=inputs, fleet=facts, expectations=settings.expectations), unmarked)
    report = diagnosis.report
    # What is common comes first, and the findings of the services behind it stay: a repair is made in a service.
    findings = sorted((*report.findings, *lone), key=lambda found: found.severity.rank)
    named = {found.rule for found in (*findings, *report.ignored)}
    report = msgspec.structs.replace(
        report,
        findings=tuple(findings),
        failed=(*report.failed, *faults_of(facts.failures)),
        rule_cards=tuple(cards_of(named).values()),
    )
    report = with_baseline(report, settings.baseline, settings.today)
    return msgspec.structs.replace(diagnosis, report=answered(report, report.answer.margins))
