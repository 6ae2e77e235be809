"""The reports of a fleet run: of the fleet, with its rules and what single services have, and of each service."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import msgspec

from mqdiag import __version__
from mqdiag.baseline import Baseline, with_baseline
from mqdiag.config import Settings
from mqdiag.diagnose.answer import answered
from mqdiag.diagnose.judge import Diagnosis, judge
from mqdiag.facts import Facts, Input
from mqdiag.facts.fleet import FleetFacts, FleetFailure, FleetTotals
from mqdiag.findings import Finding, Report
from mqdiag.fleet.faults import faults_of
from mqdiag.rules.catalogue import cards_of
from mqdiag.rules.common_cause import key_of
from mqdiag.text import Text, say

if TYPE_CHECKING:
    from mqdiag.fleet.analysis.services import OneService


def fleet_verdict(
    facts: FleetFacts,
    inputs: tuple[Input, ...],
    lone: Iterable[Finding],
    settings: Settings,
    lowered: tuple[str, ...] = (),
) -> Diagnosis:
    """Judge the fleet.

    Args:
        facts: the run.
        inputs: the given paths.
        lone: one finding for each fault of each service.
        settings: thresholds, ignored rules, the baseline.
        lowered: the rule of each finding that the configuration lowered in a service.
    """
    if facts.plan is not None:
        return Diagnosis(report=answered(Report(mqdiag=__version__, inputs=inputs, fleet=facts)))
    unmarked = msgspec.structs.replace(settings, baseline=Baseline())
    diagnosis = judge(Facts(inputs=inputs, fleet=facts, expectations=settings.expectations), unmarked)
    report = diagnosis.report
    common = {found.subject.key: found.fingerprint for found in report.findings}
    linked = (_linked(found, common) for found in report.findings)
    # What is common comes first, and the findings of the services behind it stay: a repair is made in a service.
    findings = sorted((*linked, *lone), key=lambda found: found.severity.rank)
    named = {found.rule for found in (*findings, *report.ignored)}
    report = msgspec.structs.replace(
        report,
        findings=tuple(findings),
        failed=(*report.failed, *faults_of(facts.failures)),
        lowered=(*report.lowered, *lowered),
        rule_cards=tuple(cards_of(named).values()),
    )
    report = with_baseline(report, settings.baseline, settings.today)
    return msgspec.structs.replace(diagnosis, report=answered(report, report.answer.margins))


def _linked(found: Finding, common: Mapping[str | None, str]) -> Finding:
    """The new fault of a service with the common cause that it shares, if there is a finding of that."""
    told = found.evidence
    if told.get("shared_value") is None:
        return found
    key = key_of(*(str(told[part]) for part in ("rule", "cause", "shared", "shared_value")))
    causes = (common[key],) if key in common else ()
    return msgspec.structs.replace(found, caused_by=causes)


def nothing_read(failures: Iterable[FleetFailure]) -> Text:
    """Why a path or a service gave nothing: the reason of the first of its files."""
    first = next((failure for failure in failures if failure.path is not None), None)
    if first is None:
        return say("none of its files could be read")
    return say("none of its files could be read; {path}: {reason}", path=first.path, reason=first.reason)


def service_verdict(facts: FleetFacts, one: OneService, settings: Settings) -> Report:
    """Judge one service by what its own incidents show; beside it stand its changes, and what differs in its groups."""
    state = one.state
    is_lost = state.failed == state.incidents
    given = Input(
        path=state.service,
        complete=not state.lost,
        error=nothing_read(one.failures) if is_lost else None,
    )
    unmarked = msgspec.structs.replace(settings, baseline=Baseline())
    # Without any fact each rule says which evidence it needs.
    report = judge(Facts(inputs=(given,), expectations=settings.expectations), unmarked).report
    report = msgspec.structs.replace(
        report,
        findings=one.findings,
        skipped=tuple(skipped for skipped in report.skipped if skipped.rule not in one.checked),
        checked=one.checked,
        failed=faults_of(one.failures),
        lowered=one.lowered,
        rule_cards=tuple(cards_of({found.rule for found in one.findings}).values()),
        fleet=FleetFacts(
            run=facts.run,
            against=facts.against,
            out=facts.out,
            one_service=True,
            services=(state,),
            hosts=one.hosts,
            failures=one.failures,
            changes=one.changes,
            drifts=one.drifts,
            outliers=one.outliers,
            totals=FleetTotals(
                failures=one.failure_count,
                regressions=sum(change.kind == "regression" for change in one.changes),
                recoveries=sum(change.kind == "recovery" for change in one.changes),
            ),
        ),
    )
    return answered(with_baseline(report, settings.baseline, settings.today))
