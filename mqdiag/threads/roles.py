"""What a thread is for, by its name.

Names are those of `ThreadFactoryImpl` and `ServiceThread.getServiceName` in RocketMQ 3.2 to 5.3, clients, brokers,
proxies, controllers and name servers, and of the `ThreadFactoryImpl` of the gRPC client 5.0.0 to 5.2.0; a table.
"""

from __future__ import annotations

import re
from functools import lru_cache
from string import digits
from typing import Final

import msgspec

from mqdiag.facts.vocabulary import Role

CONSUME_WORKER: Final = "consume-worker"
CALLBACK: Final = "client-callback"
PULL_SERVICE: Final = "pull-service"
REBALANCE_SERVICE: Final = "rebalance-service"
BROKER_SEND: Final = "broker-send"
POOL: Final = "pool"
OTHER: Final = "other"
POP: Final = "broker-pop"
PROXY: Final = "proxy"
CONTROLLER: Final = "controller"
NAME_SERVER: Final = "name-server"
DLEDGER: Final = "broker-dledger"
JVM: Final = "jvm"
VIRTUAL: Final = "virtual"
CARRIER: Final = "virtual-carrier"

WITH_OWN_LOOPS = frozenset({POOL, OTHER, POP, DLEDGER, PROXY, CONTROLLER, NAME_SERVER})
"""threads that may rest in a loop of their own, outside of a pool's queue"""
WORKER_NAME = re.compile(r"^ConsumeMessageThread_(?:(.+)_)?(\d+)$", re.S)
_NUMBERED = re.compile(r"^(.*?)[-_#: ]?\(?(\d+)\)?$", re.S)
_GROUP_OF_PREFIX = re.compile(
    r"^(?:ConsumeMessageScheduledThread|CleanExpireMsgScheduledThread)_(?:(.+)_)?\d+$|^PullMsgThread-(.+?)\d*$",
    re.S,
)

# (prefix, role); the first one that fits wins, so a longer prefix comes before its own beginning
PREFIXES: tuple[tuple[str, Role], ...] = (
    ("ConsumeMessageScheduledThread_", "consume-scheduled"),
    ("ConsumeMessageThread_", CONSUME_WORKER),
    ("CleanExpireMsgScheduledThread_", "expiry-cleaner"),
    ("PullMessageServiceScheduledThread", "pull-scheduled"),
    ("PullMessageService", PULL_SERVICE),
    ("PullMsgThread-", "lite-pull"),
    ("RebalanceService", REBALANCE_SERVICE),
    ("MonitorMessageQueueChangeThread", "lite-pull-monitor"),
    ("MQClientFactoryFetchRemoteConfigScheduledThread", "client-scheduled"),
    ("MQClientFactoryScheduledThread", "client-scheduled"),
    ("NettyClientSelector_", "client-netty"),
    ("NettyClientWorkerThread_", "client-netty"),
    ("NettyClientPublicExecutor_", CALLBACK),
    ("NettyClientScan_thread_", "client-scan"),
    ("ClientHouseKeepingService", "client-scan"),
    ("AsyncSenderExecutor_", "producer-async"),
    ("RequestHouseKeepingService", "client-scan"),
    ("MQTraceSendThread_", "trace"),
    ("MQ-AsyncTraceDispatcher-Thread-", "trace"),
    ("LatencyFaultToleranceScheduledThread", "client-scheduled"),
    # the gRPC client: the number of the client in its process, since 5.0.2, and of the thread come behind
    ("RocketmqMessageConsumption-", CONSUME_WORKER),
    ("RocketmqClientCallbackWorker-", CALLBACK),
    ("RocketmqClientAsyncWorker-", CALLBACK),
    ("RocketmqCommandExecutor-", "client-scheduled"),
    ("RocketmqClientScheduler-", "client-scheduled"),
    ("RocketmqDispatcher-", "client-scheduled"),
    ("SendMessageThread_", BROKER_SEND),
    ("PutMessageThread_", BROKER_SEND),
    ("PullMessageThread_", "broker-pull"),
    ("LitePullMessageThread_", "broker-pull"),
    ("AckMessageThread_", "broker-ack"),
    ("QueryMessageThread_", "broker-query"),
    ("AdminBrokerThread_", "broker-admin"),
    ("ClientManageThread_", "broker-client-manage"),
    ("ConsumerManageThread_", "broker-consumer-manage"),
    ("HeartbeatThread_", "broker-heartbeat"),
    ("EndTransactionThread_", "broker-transaction"),
    ("BrokerFastFailureScheduledThread", "broker-fast-failure"),
    ("BrokerControllerScheduledThread", "broker-scheduled"),
    ("NettyServerCodecThread_", "broker-netty"),
    ("NettyServerWorkerThread_", "broker-netty"),
    ("NettyServerNIOSelector_", "broker-netty"),
    ("NettyServerEPOLLSelector_", "broker-netty"),
    ("NettyServerPublicExecutor_", "broker-netty"),
    ("NettyNIOBoss_", "broker-netty"),
    ("NettyEPOLLBoss_", "broker-netty"),
    ("NettyBoss_", "broker-netty"),
    ("FlushConsumeQueueService", "broker-store"),
    ("ReputMessageService", "broker-store"),
    ("CommitRealTimeService", "broker-store"),
    ("FlushRealTimeService", "broker-store"),
    ("GroupCommitService", "broker-store"),
    ("AllocateMappedFileService", "broker-store"),
    ("AllocateMapedFileService", "broker-store"),
    ("StoreStatsService", "broker-store"),
    ("StoreScheduledThread", "broker-store"),
    ("PullRequestHoldService", "broker-hold"),
    ("AcceptSocketService", "broker-ha"),
    ("ReadSocketService", "broker-ha"),
    ("WriteSocketService", "broker-ha"),
    ("GroupTransferService", "broker-ha"),
    ("HAClient", "broker-ha"),
    ("TransactionalMessageCheckService", "broker-transaction"),
    ("ScheduleMessageTimerThread", "broker-schedule"),
    ("PopReviveService_", POP),
    ("PopBufferMergeService", POP),
    ("PopLongPollingService", POP),
    ("QueueLockManager", POP),
    ("QuorumAckChecker", DLEDGER),
    ("StateMaintainer", DLEDGER),
    ("EntryDispatcher", DLEDGER),
    ("EntryHandler", DLEDGER),
    ("GrpcRequestExecutorThread", PROXY),
    ("GrpcRouteThreadPool", PROXY),
    ("GrpcProducerThreadPool", PROXY),
    ("GrpcConsumerThreadPool", PROXY),
    ("GrpcClientManagerThreadPool", PROXY),
    ("GrpcTransactionThreadPool", PROXY),
    ("GrpcChannelManager_", PROXY),
    ("GrpcClientSettingsManagerCleaner", PROXY),
    ("ProducerProcessorExecutor", PROXY),
    ("ConsumerProcessorExecutor", PROXY),
    ("RenewalScheduledThread_", PROXY),
    ("RenewalWorkerThread", PROXY),
    ("TopicRouteCacheRefresh", PROXY),
    ("TopicRouteService_", PROXY),
    ("ControllerRequestExecutorThread_", CONTROLLER),
    ("ControllerManager_NotifyService_", CONTROLLER),
    ("DLedgerController_", CONTROLLER),
    ("DefaultBrokerHeartbeatManager_", CONTROLLER),
    ("RaftBrokerHeartbeatManager_", CONTROLLER),
    ("NSScheduledThread", NAME_SERVER),
    ("NSScanScheduledThread", NAME_SERVER),
)
JVM_NAMES = frozenset(
    {
        "Reference Handler",
        "Finalizer",
        "Signal Dispatcher",
        "Service Thread",
        "Monitor Deflation Thread",
        "Notification Thread",
        "Common-Cleaner",
        "Attach Listener",
        "Sweeper thread",
        "VM Thread",
        "VM Periodic Task Thread",
        "DestroyJavaVM",
        "process reaper",
        "VirtualThread-unparker",
        "VirtualThread-unblocker",
        "Read-Poller",
        "Write-Poller",
        "Master-Poller",
        "JFR Recorder Thread",
        "JFR Periodic Tasks",
    }
)
JVM_PREFIXES = (
    "C1 CompilerThread",
    "C2 CompilerThread",
    "GC Thread#",
    "G1 ",
    "ParGC",
    "Parallel GC",
    "PS ",
    "CMS ",
    "Concurrent Mark",
    "Gang worker#",
    "GC task thread#",
    "Shenandoah",
    "ZWorker",
    "XWorker",
    "ZDriver",
    "ZDirector",
    "ZStat",
    "ZUncommitter",
    "ZUnmapper",
    "Runtime Worker",
    "StringDedup",
    "surefire-",
    # JDK 17 and later add the number of the child process
    "process reaper (",
    "JVMCI",
)


class NamedRole(msgspec.Struct, frozen=True):
    """What a name says."""

    role: Role
    pool: str | None
    group: str | None


def role_of_name(name: str) -> NamedRole:
    """Role, pool and group by a thread's name."""
    stem = name.rstrip(digits)
    # the threads of a pool differ in the number at the end, of which one digit says as much as all
    return _role_of_name(name[: len(stem) + 1])


@lru_cache(maxsize=65_536)
def _role_of_name(name: str) -> NamedRole:
    plain = name
    if name.startswith("#"):
        # a broker in a BrokerContainer: "#<canonical broker name>#SendMessageThread_1"
        second = name.find("#", 1)
        plain = name[second + 1 :] if second > 0 else name
    for prefix, role in PREFIXES:
        if plain.startswith(prefix):
            worker = WORKER_NAME.match(plain)
            if worker:
                return NamedRole(role, plain[: worker.start(2) - 1], worker[1])
            owner = _GROUP_OF_PREFIX.match(plain)
            group = (owner[1] or owner[2]) if owner else None
            return NamedRole(role, pool_of(plain) or plain, group)
    if plain in JVM_NAMES or plain.startswith(JVM_PREFIXES):
        return NamedRole(JVM, None, None)
    pool = pool_of(plain)
    return NamedRole(POOL if pool else OTHER, pool, None)


def pool_of(name: str) -> str | None:
    """A pool's name: a thread's name without its number."""
    found = _NUMBERED.match(name)
    return found[1] if found and found[1] else None


def virtual_name(java_id: int | None) -> str:
    """What a virtual thread is called that has no name, as most have none."""
    return "virtual thread" if java_id is None else f"virtual thread #{java_id}"
