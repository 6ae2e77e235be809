"""The same fault seen twice: by a heap dump and by thread dumps of one process."""

from __future__ import annotations

from mqdiag.findings import Finding

STANDSTILLS = frozenset(
    {
        "stuck-socket-read", "stuck-wait", "lock-convoy", "deadlock", "connection-pool-exhausted",
        "cpu-bound-listener", "sleeping-listener",
    }
)  # fmt: skip
"""rules about threads that make no progress over a series"""
IN_HEAP = "stuck-consumer-thread"


def threads_of(finding: Finding) -> frozenset[str]:
    """Names of the threads that a finding is about."""
    names = finding.evidence.get("threads")
    if isinstance(names, tuple | list):
        return frozenset(str(name) for name in names)
    name = finding.evidence.get("thread") or finding.subject.thread
    return frozenset({name}) if isinstance(name, str) else frozenset()


def same_fault(one: Finding, other: Finding) -> bool:
    """Whether a finding of the heap and one of the thread dumps name the same standing threads."""
    heap, stacks = (one, other) if one.rule == IN_HEAP else (other, one)
    if heap.rule != IN_HEAP or stacks.rule not in STANDSTILLS:
        return False
    if one.processes and other.processes and not set(one.processes) & set(other.processes):
        return False
    return one.subject.overlaps(other.subject) and bool(threads_of(heap) & threads_of(stacks))


def twins(finding: Finding, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """What else shows the same fault."""
    return tuple(other for other in findings if other is not finding and same_fault(finding, other))
