"""The tables of a fleet run: causes, what hosts share, changes, differing instances, outliers, capacity, lost files."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.fleet import (
    CommonTrait,
    FleetChange,
    FleetFacts,
    FleetFailure,
    GroupCapacity,
    Outlier,
    SettingDrift,
)
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.figures.heat_map import heat_map
from mqdiag.render.parts import AnyPart, Column, Figure, Paragraph, Section, Table
from mqdiag.render.sections.fleet_lists import listed, name_in
from mqdiag.render.sections.fleet_trend import fleet_trend
from mqdiag.render.tables import Tables
from mqdiag.render.wording.words import word
from mqdiag.text import Text, Value, quantity, say

TABLES = Tables("fleet_tables")

_ROWS = (15, 2000)
_MOST_ROWS = 60
_MOST_COLUMNS = 14
_MOST_TEXT_COLUMNS = 6
"""rules beside each other in text"""
_HOSTS_NAMED = 3
_ON_PAPER = frozenset(("common", "trend"))


def fleet_tables(report: Report, view: View) -> Iterator[Section]:
    """What instances have in common, what they differ in, and what was lost; the short form leaves all out."""
    fleet = report.fleet
    if fleet is None or fleet.plan is not None or fleet.one_service:
        return
    for name, heading, parts in (
        ("common", say("What hosts with the same fault share"), _common(fleet)),
        ("causes", say("Causes by spread"), _causes(fleet)),
        ("hosts-by-rule", say("Hosts by service and rule"), _heat(fleet)),
        ("changes", say("Since the earlier run"), changed(fleet)),
        ("drifts", say("Instances of one group that differ"), differing(fleet)),
        ("outliers", say("Instances far from the others of their group"), far_instances(fleet)),
        ("capacity", say("What the thresholds allow, by group"), _capacity(fleet)),
        ("trend", say("Over the latest runs"), fleet_trend(fleet)),
        ("failures", say("Could not be analysed"), lost_files(fleet)),
    ):
        made = [*parts]
        if made:
            yield Section(name=name, title=heading, parts=made, wide=True, paper=name in _ON_PAPER)


def _common(fleet: FleetFacts) -> Iterator[AnyPart]:
    if not fleet.common:
        return
    yield TABLES.table("common", fleet.common, shared=_shared)


def _shared(one: CommonTrait) -> Text:
    return say("{kind} {value}", kind=word(one.kind), value=one.value)


def _causes(fleet: FleetFacts) -> Iterator[AnyPart]:
    table = TABLES.table("causes", fleet.causes)
    return listed(table, fleet.totals.causes)


def _heat(fleet: FleetFacts) -> Iterator[AnyPart]:
    """Hosts that have each fault: as a picture, and in text with numbers as heads."""
    if not fleet.hosts_by_rule:
        return
    by_rule: dict[str, int] = {}
    by_service: dict[str, int] = {}
    counts: dict[tuple[str, str], int] = {}
    for one in fleet.hosts_by_rule:
        service = "/".join(filter(None, (one.environment, one.service)))
        counts[service, one.rule] = one.hosts
    for (service, rule), hosts in counts.items():
        by_rule[rule] = by_rule.get(rule, 0) + hosts
        by_service[service] = by_service.get(service, 0) + hosts
    rules = sorted(by_rule, key=lambda name: (-by_rule[name], name))
    services = sorted(by_service, key=lambda name: (-by_service[name], name))
    title = say(
        "Hosts with each fault, by service; most have {rule}: {hosts:count} {hosts:host|hosts}",
        rule=rules[0],
        hosts=by_rule[rules[0]],
    )
    caption = say("Services by faults: how many of its hosts have it")
    if len(services) > _MOST_ROWS or len(rules) > _MOST_COLUMNS:
        caption = say("{caption}; the picture leaves the smallest rows and columns out", caption=caption)
    yield Figure(
        draw=lambda write: heat_map(write, title, services[:_MOST_ROWS], rules[:_MOST_COLUMNS], counts),
        caption=caption,
        words=_matrix(services, rules[:_MOST_TEXT_COLUMNS], counts),
    )


def _matrix(services: list[str], rules: list[str], counts: dict[tuple[str, str], int]) -> tuple[AnyPart, ...]:
    table = Table(
        name="hosts-by-rule",
        columns=(
            Column(say("service")),
            *(Column(say("({place})", place=place), "count") for place in range(1, len(rules) + 1)),
        ),
        rows=[(service, *(counts.get((service, rule), "·") for rule in rules)) for service in services],
        shown=_ROWS,
    )
    legend = tuple(say("({place}) {rule}", place=place, rule=rule) for place, rule in enumerate(rules, 1))
    return (table, Paragraph(say("{legend}", legend=legend), soft=True))


def changed(fleet: FleetFacts) -> Iterator[AnyPart]:
    """What is new and what is gone since the earlier run."""
    if fleet.against is None and not fleet.changes:
        return
    totals = fleet.totals
    yield Paragraph(
        say(
            "{regressions:count} {regressions:fault is|faults are} new, {recoveries:count} {recoveries:is|are} gone.",
            totals,
        )
    )
    table = TABLES.table(
        "changes",
        fleet.changes,
        change=lambda one: say("gone") if one.kind == "recovery" else say("new"),
        service=lambda one: name_in(one.environment, one.service),
        shared_with=_shared_with,
    )
    yield from listed(table, totals.regressions + totals.recoveries)


def _shared_with(one: FleetChange) -> Value:
    """What the fault has in common with that of other services."""
    if one.shared is None:
        return None
    return say(
        "{kind} {value}, in {services:count} {services:service|services}",
        kind=word(one.shared),
        value=one.shared_value,
        services=one.shared_services,
    )


def differing(fleet: FleetFacts) -> Iterator[AnyPart]:
    """What consumers of one group differ in."""
    table = TABLES.table(
        "drifts", fleet.drifts, group=lambda one: name_in(one.environment, one.group), values=_values
    )
    return listed(table, fleet.totals.drifts)


def _values(drift: SettingDrift) -> tuple[Text, ...]:
    return tuple(
        say("{value}: {instances:count} ({hosts})", one, hosts=one.hosts[:_HOSTS_NAMED]) for one in drift.values
    )


def far_instances(fleet: FleetFacts) -> Iterator[AnyPart]:
    """Instances far from the others of their group."""
    table = TABLES.table(
        "outliers",
        fleet.outliers,
        instance=_instance,
        value=lambda one: quantity(one.value, _kind(one)),
        median=lambda one: quantity(one.median, _kind(one)),
    )
    return listed(table, fleet.totals.outliers)


def _instance(one: Outlier | FleetFailure) -> Text:
    return say("{service}/{host}", service=name_in(one.environment, one.service), host=one.host)


def _kind(one: Outlier) -> str:
    return "bytes" if one.metric.endswith("_bytes") else "count"


def _capacity(fleet: FleetFacts) -> Iterator[AnyPart]:
    table = TABLES.table(
        "capacity", fleet.capacity, group=lambda one: name_in(one.environment, one.group), threshold=_threshold
    )
    return listed(table, len(fleet.capacity))


def _threshold(one: GroupCapacity) -> Value:
    if one.threshold_least == one.threshold_most:
        return one.threshold_least
    return say("{least:count} to {most:count}", least=one.threshold_least, most=one.threshold_most)


def lost_files(fleet: FleetFacts) -> Iterator[AnyPart]:
    """Files that could not be analysed, with the reason of each."""
    table = TABLES.table("failures", fleet.failures, instance=_instance)
    return listed(table, fleet.totals.failures)
