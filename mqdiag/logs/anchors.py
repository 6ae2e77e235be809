"""The literals that are searched for, each with what reads the lines that have it.

A literal must be rare in a healthy log: what stands on every tenth line costs more than all the rest.
"""

from __future__ import annotations

from collections.abc import Callable

from mqdiag.logs import (
    access,
    brokers,
    busy,
    consuming,
    dledger,
    flow_control,
    offsets,
    refusals,
    replicas,
    sending,
    starting,
    store,
    strangers,
    versions,
)
from mqdiag.logs.log_tally import LogTally
from mqdiag.logs.message import Message

Handler = Callable[[Message, LogTally], None]

SETTINGS = (
    "brokerName",
    "brokerRole",
    "flushDiskType",
    "transientStorePoolEnable",
    "transientStorePoolSize",
    "osPageCacheBusyTimeOutMills",
    "sendThreadPoolQueueCapacity",
    "brokerFastFailureEnable",
    "waitTimeMillsInSendQueue",
    "sendMessageThreadPoolNums",
)
"""broker settings whose start-up lines are kept"""


def _collection(message: Message, log: LogTally) -> None:
    log.gc.see(message, log.at(message))


def _stopped(message: Message, log: LogTally) -> None:
    log.safepoints.see(message, log.at(message))


def _printed(message: Message, log: LogTally) -> None:
    """A line of a starting broker; what is searched for behind the thread's name overlaps and is not found again."""
    versions.printed(message, log)
    store.setting(message, log)


ANCHORS: tuple[tuple[bytes, Handler], ...] = (
    (b"so do flow control", flow_control.flow_control),
    (b"start flow control for a while", busy.busy),
    (b"too many requests and system thread pool busy", busy.pool_rejected),
    (b"The broker[", brokers.introduced),
    (b"send heart beat to broker[", brokers.introduced),
    (b"[PAGECACHERT]", store.latency),
    (b"[NOTIFYME]", store.notify_me),
    (b"Message in lock eclipse time", store.notify_me),
    (b"not in lock e", store.slow_put),
    (b"CommitLog#putMessage", store.slow_put),
    (b"TransientStorePool only remain", store.pool_low),
    # an empty send queue, which is logged every second, is not looked at
    *((b"Send Queue Size: %d" % digit, store.watermark) for digit in range(1, 10)),
    (b"disk maybe full soon", store.disk),
    (b"disk space will be full soon", store.disk),
    (b"service not available now", store.not_writable),
    (b"ffset not matched", offsets.not_matched),
    (b" not matched. Request offset", offsets.not_matched),
    (b"over flow badly", offsets.overflow),
    (b"no queue data, fix the request offset", offsets.no_queue_data),
    (b"PULL_OFFSET_MOVED:correction", offsets.offset_moved),
    (b"PULL_OFFSET_MOVED:none", offsets.offset_moved),
    (b"PULL_OFFSET_MOVED:topic", offsets.offset_moved),
    (b"the request offset too small", offsets.too_small),
    (b"he pull request offset illegal", offsets.offset_illegal),
    (b"fix the pull request offset", offsets.offset_fixed),
    (b"lave fall behind master", replicas.behind),
    (b"HAService receive new connection", replicas.replica_seen),
    (b"] request offset ", replicas.replica_seen),
    (b"ha housekeeping, found this connection", replicas.connection_expired),
    (b"to slave timeout", replicas.transfer_timeout),
    (b"do sync transfer other node, wait return, but failed", replicas.transfer_timeout),
    (b"consumeMessage exception", consuming.failed),
    (b"consumeMessage return null", consuming.failed),
    (b"consumeMessage Orderly return not OK", consuming.failed),
    (b"[CONSUME_FAILED_TPS]", consuming.failure_stats),
    (b"[SNDBCK_PUT_NUMS]", consuming.failure_stats),
    (b"send expire msg back", consuming.expired),
    (b"sendMessageBack Exception, ", consuming.not_sent_back),
    (b"sendMessageBack exception, group", consuming.not_sent_back),
    (b"Failed to send message back, consumerGroup", consuming.not_sent_back),
    (b"[BUG]doRebalance", consuming.pull_lost),
    (b"ForQueue is changed from", consuming.threshold_changed),
    (b"java.lang.OutOfMemoryError", consuming.out_of_memory),
    (b" updateConsumeOffsetToBroker ", consuming.offset_stored),
    (b"[CONSUME_OK_TPS]", consuming.consumed),
    (b"wait response on the channel <", sending.no_answer),
    (b"MQClientException: wait response timeout ", sending.no_answer_later),
    (b" call timeout", sending.call_timeout),
    (b"connect to ", sending.not_connected),
    (b"close the connection to remote address[]", sending.closed),
    (b"No route info of this topic", sending.no_route),
    (b"No topic route info in name server for the topic", sending.no_route),
    (b"No name server address", sending.no_name_server),
    *((b"CODE: %d  DESC: " % code, refusals.pull_refused) for code in (23, 24, 25, 26)),
    *((b"Response Code: %d, remark: " % code, refusals.pull_refused) for code in (23, 24, 25, 26)),
    (b"] not exist, apply first please", refusals.no_topic),
    (b"subscription is not latest, group: ", refusals.not_latest),
    (b"subscription changed, group: ", refusals.subscription_changed),
    (b"logic queue order maybe wrong", store.queue_order),
    (b"[SetReputOffset] maxPhysicalPosInLogicQueue", store.dispatch_from),
    (b"Adjusted frame length exceeds ", strangers.too_long),
    (b"Map failed", store.mapping_failed),
    (b"Unknown exception in enqueuing", store.timer_failed),
    (b"Unknown exception in dequeuing", store.timer_failed),
    (b"TimerMessageStore.getMessageByCommitOffset(", store.timer_unreadable),
    (b"TimerMessageStore$Timer", store.timer_ran),
    (b"found a illegal magic code", store.no_message_there),
    (b"Flush data to disk costs ", store.flush_slow),
    (b"create mmap timeout", store.file_late),
    (b"mmap request expired", store.file_late),
    (b"MQ already started", starting.store_locked),
    (b"Address already in use", starting.port_in_use),
    (b"Failed to bind to address", starting.port_in_use),
    (b"and try to load backup file", starting.settings_unreadable),
    (b"Unrecognized VM option", starting.jvm_refused),
    (b"Could not reserve enough space for ", starting.heap_refused),
    (b"create system broadcast topic ", starting.cluster_unknown),
    (b"No accessKey is configured", access.refused),
    (b"unable to calculate a request signature", access.refused),
    (b"Check signature failed for accessKey", access.refused),
    (b"No acl config for ", access.refused),
    (b"No default permission for ", access.refused),
    (b"Need admin permission for request code", access.refused),
    (b"name=INDEX_OUT_OF_RANGE", dledger.entry_not_held),
    (b"name=INDEX_LESS_THAN_LOCAL_BEGIN", dledger.entry_not_held),
    (b"name=DISK_ERROR", dledger.data_damaged),
    (b"REJECT_SMALL_LEDGER_END_INDEX", dledger.vote_refused),
    (b"Pull Message Service Run Method exception", consuming.pull_failed),
    (b"execute callback in executor exception", consuming.pull_failed),
    *((f" - {name}=".encode(), store.setting) for name in SETTINGS),
    *((f"INFO main - {name}=".encode(), _printed) for name in SETTINGS),
    *(
        (f"INFO main - {name}=".encode(), versions.printed)
        for name in sorted(versions.KEPT.difference(SETTINGS))
    ),
    (b"application threads were stopped: ", _stopped),
    (b"Reaching safepoint: ", _stopped),
    (b") Pause ", _collection),
    (b" Collection (", _collection),
    (b"To-space exhausted", _collection),
    (b"Allocation Stall (", _collection),
    (b": [GC", _collection),
    (b": [Full GC", _collection),
    (b" Heap: ", _collection),
)
LITERALS: tuple[bytes, ...] = tuple(literal for literal, _ in ANCHORS)
HANDLERS: tuple[Handler, ...] = tuple(handler for _, handler in ANCHORS)
_ALL_WANTED = (
    _collection,
    _stopped,
    consuming.consumed,
    consuming.failure_stats,
    consuming.offset_stored,
    flow_control.flow_control,
    offsets.offset_illegal,
    replicas.behind,
    store.latency,
    store.setting,
    _printed,
)
EVERY: tuple[bool, ...] = tuple(
    handler in _ALL_WANTED or literal == b"PULL_OFFSET_MOVED:correction" for literal, handler in ANCHORS
)
"""lines that carry a number of their own, so that none may stand for another"""
