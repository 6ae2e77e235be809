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
from mqdiag.render.wording.words import word
from mqdiag.text import Text, Value, quantity, say

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
    if fleet is None or fleet.plan is not None:
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
    yield Table(
        name="common",
        columns=(
            Column(say("rule"), of="rule"),
            Column(say("cause"), of="cause"),
            Column(say("severity"), of="severity", worded=True),
            Column(say("they share"), of=_shared),
            Column(say("hosts"), "count", of="hosts"),
            Column(say("new in services"), "count", of="new_services", optional=True),
            Column(say("with the fault"), "count", of="fault_hosts"),
            Column(say("services"), "count", of="services"),
            Column(say("in services"), of="example_services", wide=True),
            Column(say("on hosts"), of="example_hosts", wide=True),
        ),
        rows_of=fleet.common,
        shown=_ROWS,
        note=say('"with the fault": hosts that have the fault, whatever they share'),
    )


def _shared(one: CommonTrait) -> Text:
    return say("{kind} {value}", kind=word(one.kind), value=one.value)


def _causes(fleet: FleetFacts) -> Iterator[AnyPart]:
    table = Table(
        name="causes",
        columns=(
            Column(say("rule"), of="rule"),
            Column(say("cause"), of="cause"),
            Column(say("severity"), of="severity", worded=True),
            Column(say("new in services"), "count", of="new_services", optional=True),
            Column(say("services"), "count", of="services"),
            Column(say("hosts"), "count", of="hosts"),
            Column(say("of all hosts"), "percent", of="host_share", wide=True),
            Column(say("groups"), "count", of="groups", wide=True),
            Column(say("findings"), "count", of="findings"),
            Column(say("for example"), of="example_title", wide=True),
            Column(say("in services"), of="example_services", wide=True),
            Column(say("on hosts"), of="example_hosts", wide=True),
        ),
        rows_of=fleet.causes,
        shown=_ROWS,
    )
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
            regressions=totals.regressions,
            recoveries=totals.recoveries,
        )
    )
    table = Table(
        name="changes",
        columns=(
            Column(say("change"), of=lambda one: say("gone") if one.kind == "recovery" else say("new")),
            Column(say("service"), of=lambda one: name_in(one.environment, one.service)),
            Column(say("severity"), of="severity", worded=True, wide=True),
            Column(say("rule"), of="rule", wide=True),
            Column(say("group"), of="group", none="", wide=True, optional=True),
            Column(say("finding"), of="title"),
            Column(say("hosts"), "count", of="hosts"),
            Column(say("build"), of="builds", none="", wide=True, optional=True),
            Column(say("shared"), of=_shared_with, none="", optional=True),
        ),
        rows_of=fleet.changes,
        shown=_ROWS,
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
    table = Table(
        name="drifts",
        columns=(
            Column(say("group"), of=lambda one: name_in(one.environment, one.group)),
            Column(say("setting"), of="key"),
            Column(say("instances"), "count", of="instances"),
            Column(say("values"), of=_values),
        ),
        rows_of=fleet.drifts,
        shown=_ROWS,
    )
    return listed(table, fleet.totals.drifts)


def _values(drift: SettingDrift) -> tuple[Text, ...]:
    return tuple(
        say(
            "{value}: {instances:count} ({hosts})",
            value=one.value,
            instances=one.instances,
            hosts=one.hosts[:_HOSTS_NAMED],
        )
        for one in drift.values
    )


def far_instances(fleet: FleetFacts) -> Iterator[AnyPart]:
    """Instances far from the others of their group."""
    table = Table(
        name="outliers",
        columns=(
            Column(say("group"), of="group"),
            Column(say("instance"), of=_instance),
            Column(say("number"), of="metric"),
            Column(say("value"), of=lambda one: quantity(one.value, _kind(one)), number=True),
            Column(say("median"), of=lambda one: quantity(one.median, _kind(one)), number=True),
            Column(say("deviations"), "decimal", of="score"),
            Column(say("instances"), "count", of="instances", wide=True),
        ),
        rows_of=fleet.outliers,
        shown=_ROWS,
        note=say('"deviations": distance from the median, in robust standard deviations'),
    )
    return listed(table, fleet.totals.outliers)


def _instance(one: Outlier | FleetFailure) -> Text:
    return say("{service}/{host}", service=name_in(one.environment, one.service), host=one.host)


def _kind(one: Outlier) -> str:
    return "bytes" if one.metric.endswith("_bytes") else "count"


def _capacity(fleet: FleetFacts) -> Iterator[AnyPart]:
    table = Table(
        name="capacity",
        columns=(
            Column(say("group"), of=lambda one: name_in(one.environment, one.group)),
            Column(say("instances"), "count", of="instances"),
            Column(say("threshold"), of=_threshold, number=True),
            Column(say("allowed"), "bytes", of="bound_bytes_most"),
            Column(say("least heap"), "bytes", of="heap_bytes_least"),
            Column(say("share"), "percent", of="bound_share_most"),
            Column(say("held"), "bytes", of="held_bytes_most"),
            Column(say("over their heap"), "count", of="over", wide=True),
            Column(say("queues"), "count", of="queues_most", wide=True),
            Column(say("services"), of="services", wide=True),
        ),
        rows_of=fleet.capacity,
        shown=_ROWS,
        note=say('"allowed", "share" and "held" are those of the instance that has most'),
    )
    return listed(table, len(fleet.capacity))


def _threshold(one: GroupCapacity) -> Value:
    if one.threshold_least == one.threshold_most:
        return one.threshold_least
    return say("{least:count} to {most:count}", least=one.threshold_least, most=one.threshold_most)


def lost_files(fleet: FleetFacts) -> Iterator[AnyPart]:
    """Files that could not be analysed, with the reason of each."""
    table = Table(
        name="failures",
        columns=(
            Column(say("instance"), of=_instance),
            Column(say("file"), of="path", none=say("all of it"), whole=True),
            Column(say("kind"), of="kind", worded=True, whole=True),
            Column(say("reason"), of="reason"),
            Column(say("size"), "bytes", of="bytes", wide=True, optional=True),
        ),
        rows_of=fleet.failures,
        shown=_ROWS,
    )
    return listed(table, fleet.totals.failures)
