"""What the counts of classes say of RocketMQ's clients, where the object graph was not read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mqdiag.facts.heap_classes import ClassRow, CountedObjects
from mqdiag.rocketmq.names import names_of

_BODIES = "byte[]"


def counted_objects(classes: Sequence[ClassRow]) -> CountedObjects:
    """Counts by role, of any package root."""
    return CountedObjects(
        messages=_instances(classes, ("MessageExt", "MessageClientExt", "MessageView")),
        process_queues=_instances(classes, ("ProcessQueue", "GrpcProcessQueue")),
        client_instances=_instances(classes, ("MQClientInstance",)),
        byte_array_bytes=sum(row.shallow_bytes for row in classes if row.name == _BODIES),
    )


def _instances(classes: Iterable[ClassRow], roles: tuple[str, ...]) -> int:
    names = tuple(name for role in roles for name in names_of(role))
    return sum(row.instances for row in classes if row.name.endswith(names))
