"""Direct buffers nearly use up the memory outside the heap that the JVM allows."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.ratios import ratio
from mqdiag.facts.waste import CACHED_BY_THREADS, DirectBuffers, DirectHolder, Waste
from mqdiag.findings import Confidence, EvidenceValue, Margin, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said, Skip
from mqdiag.rules.shared.waste import LEAST_BYTES, example, waste_of
from mqdiag.text import Text, say

SHOWN_HOLDERS = 3
LEAST_HOLDER_BYTES = LEAST_BYTES // 16
CHECKED_COUNTER = say("the allocation itself is checked against this counter")
COUNTS_REUSE = say(
    "what Netty's threads keep for reuse counts as handed out, and the dump does not tell how much it is"
)
LIMIT_CACHED = say(
    "Each thread keeps a direct buffer as large as the largest heap buffer that it has read or written."
    " -Djdk.nio.maxCachedBufferSize=262144 lets it keep no larger ones; smaller heap buffers help too."
)
LIMIT_POOLS = say(
    "Limit the size of the pools that hold the buffers, and release buffers that are no longer needed."
)

RULE = Rule(
    name="direct-buffers",
    title="Direct buffers have nearly used up the memory that the JVM allows them",
    why=(
        "A direct buffer is a small object in the heap and a large piece of memory outside of it, which no histogram"
        " shows. At the limit the next allocation fails with an OutOfMemoryError, although the heap may be nearly"
        ' empty. The JVM then says "Direct buffer memory", and Netty throws an OutOfDirectMemoryError.'
    ),
    causes=("direct-memory-near-limit", "direct-memory-garbage", "netty-direct-memory-near-limit"),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=(
        "Look at the holders: limit the size of their pools, and release buffers that are no longer needed.",
        "-Djdk.nio.maxCachedBufferSize=262144 limits the buffers that threads keep for reading and writing heap"
        " buffers (sun.nio.ch.Util$BufferCache).",
        "-XX:MaxDirectMemorySize raises the limit of the JVM, and -Dio.netty.maxDirectMemory the limit of Netty. By"
        " default the limit is the maximum size of the heap. Heap and direct memory together must fit into the machine"
        " or container.",
        "If -XX:+DisableExplicitGC is set, remove it: the JVM frees garbage buffers by asking for a collection.",
    ),
    references=("java.nio.Bits.reserveMemory", "io.netty.util.internal.PlatformDependent"),
    limits={"share_warning": 0.8, "share_error": 0.8, "least_bytes": LEAST_BYTES},
)


def _facts(reserved: int) -> Facts:
    return example(
        Waste(
            direct_buffers=DirectBuffers(
                buffers=900,
                capacity_bytes=reserved,
                unreachable_bytes=0,
                unmanaged_buffers=0,
                unmanaged_bytes=0,
                mapped_buffers=0,
                mapped_bytes=0,
                reserved_bytes=reserved,
                limit_bytes=1_000_000_000,
                holders=(
                    DirectHolder(class_name="com.acme.ImagePool", buffers=880, capacity_bytes=reserved // 2),
                ),
            )
        )
    )


def fires() -> Facts:
    """90 % of the limit is in use."""
    return _facts(900_000_000)


def silent() -> Facts:
    """70 % is in use."""
    return _facts(700_000_000)


@RULE.sees("heap")
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for the JVM's own limit, one for Netty's."""
    waste = waste_of(facts)
    if isinstance(waste, Skip):
        yield waste
        return
    found = waste.direct_buffers
    if found is None:
        return
    used = found.reserved_bytes
    if used is None:
        used = found.capacity_bytes + found.unreachable_bytes
    share = ratio(used, found.limit_bytes)
    if share is not None and used >= limits["least_bytes"]:
        if share >= limits["share_warning"]:
            yield _of_jvm(found, used, share, limits)
        else:
            yield _margin(say("direct memory in use, as a share of the JVM's limit"), share, limits)
    netty, netty_share = found.netty_bytes, ratio(found.netty_bytes, found.netty_limit_bytes)
    if netty is not None and netty_share is not None and netty >= limits["least_bytes"]:
        if netty_share >= limits["share_warning"]:
            yield _of_netty(found, netty, netty_share, limits)
        else:
            yield _margin(
                say("direct memory in use by Netty, as a share of Netty's limit"), netty_share, limits
            )


def _margin(label: Text, share: float, limits: Limits) -> Margin:
    return Margin(rule="", label=label, value=share, limit=limits["share_warning"], kind="percent")


def _of_jvm(found: DirectBuffers, used: int, share: float, limits: Limits) -> Draft:
    holders = _holders(found)
    # chunks that Netty allocates past the JVM's limit are not in the JVM's count
    in_use = None if _counted_by_netty(found) else found.netty_in_use_bytes
    severity, confidence, reason = _judged(in_use, found.limit_bytes, limits)
    explanation = [
        say("The JVM counts {used_bytes:bytes} of direct memory. Allocations fail at {limit_bytes:bytes}."),
        *map(_of_holder, holders),
        *_handed_out(in_use),
    ]
    if found.unreachable_bytes:
        explanation.append(
            say(
                "{unreachable_bytes:bytes} of it are in buffers that are garbage already. The JVM frees them when a"
                " collection finds them, and it collects rarely while the heap has much free space."
            )
        )
    return Draft(
        severity=severity,
        cause="direct-memory-garbage" if found.unreachable_bytes * 2 >= used else "direct-memory-near-limit",
        confidence=confidence,
        confidence_reason=reason,
        title=say(
            "Direct buffers use {used_bytes:bytes}, {share_of_limit:percent} of the {limit_bytes:bytes} that the JVM"
            " allows"
        ),
        subject=_subject(holders),
        evidence={
            "used_bytes": used,
            "limit_bytes": found.limit_bytes,
            "share_of_limit": round(share, 4),
            "buffers": found.buffers,
            "capacity_bytes": found.capacity_bytes,
            **_in_both(found, holders, in_use),
        },
        explanation=tuple(explanation),
        remedy=(
            *_limits_of(holders),
            say(
                "-XX:MaxDirectMemorySize raises the limit. Heap and direct memory together must fit into the machine or"
                " container."
            ),
            say(
                "If -XX:+DisableExplicitGC is set, remove it: the JVM frees garbage buffers by asking for a collection."
            ),
        ),
    )


def _of_netty(found: DirectBuffers, used: int, share: float, limits: Limits) -> Draft:
    holders = _holders(found)
    in_use = found.netty_in_use_bytes
    severity, confidence, reason = _judged(in_use, found.netty_limit_bytes, limits)
    return Draft(
        severity=severity,
        cause="netty-direct-memory-near-limit",
        confidence=confidence,
        confidence_reason=reason,
        title=say(
            "Direct buffers use {used_bytes:bytes}, {share_of_limit:percent} of the {limit_bytes:bytes} that Netty"
            " allows itself"
        ),
        subject=_subject(holders),
        evidence={
            "used_bytes": used,
            "limit_bytes": found.netty_limit_bytes,
            "share_of_limit": round(share, 4),
            "buffers": found.unmanaged_buffers,
            "capacity_bytes": found.unmanaged_bytes,
            **_in_both(found, holders, in_use),
        },
        explanation=(
            say("Netty counts {used_bytes:bytes} of direct memory. Allocations fail at {limit_bytes:bytes}."),
            *map(_of_holder, holders),
            *_handed_out(in_use),
        ),
        remedy=(
            LIMIT_POOLS,
            say(
                "-Dio.netty.maxDirectMemory raises the limit. Heap and direct memory together must fit into the machine"
                " or container."
            ),
        ),
    )


def _judged(
    in_use_bytes: int | None, limit_bytes: int | None, limits: Limits
) -> tuple[Severity, Confidence, Text]:
    in_use = ratio(in_use_bytes, limit_bytes)
    if in_use is not None and in_use >= limits["share_error"]:
        return Severity.ERROR, Confidence.MEDIUM, COUNTS_REUSE
    return Severity.WARNING, Confidence.HIGH, CHECKED_COUNTER


def _limits_of(holders: list[DirectHolder]) -> tuple[Text, ...]:
    """What limits the holders, that of the largest one first."""
    advice = (LIMIT_CACHED if each.class_name == CACHED_BY_THREADS else LIMIT_POOLS for each in holders)
    return tuple(dict.fromkeys(advice)) or (LIMIT_POOLS,)


def _counted_by_netty(found: DirectBuffers) -> bool:
    """Whether Netty allocates its chunks past the JVM's limit."""
    return (found.netty_bytes or 0) >= (found.netty_in_use_bytes or 0)


def _handed_out(in_use_bytes: int | None) -> Iterator[Text]:
    if in_use_bytes is not None:
        yield say(
            "Netty has handed out {in_use_bytes:bytes} of its direct chunks, what its threads keep for reuse included."
        )


def _holders(found: DirectBuffers) -> list[DirectHolder]:
    return [each for each in found.holders if each.capacity_bytes >= LEAST_HOLDER_BYTES][:SHOWN_HOLDERS]


def _subject(holders: list[DirectHolder]) -> Subject:
    return Subject(object_class=holders[0].class_name if holders else None)


def _in_both(
    found: DirectBuffers, holders: list[DirectHolder], in_use_bytes: int | None
) -> dict[str, EvidenceValue]:
    """Evidence that does not depend on the limit."""
    return {
        "unreachable_bytes": found.unreachable_bytes,
        "in_use_bytes": in_use_bytes,
        "holders": tuple(each.class_name for each in holders),
        "buffers_by_holder": tuple(each.buffers for each in holders),
        "capacity_by_holder_bytes": tuple(each.capacity_bytes for each in holders),
    }


def _of_holder(holder: DirectHolder) -> Text:
    return say(
        "{holder} holds {held_buffers:count} {held_buffers:buffer|buffers} of {held_bytes:bytes} in all.",
        holder=holder.class_name,
        held_buffers=holder.buffers,
        held_bytes=holder.capacity_bytes,
    )
