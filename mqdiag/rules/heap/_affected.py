"""What several rules ask of a consumer: whether it runs, since when, and whether its version has a bug."""

from __future__ import annotations

from datetime import datetime

from mqdiag.facts import HeapFacts
from mqdiag.facts.bounds import whole
from mqdiag.facts.heap import ConsumerFacts, QueueFacts
from mqdiag.text import say


def numbers(version: str | None) -> tuple[int, ...] | None:
    """4.9.8 as (4, 9, 8); None for an unknown or unusual one."""
    parts = (version or "").partition("-")[0].split(".")
    return tuple(map(int, parts)) if all(part.isdigit() for part in parts) else None


def version_said(version: str | None, affected: str, since: tuple[int, ...], fixed: tuple[int, ...]) -> str:
    """One sentence on the client's version and a bug.

    Args:
        version: of the client.
        affected: the versions with the bug and the one that fixes it, in words.
        since: first version with the bug.
        fixed: first version without it.
    """
    known = numbers(version)
    if known is None:
        return say("The client's version could not be found in the dump. {affected}", affected=affected)
    if since <= known < fixed:
        return say(
            "This client is {version}, which has the bug. {affected}", version=version, affected=affected
        )
    return say(
        "This client is {version}, which does not have that bug: look for another cause. {affected}",
        version=version,
        affected=affected,
    )


def running(consumer: ConsumerFacts) -> bool:
    """Started and not shut down."""
    return consumer.state.get("serviceState") == "RUNNING"


def uptime_ms(heap: HeapFacts, consumer: ConsumerFacts) -> int | None:
    """From the start of a consumer to the dump; None where either is unknown."""
    started = whole(consumer.state.get("consumerStartTimestamp"))
    if heap.captured_at is None or not started:
        return None
    now = datetime.fromisoformat(heap.captured_at).timestamp() * 1000
    return int(now - started) if now > started else None


def owner(heap: HeapFacts, queue: QueueFacts) -> ConsumerFacts | None:
    """The only running consumer of a queue's group; None where there are several or none."""
    found = [one for one in heap.consumers if one.group == queue.group and running(one)]
    return found[0] if len(found) == 1 else None


def queue_name(queue: QueueFacts) -> str:
    """Segments queue 3 on broker-a."""
    return say(
        "{topic} queue {value}",
        topic=queue.topic or say("an unknown topic"),
        value="?" if queue.queue_id is None else queue.queue_id,
    ) + (say(" on {broker}", broker=queue.broker) if queue.broker else "")


def pull_batch(consumer: ConsumerFacts | None) -> int:
    """Messages of one pull: pullBatchSize, 32 by default in all versions."""
    return 32 if consumer is None else whole(consumer.config.get("pullBatchSize")) or 32
