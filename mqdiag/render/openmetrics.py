"""Metrics as text for Prometheus: an OpenMetrics exposition that the textfile collector of node-exporter reads too.

All metrics are gauges of one run. A label takes names of services, groups and rules, never of hosts, threads or files,
and a metric has at most MOST series: a fleet of ten thousand services must not fill a Prometheus. What is unknown has
no sample.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from mqdiag.facts.fleet import FleetFacts, FleetTiming
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.wording.ci_commands import Syntax
from mqdiag.render.wording.safe import safe

SYNTAX = Syntax.METRICS
MOST = 200
"""series of one metric; what comes first in the report is kept, which is the worst"""
Labels = Mapping[str, str]
Sample = tuple[Labels, float | None]


@dataclass(frozen=True)
class Metric:
    """A gauge with its samples."""

    name: str
    help: str
    samples: tuple[Sample, ...]


def render(report: Report, view: View) -> str:
    """All metrics of a report; one of a fleet has more of them."""
    metrics = [*_of_any(report), *(_of_fleet(report.fleet) if report.fleet is not None else ())]
    cut = Metric(
        "mqdiag_series_left_out",
        "Series of a metric that are not written, as it has more than the limit.",
        tuple(({"metric": one.name}, len(one.samples) - MOST) for one in metrics if len(one.samples) > MOST),
    )
    lines = [line for metric in (*metrics, cut) for line in _lines(metric)]
    return "\n".join([*lines, "# EOF", ""])


def _of_any(report: Report) -> Iterator[Metric]:
    counts = Counter((found.rule, found.severity.value) for found in report.findings if found.accepted is None)
    yield Metric(
        "mqdiag_build_info", "The version of mqdiag that made the report.", (({"version": report.mqdiag}, 1),)
    )
    yield Metric(
        "mqdiag_findings",
        "Findings of the report that no baseline accepts.",
        tuple(({"rule": rule, "severity": severity}, count) for (rule, severity), count in counts.items()),
    )
    yield Metric(
        "mqdiag_answer",
        "1 for the answer of the report: fault, healthy or undecided.",
        (({"state": report.answer.state}, 1),),
    )
    yield Metric(
        "mqdiag_findings_lowered",
        "Errors and warnings that the configuration lowered, ignored or kept from being found.",
        (({}, len(report.lowered)),),
    )
    yield Metric("mqdiag_rules_failed", "Rules that crashed.", (({}, len(report.failed)),))


def _of_fleet(fleet: FleetFacts) -> Iterator[Metric]:
    totals = fleet.totals
    incidents = {"analysed": totals.analysed, "known": totals.known, "failed": totals.failed}
    yield Metric(
        "mqdiag_fleet_incidents",
        "Incidents of the run: analysed in it, known from earlier runs, and those without a readable file.",
        tuple(({"status": status}, count) for status, count in incidents.items()),
    )
    yield Metric("mqdiag_fleet_services", "Services with evidence.", (({}, totals.services),))
    yield Metric("mqdiag_fleet_hosts", "Hosts with evidence.", (({}, totals.hosts),))
    yield Metric("mqdiag_fleet_lost_files", "Files that could not be analysed.", (({}, totals.failures),))
    yield Metric(
        "mqdiag_fleet_tasks_tried_again",
        "Tasks of the analysis that failed and were tried again.",
        (({}, totals.tried_again),),
    )
    yield Metric(
        "mqdiag_fleet_executors_lost",
        "Executors of Spark that ended during the run.",
        (({}, totals.lost_executors),),
    )
    comparisons = {
        "drift": totals.drifts,
        "outlier": totals.outliers,
        "regression": totals.regressions,
        "recovery": totals.recoveries,
    }
    yield Metric(
        "mqdiag_fleet_comparisons",
        "Differences inside consumer groups, outliers, and faults that are new or gone since the earlier run.",
        tuple(({"kind": kind}, count) for kind, count in comparisons.items()),
    )
    yield Metric(
        "mqdiag_service_open_findings",
        "Open findings of a service.",
        tuple(
            ({"environment": one.environment, "service": one.service, "severity": severity}, count)
            for one in fleet.services
            for severity, count in (("error", one.errors), ("warning", one.warnings))
        ),
    )
    yield Metric(
        "mqdiag_cause_hosts",
        "Hosts that have a fault of a rule and cause.",
        tuple(
            ({"rule": one.rule, "cause": one.cause, "severity": one.severity}, one.hosts)
            for one in fleet.causes
        ),
    )
    yield Metric(
        "mqdiag_group_bound_heap_ratio",
        "Largest share of its heap that the thresholds of an instance of a consumer group allow.",
        tuple(
            ({"environment": one.environment, "group": one.group}, one.bound_share_most)
            for one in fleet.capacity
        ),
    )
    if fleet.timing is not None:
        yield _phases(fleet.timing)


def _phases(timing: FleetTiming) -> Metric:
    phases = {
        "start": timing.start_s,
        "plan": timing.plan_s,
        "work": timing.work_s,
        "tables": timing.tables_s,
        "compare": timing.fleet_s,
    }
    return Metric(
        "mqdiag_fleet_run_seconds",
        "Time that a phase of the run took.",
        tuple(({"phase": phase}, seconds) for phase, seconds in phases.items()),
    )


def _lines(metric: Metric) -> Iterator[str]:
    known = [(labels, value) for labels, value in metric.samples[:MOST] if value is not None]
    if not known:
        return
    yield f"# HELP {metric.name} {metric.help}"
    yield f"# TYPE {metric.name} gauge"
    yield from _samples(metric.name, known)


def _samples(name: str, samples: Iterable[tuple[Labels, float]]) -> Iterator[str]:
    """One line for each; of long names that are the same where they are cut, the first counts."""
    written = set()
    for labels, value in samples:
        pairs = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels.items())
        series = f"{name}{{{pairs}}}" if pairs else name
        if series not in written:
            written.add(series)
            yield f"{series} {value:.15g}"


def _escaped(text: str) -> str:
    """A value of a label, in which a quotation mark or a backslash ends nothing."""
    return safe(text).replace("\\", "\\\\").replace('"', '\\"')
