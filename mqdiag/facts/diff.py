"""What changed from one piece of evidence to another: growth, holders, queues, settings, findings."""

from __future__ import annotations

import msgspec

from mqdiag.facts.redaction import EvidenceText, Name, Node, Public, Setting, ThreadName
from mqdiag.facts.vocabulary import ClientKind, ConfidenceLevel, HolderOwner, SeverityName
from mqdiag.text import Text

Number = int | float | bool | None
Value = Number | str


class DiffSide(msgspec.Struct, frozen=True, kw_only=True):
    """What one side was read from."""

    path: Public
    """as it was given"""
    kinds: tuple[Public, ...] = ()
    """evidence that it has: heap, stacks, logs"""
    captured_at: Public | None = None
    """time of its heap dump, as RFC 3339"""
    complete: bool = True
    mqdiag: Public = ""
    """version that read it: of a saved report the one that wrote it"""


class Growth(msgspec.Struct, frozen=True, kw_only=True):
    """A number on both sides."""

    before: int | None = None
    """null where it is not known, or what it counts is not there"""
    after: int | None = None
    grown: int | None = None
    """after less before; null where one of them is"""


class ClassGrowth(msgspec.Struct, frozen=True, kw_only=True):
    """One class; generated ones are counted under the name that all of a kind share."""

    name: Public
    instances: Growth
    shallow_bytes: Growth
    retained_bytes: Growth


class HolderGrowth(msgspec.Struct, frozen=True, kw_only=True):
    """An accumulation point, told by the field or class that a person would name."""

    name: Node
    owner: HolderOwner
    retained_bytes: Growth
    """null on a side where it is no accumulation point"""


class ConsumerGrowth(msgspec.Struct, frozen=True, kw_only=True):
    """One consumer, by group and kind; several of one group are summed."""

    group: Public
    kind: ClientKind
    consumers: Growth
    messages: Growth
    body_bytes: Growth
    retained_bytes: Growth
    bound_bytes: Growth
    queued_requests: Growth
    lag: Growth
    """over its queues, as of their last pulls"""


class QueueGrowth(msgspec.Struct, frozen=True, kw_only=True):
    """One queue, by group, topic, broker and number."""

    group: Public | None
    topic: Public | None
    broker: Name | None
    queue_id: int | None
    messages: Growth
    body_bytes: Growth
    span: Growth
    lag: Growth
    commit_offset: Growth
    same_head: bool | None = None
    """the message with the lowest offset is the same one, and still not done; null where a side has none"""


class PoolGrowth(msgspec.Struct, frozen=True, kw_only=True):
    """A pool of worker threads, from thread dumps."""

    pool: ThreadName
    group: Public | None
    threads: Growth
    stuck: Growth
    blocked: Growth
    progressing: Growth
    idle: Growth
    unknown: Growth = msgspec.field(default_factory=Growth)
    """threads that the samples do not decide"""


class EventGrowth(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of event of logs."""

    kind: Public
    lines: Growth


class SettingChange(msgspec.Struct, frozen=True, kw_only=True):
    """A setting that differs."""

    of: Public
    """consumer group, broker or JVM that has the setting"""
    key: Public
    before: Number | Setting = None
    after: Number | Setting = None


class EvidenceChange(msgspec.Struct, frozen=True, kw_only=True):
    """A number of a finding's evidence that differs by a tenth or more, or any other value that differs."""

    key: Public
    before: Number | EvidenceText = None
    after: Number | EvidenceText = None


class FindingChange(msgspec.Struct, frozen=True, kw_only=True):
    """A finding that came, went or changed, by its fingerprint."""

    fingerprint: Public
    rule: Public
    title: Text
    """as of the side that has it, the later one where both have"""
    severity_before: SeverityName | None = None
    severity_after: SeverityName | None = None
    confidence_before: ConfidenceLevel | None = None
    confidence_after: ConfidenceLevel | None = None
    evidence: tuple[EvidenceChange, ...] = ()
    checked: bool = True
    """false where the side without it had no evidence for its rule: then the finding may have been there too"""


class DiffFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Two sides compared."""

    before: DiffSide
    after: DiffSide
    seconds: float | None = None
    """from the one heap dump to the other; null where a time is unknown"""
    heap_bytes: Growth
    """reachable bytes"""
    objects: Growth
    classes: tuple[ClassGrowth, ...] = ()
    """those that changed, the largest growth first"""
    classes_left_out: int = 0
    holders: tuple[HolderGrowth, ...] = ()
    consumers: tuple[ConsumerGrowth, ...] = ()
    queues: tuple[QueueGrowth, ...] = ()
    pools: tuple[PoolGrowth, ...] = ()
    events: tuple[EventGrowth, ...] = ()
    settings: tuple[SettingChange, ...] = ()
    new: tuple[FindingChange, ...] = ()
    """findings of the later side alone"""
    gone: tuple[FindingChange, ...] = ()
    changed: tuple[FindingChange, ...] = ()
    same: int = 0
    """findings that both sides have alike"""
    remarks: tuple[Text, ...] = ()
    """what makes the two sides hard to compare"""
