"""Memory outside the heap is nearly used up by direct buffers."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.waste import DirectBuffers, DirectHolder, Waste
from mqdiag.findings import Confidence, EvidenceValue, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.rules.shared.waste import LEAST_BYTES, example, waste_of
from mqdiag.text import say

SHOWN = 3


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
    """Nine tenths of the limit are in use."""
    return _facts(900_000_000)


def silent() -> Facts:
    """Seven tenths are."""
    return _facts(700_000_000)


@rule(
    name="direct-buffers",
    title="Direct buffers have nearly used up the memory that the JVM allows them",
    why=(
        "A direct buffer is a small object in the heap and a large piece of memory outside of it, which no histogram"
        ' shows. At the limit the next allocation fails with an OutOfMemoryError, "Direct buffer memory" from the'
        " JVM or OutOfDirectMemoryError from Netty, while the heap may be nearly empty."
    ),
    causes=("direct-memory-near-limit", "direct-memory-garbage", "netty-direct-memory-near-limit"),
    severities=(Severity.WARNING,),
    remedy=(
        "Look at the holders: bound their pools, and release buffers when they are done.",
        "-XX:MaxDirectMemorySize, or -Dio.netty.maxDirectMemory for Netty, raises the limit; without it the limit is"
        " the heap's maximum, and both together must fit into the machine or container.",
        "Take out -XX:+DisableExplicitGC: the JVM frees garbage buffers by asking for a collection.",
    ),
    references=("java.nio.Bits.reserveMemory", "io.netty.util.internal.PlatformDependent"),
    needs=("heap",),
    limits={"share_warning": 0.8, "least_bytes": LEAST_BYTES},
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
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
    if _is_near(used, found.limit_bytes, limits):
        garbage = found.unreachable_bytes * 2 >= used
        yield _draft(
            found,
            used,
            found.limit_bytes or 0,
            "direct-memory-garbage" if garbage else "direct-memory-near-limit",
        )
    if found.netty_bytes is not None and _is_near(found.netty_bytes, found.netty_limit_bytes, limits):
        yield _draft(found, found.netty_bytes, found.netty_limit_bytes or 0, "netty-direct-memory-near-limit")


def _is_near(used: int, limit: int | None, limits: Limits) -> bool:
    return limit is not None and used >= limits["least_bytes"] and used >= limits["share_warning"] * limit


def _draft(found: DirectBuffers, used: int, limit: int, cause: str) -> Draft:
    by_netty = cause.startswith("netty")
    share = used / limit
    owner = "Netty" if by_netty else say("The JVM")
    holders = [each for each in found.holders if each.capacity_bytes >= LEAST_BYTES // 16][:SHOWN]
    evidence: dict[str, EvidenceValue] = {
        "used_bytes": used,
        "limit_bytes": limit,
        "share_of_limit": round(share, 4),
        "buffers": found.unmanaged_buffers if by_netty else found.buffers,
        "capacity_bytes": found.unmanaged_bytes if by_netty else found.capacity_bytes,
        "unreachable_bytes": found.unreachable_bytes,
        "holders": tuple(each.class_name for each in holders),
    }
    return Draft(
        severity=Severity.WARNING,
        cause=cause,
        confidence=Confidence.HIGH,
        confidence_reason=say("the counter that the allocation itself is checked against"),
        title=say(
            "Direct buffers use {used:bytes}, {share:percent} of the {limit:bytes} that {allows}",
            used=used,
            share=share,
            limit=limit,
            allows=_allows(by_netty),
        ),
        subject=Subject(object_class=holders[0].class_name if holders else None),
        evidence=evidence,
        explanation=(
            say(
                "{owner} counts {used:bytes} of direct memory and fails at {limit:bytes}.",
                owner=owner,
                used=used,
                limit=limit,
            ),
            *(
                say(
                    "{class_name} holds {buffers}, {capacity_bytes:bytes}.",
                    class_name=each.class_name,
                    buffers=say("{number:count} {number:buffer|buffers}", number=each.buffers),
                    capacity_bytes=each.capacity_bytes,
                )
                for each in holders
            ),
            *(
                (
                    say(
                        (
                            "{unreachable_bytes:bytes} are in buffers that are garbage already: they are freed when a"
                            " collection finds them, which a heap with much room puts off."
                        ),
                        unreachable_bytes=found.unreachable_bytes,
                    ),
                )
                if found.unreachable_bytes and not by_netty
                else ()
            ),
        ),
        remedy=(
            say("Bound the pools of the holders named, and release buffers when they are done."),
            say(
                "{dio} raises the limit; it must fit into the machine or container beside the heap.",
                dio="-Dio.netty.maxDirectMemory" if by_netty else "-XX:MaxDirectMemorySize",
            ),
            *((say("Take out -XX:+DisableExplicitGC."),) if not by_netty else ()),
        ),
        weight=0.0,
    )


def _allows(by_netty: bool) -> str:
    return say("Netty allows itself") if by_netty else say("the JVM allows")
