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
    "pool",
    "virtual",
    "virtual-carrier",
    "jvm",
    "other",
]
"""What a thread is for."""

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

monitor: waits to enter a synchronized block. lock: waits for a lock of java.util.concurrent.
"""

StandstillKind = Literal["socket-read", "wait", "sleep", "lock", "pool", "cpu", "broker-put"]
"""What threads that make no progress have in common; each kind has its rule."""

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

LockKind = Literal["monitor", "synchronizer", "class-init"]
"""What threads wait for.

monitor: entered by `synchronized`. synchronizer: a lock of java.util.concurrent. class-init: a class whose static
initializer another thread runs.
"""

DeadlockSource = Literal["jvm", "locks"]
"""Who found a deadlock: the JVM's own section of the dump, or the lock lines of the threads."""

NotJudged = Literal["one-sample", "identical-samples", "mixed-jvms", "too-close"]
"""Why progress cannot be judged."""

ClientKind = Literal["push", "lite-pull", "pull", "pop", "grpc-push", "grpc-simple"]
"""How a consumer gets its messages."""

HeapBytesSource = Literal[
    "option", "jvm-arguments", "java-tool-options", "memory-pools", "container", "max-memory-static"
]
"""Where the limit of the heap is known from; option: the user gave it."""

ShallowSizeSource = Literal["gaps", "formula"]
"""How sizes of objects are known: from the distances of their ids, or computed."""

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
    "gc",
    "application",
]
"""What a log file is."""

InputKind = Literal["heap", "stacks", "log", "stores", "admin", "crash", "report", "capture"]
"""What kind of evidence an input is."""
