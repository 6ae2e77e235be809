"""The closed vocabularies of facts: a misspelt word fails mypy, and the JSON Schema lists the words."""

from __future__ import annotations

from typing import Literal

State = Literal["stuck", "blocked", "progressing", "idle", "unknown"]
"""What was decided about a thread.

stuck: it makes no progress. blocked: it makes none because another thread or pool must move first. progressing: it
moved between the samples. idle: it waits for work. unknown: the samples cannot decide.
"""

ConfidenceLevel = Literal["high", "medium", "low"]
"""How sure a state is."""

Role = Literal[
    "consume-worker",
    "consume-scheduled",
    "expiry-cleaner",
    "pull-service",
    "pull-scheduled",
    "lite-pull",
    "lite-pull-monitor",
    "rebalance-service",
    "client-callback",
    "client-netty",
    "client-scan",
    "client-scheduled",
    "producer-async",
    "trace",
    "broker-send",
    "broker-pull",
    "broker-ack",
    "broker-query",
    "broker-admin",
    "broker-client-manage",
    "broker-consumer-manage",
    "broker-heartbeat",
    "broker-transaction",
    "broker-fast-failure",
    "broker-scheduled",
    "broker-schedule",
    "broker-netty",
    "broker-store",
    "broker-hold",
    "broker-ha",
    "broker-pop",
    "broker-dledger",
    "proxy",
    "controller",
    "name-server",
    "pool",
    "virtual",
    "virtual-carrier",
    "jvm",
    "other",
]
"""What a thread is for."""

SignsOfRocketMQ = Literal["seen", "names-alone", "none"]
"""What threads show of RocketMQ: its frames or services, names of consume threads without them, or nothing."""

Doing = Literal[
    "running",
    "idle",
    "socket-read",
    "socket-write",
    "connect",
    "dns",
    "accept",
    "select",
    "file-read",
    "file-write",
    "file-sync",
    "file-lock",
    "pipe-read",
    "pipe-write",
    "monitor",
    "lock",
    "class-init",
    "class-loading",
    "pool",
    "log",
    "sleep",
    "future",
    "latch",
    "semaphore",
    "queue",
    "condition",
    "join",
    "object-wait",
    "park",
    "process",
]
"""The kind of wait or work that a stack shows.

monitor: waits to enter a synchronized block. lock: waits for a lock of java.util.concurrent. file-lock: waits for the
lock of a file that another process has. pipe-read, pipe-write: waits for a thread at the other end of a pipe.
"""

StandstillKind = Literal["socket-read", "wait", "sleep", "lock", "pool", "cpu", "broker-put", "broker-pop"]
"""What threads that make no progress have in common; each kind has its rule.

broker-put: they write to the commit log. broker-pop: they give messages of POP consumers back, or keep check points.
"""

StandstillCause = Literal[
    "missing-http-timeout",
    "missing-timeout",
    "slow-database",
    "slow-redis",
    "slow-rpc",
    "slow-remote",
    "pool-too-small",
    "pool-starved",
    "stuck-holder",
    "blocked-log-sink",
    "sleep-in-listener",
    "busy-loop",
    "slow-slave",
    "slow-disk",
    "page-cache-busy",
]
"""Why threads make no progress."""

StatementKind = Literal["count", "rate", "gap", "sequence"]
"""What a team limits of its own log statement.

count: how many lines there are. rate: how many within a minute. gap: how long there is none. sequence: how many lines
no other line follows in time.
"""

LockKind = Literal["monitor", "synchronizer", "class-init"]
"""What threads wait for.

monitor: entered by `synchronized`. synchronizer: a lock of java.util.concurrent. class-init: a class whose static
initializer another thread runs.
"""

LockLeft = Literal["owner-rests", "nobody-works"]
"""Why no thread of a dump can give a lock back.

owner-rests: its owner has ended its task and waits for the next one. nobody-works: every thread rests, or wants a lock.
"""

DeadlockSource = Literal["jvm", "locks"]
"""Who found a deadlock: the JVM's own section of the dump, or the lock lines of the threads."""

NotJudged = Literal["one-sample", "identical-samples", "mixed-jvms", "too-close"]
"""Why progress cannot be judged."""

StartWaitCause = Literal["entropy", "class-initialisation", "file-lock", "unreachable"]
"""What a process that does not come up waits for.

entropy: random numbers of the system. class-initialisation: a static initializer in another thread. unreachable:
another machine.
"""

ShutdownBegan = Literal["signal", "exit", "last-thread"]
"""What began a JVM's shutdown.

signal: SIGTERM, SIGINT or SIGHUP. exit: a thread called System.exit. last-thread: no thread was left that keeps the JVM
alive.
"""

ServerKind = Literal["name-server", "broker", "broker-dledger", "controller", "proxy-local", "proxy-cluster"]
"""What a process is among the servers.

broker-dledger: its commit log is that of DLedger. proxy-local: a proxy with the broker in its own process.
proxy-cluster: a proxy by itself.
"""

ProxyMode = Literal["local", "cluster"]
"""Whether the proxy has its broker in the same process."""

Library = Literal["remoting", "grpc"]
"""The client of RocketMQ: rocketmq-client, or rocketmq-client-java."""

LimitScope = Literal["queue", "consumer"]
"""What a limit of a cache holds for."""

RaftLibrary = Literal["dledger", "jraft"]
"""What a Raft group is built with."""

RaftRole = Literal["leader", "follower", "candidate", "other"]
"""What a member is in its Raft group; candidate: it looks for votes, or for a leader."""

ClientKind = Literal["push", "lite-pull", "pull", "pop", "grpc-push", "grpc-simple"]
"""How a consumer gets its messages."""

HeapBytesSource = Literal[
    "option", "jvm-arguments", "java-tool-options", "memory-pools", "container", "max-memory-static"
]
"""Where the limit of the heap is known from; option: the user gave it."""

ShallowSizeSource = Literal["gaps", "formula"]
"""How sizes of objects are known: from the distances of their ids, or computed."""

ListenerKind = Literal["messages", "logged", "transactions"]
"""What a listener is asked about: messages that came, or the outcome of transactions that were sent.

logged: messages, and the application logged the exception by itself instead of letting it out of the listener.
"""

LogSide = Literal["client", "broker"]
"""Whose log has the lines."""

LogKind = Literal[
    "client",
    "broker",
    "store",
    "store-error",
    "watermark",
    "remoting",
    "namesrv",
    "stats",
    "pop",
    "dledger",
    "jraft",
    "controller",
    "proxy",
    "proxy-watermark",
    "gc",
    "application",
]
"""What a log file is.

pop: of POP consumption at a broker. dledger, jraft: of a member of a Raft group. watermark: queues of a broker's thread
pools. proxy-watermark: queues of a proxy's thread pools.
"""

InputKind = Literal[
    "heap",
    "histogram",
    "stacks",
    "log",
    "stores",
    "admin",
    "crash",
    "recording",
    "profile",
    "report",
    "capture",
    "service",
    "resources",
]
"""What kind of evidence an input is.

service: of what stands beside the JVMs: a database's log or answer, the access log of a gateway, a host's sockets.
"""

FlowControlKind = Literal["count", "size", "span", "pop", "waiting-requests"]
"""Which limit a consumer reached when it held its own pulls back."""

OffsetPlace = Literal["full-file-edge", "below-first", "beyond-last", "inside", "unknown"]
"""Where an offset lies that a store file does not hold."""

GcFormat = Literal["jdk8", "unified"]
"""How a GC log is written: as up to JDK 8, or by -Xlog since JDK 9."""

QueueSource = Literal["rebalance-table", "pull-request", "consume-request", "assigned", "message"]
"""Where the group and the number of a queue were read."""

ServiceThreadState = Literal["alive", "terminated", "new"]
"""What the status of a thread object says."""

HolderOwner = Literal["rocketmq", "jdk", "application"]
"""Whose class holds what was found."""

HolderKind = Literal["field", "local-variable", "thread-local", "pool-queue", "shared-objects", "object"]
"""How memory is held.

field: a field of a class or object. local-variable: a frame of a thread. thread-local: values of one ThreadLocal.
pool-queue: tasks that wait for a thread pool. shared-objects: many objects that several holders share.
object: no field, frame or pool could be named.
"""

KeyFault = Literal["equals", "hashCode", "constant-hash", "array"]
"""What the keys of a map show: equals tells equal keys apart, hashCode does, or hashCode is the same for all; or the
keys are arrays, of which none equals another one.
"""

FrameKind = Literal["native", "vm", "vm-stub", "compiled", "interpreted"]
"""What the frame is in which the JVM crashed."""

CommandPlace = Literal["host", "container", "kubernetes"]
"""Where a command that collects evidence is run."""

SeverityName = Literal["error", "warning", "info"]
"""How bad a finding is, in tables over many findings."""

LossKind = Literal["unreadable", "too-large", "memory", "time", "crash", "killed", "lost", "no-room", "fault"]
"""Why a fleet run could not analyse a file.

killed: something outside ended the process, twice; most often the kernel, for want of memory. lost:
it could not be fetched. no-room: the scratch folder is full. fault: mqdiag itself failed.
"""

DriftKind = Literal["setting", "version", "subscription"]
"""In what consumers of one group differ."""

ComparedMetric = Literal["messages", "body_bytes", "retained_bytes", "lag"]
"""By which number the instances of a group are compared."""

ChangeKind = Literal["regression", "recovery"]
"""A fault that a run has and the earlier one had not, or the other way round."""

TraitKind = Literal["frame", "holder", "setting", "address", "group", "broker", "library", "client-version"]
"""What hosts with the same fault have in common, the most specific first."""

LapseKind = Literal["expired", "gone", "worse"]
"""Why an accepted finding is not accepted any more."""

MarginKind = Literal["bytes", "percent", "ms", "count"]
"""How the numbers of a margin are written (see `mqdiag.text`)."""
