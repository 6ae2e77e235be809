"""The literals that are searched for, each with what reads the lines that have it.

A literal must be rare in a healthy log: what stands on every tenth line costs more than all the rest.
"""

from __future__ import annotations

from collections.abc import Callable

from mqdiag.logs import (
    access,
    brokers,
    busy,
    client_ids,
    connections,
    consuming,
    endings,
    flow_control,
    grpc_client,
    offsets,
    pop,
    raft,
    refusals,
    replicas,
    send_refusals,
    sending,
    starting,
    store,
    versions,
)
from mqdiag.logs.log_tally import LogTally
from mqdiag.logs.message import Message
from mqdiag.logs.pause_lines import tells_nothing
from mqdiag.read.logs.scan import EACH, SOME, Wanted

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


NOT_SENT = (
    b"send a request command to channel <",
    b"send request exception, so close the channel",
    b"caused by underlying I/O operation failure",
)
"""a request of a client that its connection did not take"""
NOT_ANSWERED = (
    b"but response failed",
    b"but failed to send response",
    b"rapper response to ",
    b"Failed to write response[",
    b"messages from page cache",
    b"transfer many message by pagecache",
)
"""an answer of a server for which the connection was gone"""
NOT_MADE = (
    b"createChannel: connect remote host[",
    b"createChannel: create channel exception",
    b" lock channel table, but timeout",
    b"Get and create channel of ",
    b" reconnect error",
    b"channelWrapper reconnect try lock fail",
)
"""a connection that could not be made"""
POP_NOT_STORED = (
    b"put ck to store fail",
    b"put ack to store fail",
    b"put batch ack to store fail",
    b"put batchAckMsg to store fail",
    b"put ack msg error",
    b"put ack msg fail",
    b"put new ck error",
)
"""a check point or an acknowledgement of a POP consumer that the store did not take"""
POP_BUFFER_BEHIND = (
    b"[PopBuffer]add ck, max size",
    b"[PopBuffer]add ck, timeout",
    b"[PopBuffer]scan stop, because eclipse too long",
    b"[PopBuffer] ck offset long time not commit",
    b"[PopBuffer] offset queue size too long",
    b", almost timeout for revive",
    b"stay too long, ",
)
"""check points that wait too long, or too many of them"""


def _collection(message: Message, log: LogTally) -> None:
    # any line may be the first with a zone
    if log.zone_minutes is not None and tells_nothing(message.hit.line):
        return
    log.gc.see(message, log.at(message))


def _stopped(message: Message, log: LogTally) -> None:
    log.safepoints.see(message, log.at(message))


def _printed(message: Message, log: LogTally) -> None:
    """A line of a starting broker; what is searched for behind the thread's name overlaps and is not found again."""
    versions.printed(message, log)
    store.setting(message, log)


def _not_answered(message: Message, log: LogTally) -> None:
    """The connection of a client was gone, which nothing else of the broker's log may tell."""
    connections.not_answered(message, log)
    client_ids.consumer_left(message, log)


def _client_ran(message: Message, log: LogTally) -> None:
    """A client started or was shut down: how many there were, and which."""
    connections.client_started(message, log)
    client_ids.client_ran(message, log)


ANCHORS: tuple[tuple[bytes, Handler], ...] = (
    (b"so do flow control", flow_control.flow_control),
    (b"Process queue total cached messages ", grpc_client.cache_full),
    (b"Message listener raised an exception while consuming", grpc_client.listener_threw),
    (b"consumeMessageConcurrently panic", consuming.failed_in_go),
    (b"consumeMessageCurrently error", consuming.failed_in_go),
    (b" consume service, consumerGroup=", grpc_client.group_named),
    (b", receptionTimes=", grpc_client.statistics),
    (b".StatusRuntimeException: ", grpc_client.call_failed),
    (b"status = StatusCode.", grpc_client.call_failed_in_python),
    (b"create grpc conn failed, err=", grpc_client.call_failed_in_go),
    (b"rocketmq client failed, clientId=", grpc_client.start_failed_in_node),
    (b"start flow control for a while", busy.busy),
    (b"too many requests and system thread pool busy", busy.pool_rejected),
    (b"The broker[", brokers.introduced),
    (b"send heart beat to broker[", brokers.introduced),
    (b"[PAGECACHERT]", store.latency),
    (b"[NOTIFYME]", store.notify_me),
    (b"update consumer offset less than store", offsets.below_store),
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
    (b" too small, broker min offset: ", offsets.too_small),
    (b"he pull request offset illegal", offsets.offset_illegal),
    (b"fix the pull request offset", offsets.offset_fixed),
    (b"lave fall behind master", replicas.behind),
    (b"HAService receive new connection", replicas.replica_seen),
    (b"] request offset ", replicas.replica_seen),
    (b"ha housekeeping, found this connection", replicas.connection_expired),
    (b"Failed to find epochEntry with epoch", replicas.epoch_missing),
    (b"pdate slave consumer offset from master, ", replicas.settings_copied),
    (b"to slave timeout", replicas.transfer_timeout),
    (b"do sync transfer other node, wait return, but failed", replicas.transfer_timeout),
    (b"consumeMessage exception", consuming.failed),
    (b"consumeMessage return null", consuming.failed),
    (b"consumeMessage Orderly return not OK", consuming.failed),
    (b"consume message failed. message", consuming.failed_in_spring),
    (b"removeMessage exception", consuming.queue_change_interrupted),
    (b"makeMessageToCosumeAgain exception", consuming.queue_change_interrupted),
    (b"getMaxSpan exception", consuming.queue_change_interrupted),
    (b"take Messages exception", consuming.queue_change_interrupted),
    (b"getExpiredMsg exception", consuming.queue_change_interrupted),
    (b"[CONSUME_FAILED_TPS]", consuming.failure_stats),
    (b"[SNDBCK_PUT_NUMS]", consuming.failure_stats),
    (b"send expire msg back", consuming.expired),
    (b"sendMessageBack Exception, ", consuming.not_sent_back),
    (b"sendMessageBack exception, group", consuming.not_sent_back),
    (b"Failed to send message back, consumerGroup", consuming.not_sent_back),
    (b"[BUG]doRebalance", consuming.pull_lost),
    (b"ForQueue is changed from", consuming.threshold_changed),
    (b"because not locked in broker", consuming.queue_unlocked),
    (b"he message queue locked OK, ", consuming.queue_locked),
    (b"he message queue lock OK, ", consuming.queue_locked),
    (b"java.lang.OutOfMemoryError", consuming.out_of_memory),
    (b"OutOfDirectMemoryError: failed", consuming.out_of_direct_memory),
    (b" updateConsumeOffsetToBroker ", consuming.offset_stored),
    (b"[CONSUME_OK_TPS]", consuming.consumed),
    (b"wait response on the channel <", sending.no_answer),
    (b"MQClientException: wait response timeout ", sending.no_answer_later),
    (b" call timeout", sending.call_timeout),
    (b"invokeSync call the addr[", sending.call_timeout),
    (b"times, still failed, cost [", sending.used_up),
    (b"RemotingSendRequestException: send request to ", sending.not_written),
    (b"connect to ", sending.not_connected),
    (b"close the connection to remote address[", sending.closed),
    (b"No route info of this topic", sending.no_route),
    (b"No route info for this topic", sending.no_route),
    (b"] not matched route info", sending.no_route),
    (b"No topic route info in name server for the topic", sending.no_route),
    (b"No name server address", sending.no_name_server),
    # a page on the web shows the two blanks as one
    *(
        (b"CODE: %d%s DESC: " % (code, blank), refusals.pull_refused)
        for code in (23, 24, 25, 26)
        for blank in (b"", b" ")
    ),
    *((b"Response Code: %d, remark: " % code, refusals.pull_refused) for code in (23, 24, 25, 26)),
    (b"] not exist, apply first please", refusals.no_topic),
    (b"subscription is not latest, group: ", refusals.not_latest),
    (b"subscription changed, group: ", refusals.subscription_changed),
    (b"the message is illegal, maybe ", send_refusals.too_large),
    (b"the message body size over max value", send_refusals.too_large),
    (b"message is forbidden", send_refusals.not_allowed),
    (b"Sending message to topic[", send_refusals.not_allowed),
    (b"broker unable to service, until", send_refusals.not_open),
    (b"create mapped file failed, server is busy", send_refusals.no_file),
    (b"create maped file failed, please make sure", send_refusals.no_file),
    (b"in-sync replicas not enough", send_refusals.replicas_missing),
    *((b"ped file%d error, topic" % number, send_refusals.no_file) for number in (1, 2)),
    (b"SLAVE_NOT_AVAILABLE", send_refusals.no_slave),
    (b", so putMessage", send_refusals.forbidden),
    (b", so end transaction is forbidden", send_refusals.forbidden),
    (b"the message store is not writable", send_refusals.forbidden),
    (b"NETTY CLIENT PIPELINE: CONNECT ", connections.connected),
    (b"NETTY CLIENT PIPELINE: ACTIVE, ", connections.active),
    (b"NETTY CLIENT PIPELINE: CLOSE ", connections.closed),
    (b"NETTY SERVER PIPELINE: channelActive", connections.accepted),
    (b"NETTY SERVER PIPELINE: channelInactive", connections.accepted),
    (b"PIPELINE: IDLE exception", connections.idle),
    (b"createChannel: begin to connect", connections.begun),
    (b"PIPELINE: exceptionCaught", connections.failed),
    *((literal, connections.not_sent) for literal in NOT_SENT),
    *((literal, _not_answered) for literal in NOT_ANSWERED),
    *((literal, connections.not_made) for literal in NOT_MADE),
    (b"SCAN: remove expired channel", connections.expired),
    (b"remove expired channel[", connections.expired),
    (b"Adjusted frame length exceeds", connections.frame),
    (b"the client factory [", _client_ran),
    (b"Created a new client Instance, ", connections.client_made),
    (b"Too many open files", connections.no_descriptor),
    (b"No file descriptors available", connections.no_descriptor),
    ("打开的文件过多".encode(), connections.no_descriptor),
    (b"because store is no correct", pop.moved),
    *((literal, pop.not_stored) for literal in POP_NOT_STORED),
    (b"message may be lost, record=", pop.dropped),
    (b"rePut CK reach max times, drop it", pop.dropped),
    (b"can not get biz msg topic is", pop.dropped),
    (b"get message from store return null", pop.dropped),
    (b"find ack, offset:", pop.acknowledgement),
    (b"because timerWheelEnable is false", pop.refused),
    (b"Too much msgs unacked, then stop pop", pop.unacknowledged),
    (b"revive finish,old offset is ", pop.round_ended),
    # of rounds without a check point only the time counts
    *((b"ckDelay=%d" % digit, pop.revived) for digit in range(1, 10)),
    *((literal, pop.buffer_full) for literal in POP_BUFFER_BEHIND),
    (b"logic queue order maybe wrong", store.queue_order),
    (b"[SetReputOffset] maxPhysicalPosInLogicQueue", store.dispatch_from),
    (b"Map failed", store.mapping_failed),
    (b"Unknown exception in enqueuing", store.timer_failed),
    (b"Unknown exception in dequeuing", store.timer_failed),
    (b"TimerMessageStore.getMessageByCommitOffset(", store.timer_unreadable),
    (b"TimerMessageStore$Timer", store.timer_ran),
    (b"found a illegal magic code", store.no_message_there),
    (b"Flush data to disk costs ", store.flush_slow),
    (b"pedFile spent time(ms) ", store.new_file),
    (b"create mmap timeout", store.file_late),
    (b"mmap request expired", store.file_late),
    (b"MQ already started", starting.store_locked),
    (b" - load exception", starting.store_not_loaded),
    (b"ScheduleMessageService.configFilePath(", starting.store_not_loaded),
    (b"Address already in use", starting.port_in_use),
    (b"Failed to bind to address", starting.port_in_use),
    (b"and try to load backup file", starting.settings_unreadable),
    (b"Unrecognized VM option", starting.jvm_refused),
    (b"Could not reserve enough space for ", starting.heap_refused),
    (b"ould not find or load main class ", starting.class_missing),
    ("找不到或无法加载主类".encode(), starting.class_missing),
    (b"java.lang.NoClassDefFoundError: ", starting.definition_missing),
    (b"getLocalHost() throws UnknownHostException", starting.host_unknown),
    (b"create system broadcast topic ", starting.cluster_unknown),
    (b"has been created before, specify another", starting.group_exists),
    (b"MQClientException: consumeThreadMin (", starting.client_settings_refused),
    (b" Out of range [", starting.client_settings_refused),
    (b"Failed to init controller metadata, maybe", starting.controller_unreachable),
    (b"fail to get next broker id from controller", starting.controller_unreachable),
    (b"First time register broker success", starting.controller_reached),
    (b"No accessKey is configured", access.refused),
    (b"unable to calculate a request signature", access.refused),
    (b"Check signature failed for accessKey", access.refused),
    (b"No acl config for ", access.refused),
    (b"No default permission for ", access.refused),
    (b"valid permission failed", access.refused),
    (b"AuthenticationException: signature validate failed", access.refused),
    (b"Need admin permission for request code", access.refused),
    (b"name=INDEX_OUT_OF_RANGE", raft.entry_not_held),
    (b"name=INDEX_LESS_THAN_LOCAL_BEGIN", raft.entry_not_held),
    (b"name=DISK_ERROR", raft.data_damaged),
    (b"REJECT_SMALL_LEDGER_END_INDEX", raft.vote_refused),
    (b"[PARSE_VOTE_RESULT]", raft.voted),
    (b"[ChangeRoleToFollower]", raft.follows),
    (b"][LEADER] term=", raft.leads),
    (b" change role to ", raft.controller_changed_role),
    (b"[HeartBeatTimeOut] lastLeaderHeartBeatTime", raft.leader_silent),
    (b" start preVote.", raft.jraft_pre_vote),
    (b"> received RequestVoteRequest from ", raft.jraft_vote),
    (b"> become leader of group, term=", raft.jraft_leads),
    (b"> steps down when alive nodes don't satisfy quorum", raft.jraft_leads),
    (b"> Start Leader, term=", raft.jraft_leads),
    (b"> Stop Leader, status=", raft.jraft_majority_silent),
    (b" - Controller <", raft.jraft_controller),
    (b"Start following, ctx=LeaderChangeContext", raft.jraft_controller_follows),
    (b"Stop following, ctx=LeaderChangeContext", raft.jraft_leader_silent),
    (b"Pull Message Service Run Method exception", consuming.pull_failed),
    (b"execute callback in executor exception", consuming.pull_failed),
    (b"new consumer connected, group: ", client_ids.consumer_connected),
    (b"NETTY EVENT: remove", client_ids.consumer_left),
    (b"from ConsumerManager consumerTable. channel=", client_ids.consumer_left),
    (b"unregister a consumer[", client_ids.consumer_left),
    (b"] boot success", client_ids.all_left),
    (b"the consumer [", client_ids.consumer_ran),
    (b"hutdown hook was invoked", endings.hook_ran),
    (b"SpringContextShutdownHook", endings.hook_ran),
    (b"SpringApplicationShutdownHook", endings.hook_ran),
    (b"] shutdown OK", endings.group_shut_down),
    (b"Killed process ", endings.killed),
    (b".sh: line ", endings.killed_in_shell),
    (b"Out of memory: Kill process ", endings.killed),
    (b"OOMKilled", endings.oom_killed),
    (b" Killed      ", endings.shell_killed),
    *(
        (form.format(code).encode(), endings.exit_code)
        for form in endings.EXIT_FORMS
        for code in endings.EXIT_CODES
    ),
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
    (b"[Full GC", _collection),
    # without times; the details that G1 prints below a pause begin with "[GC Worker"
    *((b"[GC " + begin, _collection) for begin in (b"(", b"[", b"pause", *(b"%d" % n for n in range(1, 10)))),
    (b"(concurrent mode ", _collection),
    (b" Heap: ", _collection),
)
LITERALS: tuple[bytes, ...] = tuple(literal for literal, _ in ANCHORS)
HANDLERS: tuple[Handler, ...] = tuple(handler for _, handler in ANCHORS)
_ALL_WANTED = (
    _collection,
    _stopped,
    client_ids.consumer_connected,
    client_ids.consumer_left,
    consuming.consumed,
    consuming.failure_stats,
    consuming.queue_locked,
    consuming.queue_unlocked,
    flow_control.flow_control,
    grpc_client.cache_full,
    grpc_client.statistics,
    offsets.below_store,
    offsets.offset_illegal,
    replicas.behind,
    store.latency,
    store.setting,
    _printed,
)
_IN_PAIRS = (connections.connected, connections.active, connections.closed, connections.accepted)
"""the beginning of a connection and its end, which tell together how long it lived"""
IN_PAIRS = Wanted(200, 100, 32, in_a_row=True)
ROUNDS = Wanted(None, 200, 64, in_a_row=True)
"""a row of rounds has those of all queues, and shows which of them has none any more"""


def _wanted(literal: bytes, handler: Handler) -> Wanted:
    """How many lines of a flood are looked at; none may stand for another that has a number of its own."""
    if handler in _ALL_WANTED or literal == b"PULL_OFFSET_MOVED:correction":
        return EACH
    if handler is consuming.offset_stored:
        # a queue of a short log has few of them; in a long one each queue comes up again and again
        return Wanted(None, 200, 50)
    if handler is pop.round_ended:
        return ROUNDS
    return IN_PAIRS if handler in _IN_PAIRS else SOME


WANTED: tuple[Wanted, ...] = tuple(_wanted(literal, handler) for literal, handler in ANCHORS)
_ONLY_CHANGES = (_printed, store.setting, versions.printed)
CHANGES: tuple[bool, ...] = tuple(handler in _ONLY_CHANGES for handler in HANDLERS)
"""lines of settings, which every start of a broker prints again; the same value tells nothing new"""
