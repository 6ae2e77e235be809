"""RocketMQ clients of any version family written into a dump: what no real JVM here can provide.

Classes and fields are those of the releases that `mqdiag.rocketmq.names` has as sources; only what is read is there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from mqdiag.graph import Heap, open_heap
from mqdiag.rocketmq.view import RocketMQView, rocketmq_facts
from tests.writers.hprof_records import BOOLEAN, BYTE, INT, LONG, OBJECT, STICKY_CLASS
from tests.writers.hprof_writer import DumpWriter
from tests.writers.java_objects import JavaObjects

FAMILIES = ("3.2", "3.5", "4.0", "4.2", "4.6", "4.9", "5.0", "5.1", "5.2", "5.3")


class WrittenClient:
    """One client under one package root."""

    def __init__(self, dump: DumpWriter, root: str = "org.apache.rocketmq", family: str = "5.3") -> None:
        self.dump, self.java = dump, JavaObjects(dump)
        self.root = root.replace(".", "/")
        self.family = family
        self._at = FAMILIES.index(family)

    def since(self, family: str) -> bool:
        return self._at >= FAMILIES.index(family)

    def name(self, suffix: str) -> str:
        return f"{self.root}/{suffix}"

    def long(self, number: int) -> int:
        return self.dump.instance(
            self.dump.known("java/lang/Long", "java/lang/Number", value=LONG), value=number
        )

    def atomic(self, number: int) -> int:
        known = self.dump.known("java/util/concurrent/atomic/AtomicLong", "java/lang/Number", value=LONG)
        return self.dump.instance(known, value=number)

    # Messages and queues

    def message(
        self,
        offset: int,
        size: int = 100,
        *,
        topic: str = "orders",
        properties: Mapping[str, str] | None = None,
        properties_map: int | None = None,
        reconsumed: int = 0,
        body: int | None = None,
    ) -> int:
        fields = {"topic": OBJECT, "flag": INT, "properties": OBJECT, "body": OBJECT}
        self.dump.known(self.name("common/message/Message"), **fields)
        extra = {"brokerName": OBJECT} if self.since("4.6") else {}
        known = self.dump.known(
            self.name("common/message/MessageExt"),
            self.name("common/message/Message"),
            queueId=INT, storeSize=INT, queueOffset=LONG, msgId=OBJECT, reconsumeTimes=INT, **extra,
        )  # fmt: skip
        if self.since("3.5"):
            known = self.dump.known(
                self.name("common/message/MessageClientExt"), self.name("common/message/MessageExt")
            )
        if properties_map is None:
            pairs = [
                (self.java.string(key), self.java.string(value)) for key, value in (properties or {}).items()
            ]
            properties_map = self.java.hash_map(pairs)
        made = {
            "topic": self.java.string(topic),
            "properties": properties_map,
            "body": self.dump.primitive_array(BYTE, bytes(size)) if body is None else body,
            "queueOffset": offset,
            "storeSize": size + 100,
            "msgId": self.java.string(f"ID{offset}"),
            "reconsumeTimes": reconsumed,
            "queueId": 7,
        }
        if extra:
            made["brokerName"] = self.java.string("broker-of-message")
        return self.dump.instance(known, **made)

    def queue(self, topic: str = "orders", broker: str = "broker-a", queue_id: int = 0) -> int:
        known = self.dump.known(
            self.name("common/message/MessageQueue"), topic=OBJECT, brokerName=OBJECT, queueId=INT
        )
        return self.dump.instance(
            known, topic=self.java.string(topic), brokerName=self.java.string(broker), queueId=queue_id
        )

    def process_queue(
        self,
        messages: Mapping[int, int] | None = None,
        in_flight: Mapping[int, int] | None = None,
        *,
        dropped: bool = False,
        offset_max: int = 0,
        behind: int = 0,
        last_pull_ms: int = 0,
        renamed: Mapping[str, str] | None = None,
        in_map: int | None = None,
    ) -> int:
        flying = "consumingMsgOrderlyTreeMap" if self.since("4.2") else "msgTreeMapTemp"
        lock = "treeMapLock" if self.since("4.9") else "lockTreeMap"
        fields = {
            lock: OBJECT, "msgTreeMap": OBJECT, "msgCount": OBJECT, flying: OBJECT, "queueOffsetMax": LONG,
            "dropped": BOOLEAN, "lastPullTimestamp": LONG, "lastConsumeTimestamp": LONG, "locked": BOOLEAN,
            "msgAccCnt": LONG,
        }  # fmt: skip
        if self.since("4.2"):
            fields["msgSize"] = OBJECT
        count = len(messages or {}) + len(in_flight or {})
        values = {
            "msgTreeMap": self._tree(messages or {}) if in_map is None else in_map,
            flying: self._tree(in_flight or {}),
            "msgCount": self.atomic(count),
            "queueOffsetMax": offset_max,
            "dropped": int(dropped),
            "msgAccCnt": behind,
            "lastPullTimestamp": last_pull_ms,
        }
        if self.since("4.2"):
            values["msgSize"] = self.atomic(100 * count)
        new = renamed or {}
        known = self.dump.known(
            self.name("client/impl/consumer/ProcessQueue"),
            **{new.get(name, name): kind for name, kind in fields.items()},
        )
        return self.dump.instance(known, **{new.get(name, name): value for name, value in values.items()})

    def _tree(self, messages: Mapping[int, int]) -> int:
        return self.java.tree_map([(self.long(key), value) for key, value in sorted(messages.items())])

    # Consumers

    def push_consumer(
        self,
        group: str,
        table: Mapping[int, int],
        *,
        threshold: int = 1000,
        offsets: Mapping[int, int] | None = None,
        orderly: bool = False,
    ) -> int:
        """A DefaultMQPushConsumer with its implementation and RebalancePushImpl; returns the consumer."""
        config = {"namesrvAddr": OBJECT, "instanceName": OBJECT, "unitMode": BOOLEAN}
        added = (
            ("4.6", "pullTimeDelayMillsWhenException", LONG),
            ("5.1", "socksProxyConfig", OBJECT),
            ("5.2", "namespaceV2", OBJECT),
            ("5.3", "enableTrace", BOOLEAN),
        )
        config |= {field: kind for family, field, kind in added if self.since(family)}
        self.dump.known(self.name("client/ClientConfig"), **config)
        fields = {"consumerGroup": OBJECT, "pullThresholdForQueue": INT, "defaultMQPushConsumerImpl": OBJECT}
        if self.since("3.5"):
            fields["consumeTimeout"] = LONG
        if self.since("4.2"):
            fields["pullThresholdSizeForQueue"] = INT
        consumer = self.dump.instance(
            self.dump.known(
                self.name("client/consumer/DefaultMQPushConsumer"), self.name("client/ClientConfig"), **fields
            ),
            consumerGroup=self.java.string(group),
            instanceName=self.java.string("DEFAULT"),
            pullThresholdForQueue=threshold,
            pullThresholdSizeForQueue=100,
            consumeTimeout=15,
        )
        implementation = self.dump.instance(
            self.dump.known(
                self.name("client/impl/consumer/DefaultMQPushConsumerImpl"),
                defaultMQPushConsumer=OBJECT, rebalanceImpl=OBJECT, offsetStore=OBJECT, consumeOrderly=BOOLEAN,
                mQClientFactory=OBJECT,
            ),
            defaultMQPushConsumer=consumer,
            offsetStore=self._offset_store(offsets or {}),
            consumeOrderly=int(orderly),
        )  # fmt: skip
        rebalance_fields = {"processQueueTable": OBJECT, "consumerGroup": OBJECT}
        if self.since("5.0"):
            rebalance_fields["popProcessQueueTable"] = OBJECT
        self.dump.known(self.name("client/impl/consumer/RebalanceImpl"), **rebalance_fields)
        rebalance = self.dump.instance(
            self.dump.known(
                self.name("client/impl/consumer/RebalancePushImpl"),
                self.name("client/impl/consumer/RebalanceImpl"),
                defaultMQPushConsumerImpl=OBJECT,
            ),
            processQueueTable=self.java.concurrent_hash_map(list(table.items())),
            consumerGroup=self.java.string(group),
            defaultMQPushConsumerImpl=implementation,
        )
        self.dump.set(implementation, rebalanceImpl=rebalance)
        self.dump.set(consumer, defaultMQPushConsumerImpl=implementation)
        if self.since("3.5"):
            cleaner = "cleanExpireMsgExecutors" if self.since("4.0") else "CleanExpireMsgExecutors"
            self.dump.known(
                self.name("client/impl/consumer/ConsumeMessageConcurrentlyService"),
                **{cleaner: OBJECT, "defaultMQPushConsumer": OBJECT, "consumerGroup": OBJECT},
            )
        self.hold(consumer)
        return consumer

    def _offset_store(self, offsets: Mapping[int, int]) -> int:
        pairs = []
        for queue, offset in offsets.items():
            value = self.atomic(offset)
            if self.since("5.2"):
                known = self.dump.known(self.name("client/consumer/store/ControllableOffset"), value=OBJECT)
                value = self.dump.instance(known, value=value)
            pairs.append((queue, value))
        known = self.dump.known(self.name("client/consumer/store/RemoteBrokerOffsetStore"), offsetTable=OBJECT)
        return self.dump.instance(known, offsetTable=self.java.concurrent_hash_map(pairs))

    def pull_request(self, group: str, queue: int, process_queue: int, next_offset: int) -> int:
        known = self.dump.known(
            self.name("client/impl/consumer/PullRequest"),
            consumerGroup=OBJECT, messageQueue=OBJECT, processQueue=OBJECT, nextOffset=LONG,
        )  # fmt: skip
        made = self.dump.instance(
            known,
            consumerGroup=self.java.string(group),
            messageQueue=queue,
            processQueue=process_queue,
            nextOffset=next_offset,
        )
        return self.hold(made)

    def consume_request(
        self, consumer: int, group: str, queue: int, process_queue: int, messages: Sequence[int]
    ) -> int:
        service = self.dump.instance(
            self.dump.known(self.name("client/impl/consumer/ConsumeMessageConcurrentlyService")),
            defaultMQPushConsumer=consumer,
            consumerGroup=self.java.string(group),
        )
        known = self.dump.known(
            self.name("client/impl/consumer/ConsumeMessageConcurrentlyService$ConsumeRequest"),
            **{"msgs": OBJECT, "processQueue": OBJECT, "messageQueue": OBJECT, "this$0": OBJECT},
        )
        made = self.dump.instance(
            known,
            **{
                "msgs": self.java.array_list(messages),
                "processQueue": process_queue,
                "messageQueue": queue,
                "this$0": service,
            },
        )
        return self.hold(made)

    def message_queue_state(self, group: str, queue: int, process_queue: int) -> int:
        """What a lite pull consumer keeps for an assigned queue."""
        self.dump.known(
            self.name("client/impl/consumer/RebalanceImpl"), processQueueTable=OBJECT, consumerGroup=OBJECT
        )
        rebalance = self.dump.instance(
            self.dump.known(
                self.name("client/impl/consumer/RebalanceLitePullImpl"),
                self.name("client/impl/consumer/RebalanceImpl"),
            ),
            consumerGroup=self.java.string(group),
        )
        assigned = self.dump.instance(
            self.dump.known(self.name("client/impl/consumer/AssignedMessageQueue"), rebalanceImpl=OBJECT),
            rebalanceImpl=rebalance,
        )
        known = self.dump.known(
            self.name("client/impl/consumer/AssignedMessageQueue$MessageQueueState"),
            **{"messageQueue": OBJECT, "processQueue": OBJECT, "this$0": OBJECT},
        )
        return self.hold(
            self.dump.instance(
                known, **{"messageQueue": queue, "processQueue": process_queue, "this$0": assigned}
            )
        )

    def hold(self, object_id: int) -> int:
        """Keep an object alive."""
        self.dump.root(STICKY_CLASS, object_id)
        return object_id


def opened(dump: DumpWriter, folder: Path) -> Heap:
    return open_heap(str(dump.write(folder / "written.hprof")))


def view_of(dump: DumpWriter, folder: Path) -> RocketMQView:
    return rocketmq_facts(opened(dump, folder))
