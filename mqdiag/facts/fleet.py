"""What a fleet run says about many incidents together.

Long lists are cut, the largest or worst first; `totals` tells how many there were. The Parquet tables hold all.
"""

from __future__ import annotations

import msgspec

from mqdiag.facts.redaction import Public, Setting
from mqdiag.facts.vocabulary import ChangeKind, ComparedMetric, DriftKind, LossKind, SeverityName, TraitKind
from mqdiag.text import Text, no_words


class FleetFailure(msgspec.Struct, frozen=True, kw_only=True):
    """A file that could not be analysed."""

    service: Public
    host: Public
    environment: Public = ""
    path: Public | None
    """None when the analysis of the whole incident had a fault"""
    kind: LossKind
    reason: Text
    bytes: int | None = None


class ValueShare(msgspec.Struct, frozen=True, kw_only=True):
    """A value and who has it."""

    value: Setting
    instances: int
    """consumers with this value"""
    hosts: tuple[Public, ...]
    """some of theirs, as service/host"""


class SettingDrift(msgspec.Struct, frozen=True, kw_only=True):
    """Consumers of one group that differ in a setting, in their client's version, or in what they subscribe to."""

    kind: DriftKind
    group: Public
    environment: Public = ""
    key: Public
    """the setting's Java name; "client_version"; "subscriptions" """
    instances: int
    """consumers of the group with a known value"""
    values: tuple[ValueShare, ...]
    """the most common first"""


class Outlier(msgspec.Struct, frozen=True, kw_only=True):
    """An instance far from the others of its group."""

    group: Public
    environment: Public = ""
    service: Public
    host: Public
    metric: ComparedMetric
    value: float
    median: float
    """over the instances of the group"""
    deviation: float
    """median absolute deviation from it"""
    score: float
    """distance from the median in robust standard deviations; negative below it"""
    instances: int


class SharedCause(msgspec.Struct, frozen=True, kw_only=True):
    """One rule and cause over the fleet."""

    rule: Public
    cause: Public
    severity: SeverityName
    """severity of the worst of its findings"""
    services: int
    hosts: int
    groups: int
    incidents: int
    findings: int
    host_share: float
    """share of the hosts of this run"""
    new_services: int | None = None
    """services in which the earlier run looked for it and did not find it; None without an earlier run"""
    example_services: tuple[Public, ...] = ()
    example_hosts: tuple[Public, ...] = ()
    example_title: Text = msgspec.field(default_factory=no_words)
    """title of the worst of its findings"""
    example_remedy: tuple[Text, ...] = ()


class CommonTrait(msgspec.Struct, frozen=True, kw_only=True):
    """What several hosts with one rule and cause have in common."""

    rule: Public
    cause: Public
    kind: TraitKind
    value: Setting
    severity: SeverityName
    """severity of the worst of these findings"""
    services: int
    hosts: int
    incidents: int
    findings: int
    fault_hosts: int
    """hosts with the rule and cause, whatever they share"""
    new_services: int | None = None
    """services for which the fault is new since the earlier run; None without one"""
    trait_hosts: int | None = None
    """hosts that have it, with the fault or without; None where only the fault itself tells of it"""
    other_hosts: int | None = None
    """hosts that are known to have another value"""
    other_fault_hosts: int | None = None
    """hosts with the fault among those with another value"""
    chance: float | None = None
    """chance that so many share it if it has nothing to do with the fault, by Fisher's exact test"""
    example_services: tuple[Public, ...] = ()
    example_hosts: tuple[Public, ...] = ()
    example_title: Text = msgspec.field(default_factory=no_words)
    """title of the worst of its findings"""
    example_remedy: tuple[Text, ...] = ()


class HostsByRule(msgspec.Struct, frozen=True, kw_only=True):
    """How many hosts of a service have a finding of one rule."""

    environment: Public = ""
    service: Public
    rule: Public
    hosts: int


class FleetChange(msgspec.Struct, frozen=True, kw_only=True):
    """A fault that a service has now and had not in the earlier run, or the other way round."""

    kind: ChangeKind
    environment: Public = ""
    service: Public
    rule: Public
    cause: Public
    severity: SeverityName
    fingerprint: Public
    """fingerprint of the finding"""
    group: Public | None = None
    title: Text
    hosts: int
    """with it, in the run that has it"""
    shared: TraitKind | None = None
    """kind of what most other hosts with a new fault have in common with this service"""
    shared_value: Setting | None = None
    shared_services: int | None = None
    """services that share it, with this one"""
    shared_hosts: int | None = None
    builds: tuple[Public, ...] = ()
    """builds that have a new fault, by labels or names of pods; some of them"""
    earlier_builds: tuple[Public, ...] = ()
    """builds of the service in the earlier run"""


class GroupCapacity(msgspec.Struct, frozen=True, kw_only=True):
    """What the thresholds of a group allow against the heaps of its instances."""

    group: Public
    environment: Public = ""
    services: tuple[Public, ...] = ()
    instances: int
    heap_bytes_least: int | None = None
    """smallest heap limit of an instance"""
    bound_bytes_most: int | None = None
    """the most that the thresholds of an instance allow; None without enough messages to know their size"""
    bound_share_most: float | None = None
    """largest share of its own heap"""
    held_bytes_most: int = 0
    """most that an instance holds now, in bodies"""
    threshold_least: int | None = None
    threshold_most: int | None = None
    queues_most: int = 0
    over: int = 0
    """instances with thresholds that allow more than their heap"""


class ServiceState(msgspec.Struct, frozen=True, kw_only=True):
    """One service in this run."""

    environment: Public = ""
    service: Public
    hosts: int
    incidents: int
    failed: int
    """incidents without any readable file"""
    lost: int = 0
    """files that could not be analysed"""
    errors: int
    """findings of severity error"""
    warnings: int
    new: int | None = None
    """faults that the earlier run looked for and did not find; None without an earlier run"""
    known: int | None = None
    """faults that the earlier run has found too"""
    gone: int | None = None
    """faults of the earlier run that this run looked for and did not find"""


class SilentService(msgspec.Struct, frozen=True, kw_only=True):
    """A service that had evidence regularly, and has had none for long."""

    environment: Public = ""
    service: Public
    latest_day: Public
    """day of its latest evidence, in UTC"""
    days_with_evidence: int
    usual_days: float
    """median of the days from one day with evidence to the next"""
    silent_days: int
    """days from its latest evidence to that of the fleet"""


class HostState(msgspec.Struct, frozen=True, kw_only=True):
    """One host of a service in this run."""

    host: Public
    incidents: int
    failed: int
    """incidents without any readable file"""
    errors: int
    """open findings of severity error"""
    warnings: int
    latest_evidence: Public | None = None
    """begin of its latest incident"""


class RunTotals(msgspec.Struct, frozen=True, kw_only=True):
    """What the report of a run counted."""

    run: Public
    finished_at: Public
    incidents: int
    failed: int
    """incidents without any readable file"""
    failures: int
    """files that could not be analysed"""
    services: int
    hosts: int
    errors: int
    """open findings of severity error"""
    warnings: int
    new: int | None = None
    """faults of services that the run before had not; None without a run before"""
    gone: int | None = None


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """What lies under the paths and is not analysed."""

    unlabelled: int = 0
    """files that fit no template"""
    linked_folders: int = 0
    """symbolic links to folders: a link to a folder above would have no end"""
    too_old: int = 0
    """files from before `--since`"""
    notes: int = 0
    """files beside a capture that tell of it and are no evidence"""


class FleetTotals(msgspec.Struct, frozen=True, kw_only=True):
    """How many there are of what is listed."""

    incidents: int = 0
    analysed: int = 0
    """in this run"""
    known: int = 0
    """done by an earlier run, and taken over"""
    failed: int = 0
    """incidents without any readable file"""
    failures: int = 0
    """files that could not be analysed"""
    files: int = 0
    bytes: int = 0
    left_out: LeftOut = LeftOut()
    services: int = 0
    hosts: int = 0
    groups: int = 0
    findings: int = 0
    """that are open: no later incident of the host has refuted them"""
    errors: int = 0
    """errors among the open ones"""
    warnings: int = 0
    recovered: int = 0
    """faults of hosts that later evidence of the same host no longer shows"""
    drifts: int = 0
    outliers: int = 0
    causes: int = 0
    regressions: int = 0
    recoveries: int = 0
    tried_again: int | None = None
    """tasks of the analysis that failed, and were tried again; None for what is no run, such as a service"""
    lost_executors: int | None = None
    """executors of Spark that ended meanwhile, less those that it gave back"""


class FleetTiming(msgspec.Struct, frozen=True, kw_only=True):
    """Where the time went."""

    start_s: float
    """start time of Spark, its workers and its SQL engine"""
    plan_s: float
    """listing, fingerprints, what is known"""
    work_s: float
    """the analysis"""
    tables_s: float
    fleet_s: float
    """comparing instances"""


class PlannedIncident(msgspec.Struct, frozen=True, kw_only=True):
    """An incident that is to be analysed."""

    environment: Public = ""
    service: Public
    host: Public
    bytes: int
    files: tuple[Public, ...]


class FleetPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What a run would do: `--dry-run`."""

    out: Public
    incidents: int
    """to be analysed"""
    bytes: int
    known: int
    """done by an earlier run"""
    left_out: LeftOut = LeftOut()
    services: int
    cores: int
    """tasks that run side by side"""
    estimate_s: float | None = None
    """by the speed of the earlier runs in the same output; None without one"""
    largest: tuple[PlannedIncident, ...] = ()
    doubts: tuple[Text, ...] = ()
    """what looks wrong about the labels"""


class FleetFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A run over many incidents."""

    run: Public
    against: Public | None = None
    """the earlier run that changes are told against"""
    out: Public = ""
    totals: FleetTotals = FleetTotals()
    timing: FleetTiming | None = None
    plan: FleetPlan | None = None
    """plan of a dry run, which has nothing else"""
    one_service: bool = False
    """whether the report is about one service of the run, which `services` then has alone"""
    services: tuple[ServiceState, ...] = ()
    hosts: tuple[HostState, ...] = ()
    """states of the hosts of the one service, the worst first"""
    trend: tuple[RunTotals, ...] = ()
    """the latest runs in the same output, this one last"""
    causes: tuple[SharedCause, ...] = ()
    common: tuple[CommonTrait, ...] = ()
    """what hosts with the same fault share"""
    hosts_by_rule: tuple[HostsByRule, ...] = ()
    drifts: tuple[SettingDrift, ...] = ()
    outliers: tuple[Outlier, ...] = ()
    changes: tuple[FleetChange, ...] = ()
    """regressions first"""
    silent: tuple[SilentService, ...] = ()
    capacity: tuple[GroupCapacity, ...] = ()
    failures: tuple[FleetFailure, ...] = ()
    """those of kind fault first"""
    doubts: tuple[Text, ...] = ()
    """what looks wrong about the labels"""
