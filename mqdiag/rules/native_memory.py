"""The process is large and its heap is small: memory outside of the heap grows."""

from __future__ import annotations

from typing import NamedTuple

from mqdiag.facts import Facts
from mqdiag.facts.resources import ResourceReading
from mqdiag.findings import Severity
from mqdiag.log_events import events
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.time_ranges import between

RULE = Rule("native-memory")


class _Kept(NamedTuple):
    """Objects that each keep memory outside of the heap until they are collected."""

    class_name: str
    objects: int
    advice: str


@RULE.sees("resources")
def in_resources(facts: Facts, limits: Limits) -> Findings:
    """One finding for each process that was killed, or is near the limit of its group, though its heap is small."""
    assert facts.resources is not None
    kills = [] if facts.logs is None else events(facts.logs, "oom-killer-ran")
    resident_kib = max((event.values.get("largest_resident_kib", 0) for event in kills), default=0)
    for one in facts.resources.processes:
        reading = one.last
        jvm = _of_jvm(reading)
        if jvm is None:
            yield RULE.skip("heap-unknown")
            continue
        resident = max(reading.resident_bytes or 0, resident_kib << 10)
        limit = reading.memory_limit_bytes
        near = limit is not None and resident >= limits["limit_share"] * limit
        native = resident - jvm
        if not (kills or near) or native < limits["native_bytes"] or native < limits["native_share"] * resident:
            if limit is not None:
                yield RULE.margin("native", max(native, 0) / limit, limits["limit_share"])
            continue
        kept = _kept(facts, limits)
        yield RULE.case(
            "objects-wait" if kept else "unknown-owner",
            reading,
            evidence={
                "resident_bytes": resident,
                "heap_used_bytes": reading.heap_used_bytes,
                "native_bytes": native,
                "memory_limit_bytes": limit,
                "killed": bool(kills),
                "object_class": kept.class_name if kept else None,
                "short_class": kept.class_name.rpartition(".")[2] if kept else None,
                "objects": kept.objects if kept else None,
            },
            given={"advice": (RULE.word(kept.advice),) if kept else ()},
            severity=Severity.ERROR if kills else None,
            cause="native-memory",
            when=between(one.at, one.at),
            weight=2.0,
        )


def _of_jvm(reading: ResourceReading) -> int | None:
    """What the heap in use and the classes account for."""
    return None if reading.heap_used_bytes is None else reading.heap_used_bytes + (reading.metaspace_bytes or 0)


def _kept(facts: Facts, limits: Limits) -> _Kept | None:
    """The most frequent class of the heap whose objects keep native memory."""
    if facts.heap is None:
        return None
    known = RULE.meaning("keeps_native")
    rows = [(row.instances, row.name) for row in facts.heap.classes if row.name in known]
    instances, name = max(rows, default=(0, ""))
    return _Kept(name, instances, known[name]) if instances >= limits["objects"] else None
