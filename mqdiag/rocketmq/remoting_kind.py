"""A consumer of the remoting client and its kind, in one file because each names the other."""

from __future__ import annotations

from typing import ClassVar

import msgspec
import numpy as np

from mqdiag.facts.bounds import whole
from mqdiag.facts.heap import ConfigValue, QueueFacts
from mqdiag.graph.heap import Nodes
from mqdiag.rocketmq.client import Client
from mqdiag.rocketmq.clients import Kind
from mqdiag.rocketmq.workers import Pool, Requests

_RETRY_PREFIX = "%RETRY%"
_DEFAULT_BATCH = 32
"""messages of one pull where no setting says so, in all versions"""


class Consumer(msgspec.Struct, frozen=True, kw_only=True):
    """One consumer object; nodes are -1 where a reference is null."""

    client: Client
    node: int
    kind: RemotingKind
    group: str
    implementation: int
    rebalance: int
    instance: int
    """MQClientInstance; -1 before start()"""
    pop_queues: int = 0


class RemotingKind(Kind):
    """A kind of consumer of the remoting client: what most of them do, to be changed where one differs."""

    consumer_class: ClassVar[str]
    """role of the class"""
    implementation: ClassVar[str]
    """role of its field with the implementation"""
    implementation_consumer: ClassVar[str]
    """role of the field that leads from the implementation back to the consumer"""
    batch_setting: ClassVar[str] = "pullBatchSize"
    """the setting that limits the messages of one pull"""

    def claims(self, pop_queues: int) -> bool:
        """True for consumers of the class that are of this kind."""
        return True

    def pool(self, consumer: Consumer) -> Pool | None:
        """The thread pool that runs the listener; None for a kind without one, and before start()."""
        return None

    def waiting(self, consumer: Consumer, pool: Pool | None) -> Nodes | None:
        """Tasks that wait for a worker or for poll(); None where the kind queues nothing."""
        return None if pool is None else pool.tasks

    def outside_queues(self, consumer: Consumer, requests: Requests) -> Nodes:
        """Cached messages that only requests hold, int32."""
        return np.empty(0, np.int32)

    def bounded_queues(self, consumer: Consumer, rows: list[QueueFacts]) -> int:
        """Queues that the limits apply to: assigned, not dropped, no empty `%RETRY%` ones."""
        return sum(
            row.assigned is True
            and not row.dropped
            and (row.messages > 0 or not (row.topic or "").startswith(_RETRY_PREFIX))
            for row in rows
        )

    def batch_messages(self, config: dict[str, ConfigValue]) -> int:
        """Most messages of one pull."""
        return whole(config.get(self.batch_setting)) or _DEFAULT_BATCH
