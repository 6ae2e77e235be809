"""Direct buffers nearly use up the memory outside the heap that the JVM allows."""

from __future__ import annotations

import msgspec

from mqdiag.facts.ratios import ratio
from mqdiag.facts.recordings import Recording
from mqdiag.facts.waste import CACHED_BY_THREADS, DirectBuffers
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.rule import Draft, Findings, Limits, Rule
from mqdiag.rules.shared.waste import LEAST_BYTES, Wasted

RULE = Rule("direct-buffers")
SHOWN_HOLDERS = 3
LEAST_HOLDER_BYTES = LEAST_BYTES // 16


class Use(msgspec.Struct, frozen=True, kw_only=True):
    """Direct memory against one limit, that of the JVM or that of Netty."""

    used_bytes: int | None
    limit_bytes: int | None
    buffers: int
    capacity_bytes: int
    in_use_bytes: int | None
    """bytes of Netty's chunks that it has handed out; None where they do not count, or are unknown"""


@RULE.waste
def in_heap(heap: Wasted, limits: Limits) -> Findings:
    """One finding for the JVM's own limit, one for Netty's."""
    found = heap.waste.direct_buffers
    if found is None:
        return
    used = found.reserved_bytes
    if used is None:
        used = found.capacity_bytes + found.unreachable_bytes
    # chunks that Netty allocates past the JVM's limit are not in the JVM's count
    counted_by_netty = (found.netty_bytes or 0) >= (found.netty_in_use_bytes or 0)
    jvm = Use(
        used_bytes=used,
        limit_bytes=found.limit_bytes,
        buffers=found.buffers,
        capacity_bytes=found.capacity_bytes,
        in_use_bytes=None if counted_by_netty else found.netty_in_use_bytes,
    )
    netty = Use(
        used_bytes=found.netty_bytes,
        limit_bytes=found.netty_limit_bytes,
        buffers=found.unmanaged_buffers,
        capacity_bytes=found.unmanaged_bytes,
        in_use_bytes=found.netty_in_use_bytes,
    )
    garbage = found.unreachable_bytes * 2 >= used
    for use, case, margin in (
        (jvm, "direct-memory-garbage" if garbage else "direct-memory-near-limit", "jvm"),
        (netty, "netty-direct-memory-near-limit", "netty"),
    ):
        share = ratio(use.used_bytes, use.limit_bytes)
        if use.used_bytes is None or share is None or use.used_bytes < limits["least_bytes"]:
            continue
        if share < limits["share_warning"]:
            yield RULE.margin(margin, share, limits["share_warning"])
        else:
            yield _near_limit(case, found, use, share, limits)


def _near_limit(case: str, found: DirectBuffers, use: Use, share: float, limits: Limits) -> Draft:
    holders = [each for each in found.holders if each.capacity_bytes >= LEAST_HOLDER_BYTES][:SHOWN_HOLDERS]
    by_threads = [each.class_name == CACHED_BY_THREADS for each in holders]
    in_use = ratio(use.in_use_bytes, use.limit_bytes)
    handed_out = in_use is not None and in_use >= limits["share_error"]
    return RULE.case(
        case,
        use,
        found,
        subject=Subject(object_class=holders[0].class_name if holders else None),
        evidence={
            "share_of_limit": round(share, 4),
            "object_id": holders[0].object_id if holders else None,
            "holders": tuple(each.field or each.class_name for each in holders),
            "buffers_by_holder": tuple(each.buffers for each in holders),
            "capacity_by_holder_bytes": tuple(each.capacity_bytes for each in holders),
        },
        words={
            "handed_out": handed_out,
            "in_field": bool(holders) and holders[0].object_id is not None,
            "cached_first": any(by_threads[:1]),
            "pools": not all(by_threads) or not by_threads,
            "cached_later": any(by_threads) and not by_threads[0],
        },
        rows={
            "holders": tuple(
                {
                    "holder": one.field or one.class_name,
                    "held_buffers": one.buffers,
                    "held_bytes": one.capacity_bytes,
                }
                for one in holders
            )
        },
        severity=Severity.ERROR if handed_out else Severity.WARNING,
        confidence=Confidence.MEDIUM if handed_out else Confidence.HIGH,
    )


@RULE.recordings
def in_recordings(recording: Recording, limits: Limits) -> Findings:
    """At most one finding of a recording, by the JVM's own last count; it does not tell what is garbage."""
    used, limit = recording.direct_bytes_last, recording.direct_limit_bytes
    share = ratio(used, limit)
    if used is None or share is None or used < limits["least_bytes"]:
        return
    if share < limits["share_warning"]:
        yield RULE.margin("jvm", share, limits["share_warning"])
        return
    yield RULE.case(
        "direct-memory-in-recording",
        recording=recording,
        evidence={
            "used_bytes": used,
            "limit_bytes": limit,
            "share_of_limit": round(share, 4),
            "buffers": recording.direct_buffers,
            "grew_by_bytes": max(used - (recording.direct_bytes_first or used), 0) or None,
        },
        words={"in_field": False},
        weight=share,
    )
