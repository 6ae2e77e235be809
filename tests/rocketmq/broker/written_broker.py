"""Brokers of four version families written into a dump.

Classes and fields, their nesting and their kinds are those of real dumps of brokers 3.2.6 (com.alibaba), 4.3.2, 4.9.7
and 5.3.3; what the view does not read is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.writers.hprof_records import BOOLEAN, DOUBLE, INT, LONG, OBJECT, STICKY_CLASS
from tests.writers.hprof_writer import DumpWriter
from tests.writers.java_objects import JavaObjects

FAMILIES = ("3.2", "4.3", "4.9", "5.3")
VERSIONS = {"3.2": "V3_2_6", "4.3": "V4_3_2", "4.9": "V4_9_7", "5.3": "V5_3_3"}
FILE_BYTES = 1000


@dataclass(frozen=True)
class Ref:
    """The id of an object, told apart from a number."""

    id: int


@dataclass(frozen=True)
class Long:
    """A number in a field of type long."""

    value: int


Value = Ref | Long | int | float | bool | str | None


@dataclass(frozen=True)
class File:
    """One commit log file: its first offset and how far it is written and committed."""

    start: int
    wrote: int
    committed: int = 0
    buffer: bool = False


class ObjectMaker:
    """Objects of the JDK and of one package root."""

    def __init__(self, dump: DumpWriter, root: str = "org.apache.rocketmq") -> None:
        self.dump, self.java = dump, JavaObjects(dump)
        self.root = root.replace(".", "/")
        self._enums: dict[tuple[str, str], int] = {}

    def make(self, name: str, superclass: str = "java/lang/Object", /, **values: Value) -> int:
        """An object whose class has exactly these fields."""
        fields: dict[str, int] = {}
        made: dict[str, int | float] = {}
        for field, value in values.items():
            if isinstance(value, bool):
                fields[field], made[field] = BOOLEAN, int(value)
            elif isinstance(value, Long):
                fields[field], made[field] = LONG, value.value
            elif isinstance(value, int):
                fields[field], made[field] = INT, value
            elif isinstance(value, float):
                fields[field], made[field] = DOUBLE, value
            else:
                fields[field] = OBJECT
                made[field] = value.id if isinstance(value, Ref) else self.java.string(value) if value else 0
        return self.dump.instance(self.dump.known(name, superclass, **fields), **made)

    def ours(self, name: str, /, **values: Value) -> int:
        """The same under the broker's package."""
        return self.make(f"{self.root}/{name}", **values)

    def enum(self, name: str, constant: str) -> int:
        """A constant."""
        if (name, constant) not in self._enums:
            self.dump.known("java/lang/Enum", name=OBJECT, ordinal=INT)
            known = self.dump.known(f"{self.root}/{name}", "java/lang/Enum")
            self._enums[name, constant] = self.dump.instance(known, name=self.java.string(constant))
        return self._enums[name, constant]

    def atomic(self, number: int, kind: str = "Integer") -> Ref:
        """An AtomicInteger, AtomicLong or AtomicBoolean."""
        type_ = LONG if kind == "Long" else INT
        known = self.dump.known(f"java/util/concurrent/atomic/Atomic{kind}", value=type_)
        return Ref(self.dump.instance(known, value=number))

    def queue(self, tasks: Sequence[int], capacity: int) -> int:
        """A LinkedBlockingQueue before a pool."""
        made = self.java.linked_blocking_queue(tasks)
        self.dump.set(made, count=self.atomic(len(tasks)).id, capacity=capacity)
        return made


class WrittenBroker(ObjectMaker):
    """One BrokerController with what hangs on it; attributes are the ids of its parts."""

    def __init__(
        self,
        dump: DumpWriter,
        family: str = "4.9",
        *,
        root: str | None = None,
        config: Mapping[str, Value] | None = None,
        store_config: Mapping[str, Value] | None = None,
        role: str = "ASYNC_MASTER",
        flush: str = "ASYNC_FLUSH",
        files: Sequence[File] = (File(0, FILE_BYTES), File(FILE_BYTES, 400)),
        flushed: int = 1300,
        committed: int = 0,
        lock_began_ms: int = 0,
        lock_owner: int | None = None,
        free_buffers: int = 0,
        send: Sequence[int] = (),
        send_capacity: int = 10_000,
    ) -> None:
        default_root = "com.alibaba.rocketmq" if family == "3.2" else "org.apache.rocketmq"
        super().__init__(dump, root or default_root)
        self.family = family
        self.buffers = [self.make("java/nio/DirectByteBuffer", capacity=FILE_BYTES) for _ in range(8)]
        self.config = self.ours(
            "common/BrokerConfig",
            **{
                "brokerName": "broker-a",
                "brokerClusterName": "shop",
                "brokerId": 0,
                **self._config(),
                **(config or {}),
            },
        )
        pool_settings: dict[str, Value] = (
            {} if family == "3.2" else {"transientStorePoolEnable": False, "osPageCacheBusyTimeOutMills": 1000}
        )
        self.store_config = self.ours(
            "store/config/MessageStoreConfig",
            **{
                "brokerRole": Ref(self.enum("store/config/BrokerRole", role)),
                "flushDiskType": Ref(self.enum("store/config/FlushDiskType", flush)),
                "haSlaveFallbehindMax": 256 << 20,
                **pool_settings,
                **(store_config or {}),
            },
        )
        self.files = self._files(files, flushed, committed)
        self.lock = self._lock(lock_owner)
        self.commit_log = self._commit_log(lock_began_ms)
        self.store = self._store(free_buffers)
        self.send = self.queue(send, send_capacity)
        self.held = self.held_requests({"orders@3": 2, "orders@1": 1})
        self.node = self.ours(
            "broker/BrokerController",
            brokerConfig=Ref(self.config),
            messageStoreConfig=Ref(self.store_config),
            messageStore=Ref(self.store),
            sendThreadPoolQueue=Ref(self.send),
            pullThreadPoolQueue=Ref(self.queue((), 100_000)),
            pullRequestHoldService=Ref(self.held),
            producerManager=Ref(self._producers()),
        )
        self._version()
        dump.root(STICKY_CLASS, self.node)

    # Its parts

    def _config(self) -> dict[str, Value]:
        if self.family == "3.2":
            return {"sendThreadPoolQueueCapacity": 100_000}
        return {
            "sendThreadPoolQueueCapacity": 10_000,
            "waitTimeMillsInSendQueue": 200,
            "brokerFastFailureEnable": True,
        }

    def _files(self, files: Sequence[File], flushed: int, committed: int) -> int:
        old, new = self.family == "3.2", self.family == "5.3"
        name = "store/MapedFile" if old else "store/logfile/DefaultMappedFile" if new else "store/MappedFile"
        free = iter(self.buffers)
        made = []
        for file in files:
            fields: dict[str, Value] = {"fileFromOffset": Long(file.start), "fileSize": FILE_BYTES}
            if old:
                fields["wrotePostion"] = self.atomic(file.wrote)
            elif new:
                fields |= {"wrotePosition": file.wrote, "committedPosition": file.committed}
            else:
                fields |= {
                    "wrotePosition": self.atomic(file.wrote),
                    "committedPosition": self.atomic(file.committed),
                }
            if not old:
                fields["writeBuffer"] = Ref(next(free)) if file.buffer else None
            made.append(self.ours(name, **fields))
        if old:
            return self.ours(
                "store/MapedFileQueue",
                mapedFileSize=FILE_BYTES,
                mapedFiles=Ref(self.java.array_list(made)),
                committedWhere=Long(flushed),
            )
        array = self.dump.object_array(self.dump.known("[Ljava/lang/Object;"), made)
        listed = self.make("java/util/concurrent/CopyOnWriteArrayList", array=Ref(array))
        return self.ours(
            "store/MappedFileQueue",
            mappedFileSize=FILE_BYTES,
            mappedFiles=Ref(listed),
            flushedWhere=Long(flushed),
            committedWhere=Long(committed),
        )

    def _lock(self, owner: int | None) -> int:
        if self.family in ("3.2", "4.3"):
            # true means that nobody holds it
            free = self.atomic(int(owner is None), "Boolean")
            return self.ours("store/PutMessageSpinLock", putMessageSpinLock=free)
        sync = self.make(
            "java/util/concurrent/locks/ReentrantLock$NonfairSync",
            state=int(owner is not None),
            exclusiveOwnerThread=Ref(owner or 0),
        )
        lock = self.make("java/util/concurrent/locks/ReentrantLock", sync=Ref(sync))
        return self.ours("store/PutMessageReentrantLock", putMessageNormalLock=Ref(lock))

    def _commit_log(self, began: int) -> int:
        if self.family == "3.2":
            return self.ours("store/CommitLog", mapedFileQueue=Ref(self.files))
        known = self.dump.known(
            f"{self.root}/store/CommitLog", mappedFileQueue=OBJECT, putMessageLock=OBJECT, beginTimeInLock=LONG
        )
        return self.dump.instance(
            known, mappedFileQueue=self.files, putMessageLock=self.lock, beginTimeInLock=began
        )

    def _store(self, free_buffers: int) -> int:
        queues = self._consume_queues({"orders": 4, "mail": 2})
        fields: dict[str, Value] = {
            "messageStoreConfig": Ref(self.store_config),
            "commitLog": Ref(self.commit_log),
            "runningFlags": Ref(self.ours("store/RunningFlags", flagBits=16)),
        }
        if self.family == "5.3":
            fields["consumeQueueStore"] = Ref(
                self.ours("store/queue/ConsumeQueueStore", consumeQueueTable=Ref(queues))
            )
        else:
            fields["consumeQueueTable"] = Ref(queues)
        if self.family != "3.2":
            node = "java/util/concurrent/ConcurrentLinkedDeque$Node"
            chain = 0
            for buffer in self.buffers[8 - free_buffers :]:
                link = self.make(node, item=Ref(buffer), next=Ref(0))
                self.dump.set(link, next=chain)
                chain = link
            deque = self.make("java/util/concurrent/ConcurrentLinkedDeque", head=Ref(chain))
            fields["transientStorePool"] = Ref(
                self.ours("store/TransientStorePool", poolSize=5, availableBuffers=Ref(deque))
            )
        name = "store/DefaultMessageStore"
        fields["haService"] = Ref(0)
        return self.ours(name, **fields)

    def _consume_queues(self, counts: Mapping[str, int]) -> int:
        tables = []
        for topic, count in counts.items():
            queues = [(self.java.boxed(i), self.ours("store/ConsumeQueue", queueId=i)) for i in range(count)]
            tables.append((self.java.string(topic), self.java.concurrent_hash_map(queues)))
        return self.java.concurrent_hash_map(tables)

    def request(self, created_ms: int) -> int:
        """A queued request: RequestTask in FutureTaskExt; before 3.5.8 a plain FutureTask without a time."""
        if self.family == "3.2":
            run = self.ours("remoting/netty/NettyRemotingAbstract$1", opaque=1)
            adapter = self.make("java/util/concurrent/Executors$RunnableAdapter", task=Ref(run))
            return self.make("java/util/concurrent/FutureTask", callable=Ref(adapter))
        known = self.dump.known(
            f"{self.root}/remoting/netty/RequestTask", createTimestamp=LONG, stopRun=BOOLEAN
        )
        task = self.dump.instance(known, createTimestamp=created_ms)
        package = "common/future" if self.family == "5.3" else "broker/latency"
        return self.ours(f"{package}/FutureTaskExt", runnable=Ref(task))

    def set_send(self, tasks: Sequence[int]) -> None:
        """Put requests into the send queue."""
        self.dump.set(self.node, sendThreadPoolQueue=self.queue(tasks, 10_000))

    def held_requests(self, counts: Mapping[str, int]) -> int:
        """A PullRequestHoldService."""
        entries = []
        for key, count in counts.items():
            requests = [self.ours("broker/longpolling/PullRequest", pullFromThisOffset=1) for _ in range(count)]
            many = self.ours(
                "broker/longpolling/ManyPullRequest", pullRequestList=Ref(self.java.array_list(requests))
            )
            entries.append((self.java.string(key), many))
        table = self.java.concurrent_hash_map(entries)
        return self.ours("broker/longpolling/PullRequestHoldService", pullRequestTable=Ref(table))

    def _producers(self) -> int:
        groups = [(self.java.string(f"PID_{i}"), self.java.string("channels")) for i in range(3)]
        return self.ours("broker/client/ProducerManager", groupChannelTable=Ref(self.java.hash_map(groups)))

    def slaves(self, acknowledged: Sequence[int]) -> None:
        """Connect slaves, by the offset that each has confirmed; -1 for one that has not yet."""
        name = "DefaultHA" if self.family == "5.3" else "HA"
        field = "clientAddress" if self.family == "5.3" else "clientAddr"
        connections = []
        for at, offset in enumerate(acknowledged):
            known = self.dump.known(
                f"{self.root}/store/ha/{name}Connection", **{"slaveAckOffset": LONG, field: OBJECT}
            )
            address = self.java.string(f"10.0.0.{at}:4000")
            connections.append(self.dump.instance(known, **{"slaveAckOffset": offset, field: address}))
        service = self.ours(
            f"store/ha/{name}Service",
            connectionList=Ref(self.java.linked_list(connections)),
            push2SlaveMaxOffset=self.atomic(max(acknowledged, default=0), "Long"),
        )
        self.dump.set(self.store, haService=service)

    def _version(self) -> None:
        name = f"{self.root}/common/MQVersion"
        if name in self.dump.classes:
            return
        static = "CurrentVersion" if self.family == "3.2" else "CURRENT_VERSION"
        self.dump.java_class(name, statics={static: (INT, 7)}, superclass=self.dump.known("java/lang/Object"))
        self.dump.known("java/lang/Enum", name=OBJECT, ordinal=INT)
        known = self.dump.known(f"{name}$Version", "java/lang/Enum")
        self.dump.root(
            STICKY_CLASS,
            self.dump.instance(known, name=self.java.string(VERSIONS[self.family]), ordinal=7),
        )

    def thread(self, name: str, methods: Sequence[tuple[str, str]], serial: int) -> int:
        """A thread with frames (class under the package, method), the top first."""
        made = self.java.thread(name)
        frames = [self.dump.frame(self.dump.known(f"{self.root}/{owner}"), method) for owner, method in methods]
        self.dump.thread(made, serial, frames)
        return made
