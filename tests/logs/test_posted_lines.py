"""Lines as people post them, a few at a time, and the rule that each of them must lead to."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.diagnose.logs import diagnose_logs
from mqdiag.findings import Confidence, Finding, Report, Severity
from mqdiag.language import english
from tests.logs.given import facts, line

QUEUE = "MessageQueue [topic=orders, brokerName=broker-a, queueId=6]"
REFUSED = (
    "2026-11-21 20:00:{second:02d} WARN NettyClientPublicExecutor_3 - execute the pull request exception\n"
    "org.apache.rocketmq.client.exception.MQBrokerException: CODE: {code}  DESC: the consumer's group info not exist\n"
    " at org.apache.rocketmq.client.impl.MQClientAPIImpl.processPullResponse(MQClientAPIImpl.java:640)\n"
)
ORDER = (
    "[BUG]logic queue order maybe wrong, expectLogicOffset: 9000060 currentLogicOffset: 9000000 Topic: orders"
    " QID: 3 Diff: 60"
)
FRAME = "TooLongFrameException: Adjusted frame length exceeds 16777216: {length} - discarded\n"
STORED = "Group: CID_a ClientId: c@1 updateConsumeOffsetToBroker " + QUEUE + " {offset}"
CONSUMED = "[CONSUME_OK_TPS] [orders@CID_a] Stats In One Minute, SUM: {sum} TPS: 0.15 AVGPT: 1.00"
SUBSCRIPTION = (
    "SubscriptionData [classFilterMode=false, topic=orders, subString={tag}, tagsSet=[{tag}], codeSet=[1]]"
)


def diagnosed(text: str, tmp_path: Path) -> Report:
    log = tmp_path / "some.log"
    log.write_text(text)
    return diagnose_logs([log]).report


def only(report: Report, rule: str) -> Finding:
    (finding,) = (one for one in report.findings if one.rule == rule)
    return finding


@pytest.mark.parametrize(
    ("text", "rule", "cause"),
    [
        (
            "org.apache.rocketmq.remoting.exception.RemotingTimeoutException: wait response on the channel"
            " <10.8.8.8:10911> timeout, 3000(ms)\n",
            "send-timeout",
            "slow-broker",
        ),
        (
            "org.apache.rocketmq.remoting.exception.RemotingTooMuchRequestException: sendDefaultImpl call timeout\n"
            "20:00:01.807 [NettyClientSelector_1] INFO  RocketmqRemoting closeChannel: close the connection to remote"
            " address[] result: true\n",
            "send-timeout",
            "broker-unreachable",
        ),
        (
            "java.lang.RuntimeException: org.apache.rocketmq.remoting.exception.RemotingConnectException: connect to"
            " 127.0.0.1:10911 failed\n\tat com.acme.Bus.send(Bus.java:9)\n",
            "send-timeout",
            "wrong-broker-address",
        ),
        (
            "org.apache.rocketmq.remoting.exception.RemotingTooMuchRequestException: sendKernelImpl call timeout\n",
            "send-timeout",
            "unknown",
        ),
        (
            "org.apache.rocketmq.client.exception.MQClientException: Send [1] times, still failed, cost [3001]ms,"
            " Topic: orders, BrokersSent: [broker-a, null, null]\n\tat com.acme.Bus.send(Bus.java:9)\n",
            "send-timeout",
            "unknown",
        ),
        (
            "org.apache.rocketmq.remoting.exception.RemotingSendRequestException: send request to <10.8.8.8:19876>"
            " failed\n\tat o.a.r.client.impl.MQClientAPIImpl.getTopicRouteInfoFromNameServer(M.java:1)\n",
            "name-server-unreachable",
            "unreachable",
        ),
        ("ERROR 20116 - msg: No route info of this topic, ,error:-1,in file <a>\n", "no-route", "topic-not-created"),
        (
            "MQClientException: The producer group[orders] has been created before, specify another name please.\n"
            "\tat com.acme.Bus.send(Bus.java:9)\n",
            "start-failed",
            "group-exists",
        ),
        (
            "org.apache.rocketmq.client.exception.MQClientException: wait response timeout 5000ms\n"
            "\tat org.apache.rocketmq.client.impl.MQClientAPIImpl$1.operationComplete(MQClientAPIImpl.java:1)\n",
            "send-timeout",
            "slow-broker",
        ),
        (
            "java.lang.IllegalStateException: org.apache.rocketmq.remoting.exception.RemotingConnectException: connect"
            " to [10.8.8.8:19876] failed\n"
            "\tat org.apache.rocketmq.remoting.netty.NettyRemotingClient.getAndCreateNameserverChannel(N.java:446)\n",
            "name-server-unreachable",
            "unreachable",
        ),
        (
            "org.apache.rocketmq.client.exception.MQClientException: No route info of this topic, orders\n",
            "no-route",
            "topic-not-created",
        ),
        (line(ORDER), "consume-queue-broken", "dispatch-position-lost"),
        (
            line("[SetReputOffset] maxPhysicalPosInLogicQueue=900 clMinOffset=0 clMaxOffset=700 clConfirmedOffset=700"),
            "consume-queue-broken",
            "commit-log-lost-its-tail",
        ),
        (
            line("map file /data/store/consumequeue/orders/3/00000000000006000000 Failed. ")
            + "java.io.IOException: Map failed\nCaused by: java.lang.OutOfMemoryError: Map failed\n",
            "mapping-failed",
            "map-count",
        ),
        (
            line("map file C:\\store\\commitlog\\00000000000000000000 Failed. ")
            + "java.io.IOException: Map failed\n",
            "mapping-failed",
            "address-space",
        ),
        (
            line("physic disk maybe full soon, so reclaim space, -1.0")
            + line("disk space will be full soon, but delete file failed."),
            "store-path-missing",
            "store-path-missing",
        ),
        (
            'Exception in thread "RocketmqClientAsyncWorker-1021-7" java.lang.OutOfMemoryError: unable to create native'
            " thread: possibly out of memory or process/resource limits reached\n",
            "thread-limit",
            "client-leak",
        ),
        (
            line("Handler dispatch failed; java.lang.OutOfMemoryError: unable to create new native thread"),
            "thread-limit",
            "limit-too-low",
        ),
        (
            line("putMessage not in lock elapsed time(ms)=31044, bodyLength=181", thread="QuorumAckChecker-n1"),
            "dledger-ack-late",
            "slow-follower",
        ),
        (
            line("Unknown exception in enqueuing", thread="TimerEnqueueGetService")
            + "java.lang.IllegalArgumentException: null\n"
            "\tat org.apache.rocketmq.store.timer.TimerMessageStore.getMessageByCommitOffset(A.java:1)\n",
            "timer-stuck",
            "message-too-large",
        ),
        (
            "java.lang.RuntimeException: Lock failed,MQ already started\n"
            "    at org.apache.rocketmq.store.DefaultMessageStore.start(DefaultMessageStore.java:1)\n",
            "start-failed",
            "store-locked",
        ),
        (
            "java.lang.NullPointerException\n"
            "        at org.apache.rocketmq.broker.schedule.ScheduleMessageService.configFilePath(S.java:288)\n"
            "        at org.apache.rocketmq.broker.BrokerStartup.main(BrokerStartup.java:50)\n",
            "start-failed",
            "store-not-loaded",
        ),
        (line("load exception", level="ERROR"), "start-failed", "store-not-loaded"),
        (
            line("find an unexpect err.", level="ERROR")
            + "java.io.IOException: Failed to bind to address 0.0.0.0/0.0.0.0:8081\n"
            "Caused by: io.netty.channel.unix.Errors$NativeIoException: bind(..) failed: Address already in use\n",
            "start-failed",
            "port-in-use",
        ),
        (
            line("load /data/store/config/delayOffset.json failed, and try to load backup file", level="ERROR"),
            "start-failed",
            "config-file-broken",
        ),
        (
            "Unrecognized VM option 'UseConcMarkSweepGC'\nError: Could not create the Java Virtual Machine.\n"
            "INFO main - x\n",
            "start-failed",
            "jvm-option",
        ),
        (
            "Error occurred during initialization of VM\n"
            "Could not reserve enough space for 8388608KB object heap\nINFO main - x\n",
            "start-failed",
            "heap-too-large",
        ),
        (
            "org.apache.rocketmq.proxy.common.ProxyException: create system broadcast topic"
            " DefaultHeartBeatSyncerTopic failed on cluster c1\n",
            "start-failed",
            "cluster-not-found",
        ),
        (
            line("process request exception", level="ERROR")
            + "org.apache.rocketmq.acl.common.AclException: No accessKey is configured\n",
            "access-denied",
            "no-access-key",
        ),
        (
            "Caused by: org.apache.rocketmq.client.exception.MQBrokerException: CODE: 1  DESC:"
            " org.apache.rocketmq.acl.common.AclException: Check signature failed for accessKey=k1\n",
            "access-denied",
            "wrong-signature",
        ),
        (
            "org.apache.rocketmq.acl.common.AclException: No default permission for orders\n",
            "access-denied",
            "no-permission",
        ),
        (
            line("[Push-n2]Error in EntryDispatcher-n0-n2 writeIndex=5 compareIndex=-1", level="ERROR")
            + "io.openmessaging.storage.dledger.exception.DLedgerException: [code=410,name=INDEX_OUT_OF_RANGE,desc=] 5"
            " should between 100-200\n",
            "dledger-log-broken",
            "entries-deleted",
        ),
        (
            "x.dledger.exception.DLedgerException: [code=414,name=DISK_ERROR,desc=] pos 0 != 7\n",
            "dledger-log-broken",
            "data-damaged",
        ),
        (
            line('[D0][GetVoteResponse] {"term":1,"voteResult":"REJECT_SMALL_LEDGER_END_INDEX"}', level="INFO"),
            "dledger-log-broken",
            "member-shut-out",
        ),
        (
            line(
                "[n0][HeartBeatTimeOut] lastLeaderHeartBeatTime: 2026-11-21 20:00:00.416 heartBeatTimeIntervalMs: 2000"
                " lastLeader=n1",
                level="INFO",
            ),
            "raft-without-leader",
            "leader-lost",
        ),
        (
            'Exception in thread "ScheduledTask" io.netty.util.internal.OutOfDirectMemoryError: failed to allocate'
            " 16777216 byte(s) of direct memory (used: 941279084, max: 954728448)\n",
            "out-of-memory-thread",
            "direct-memory",
        ),
        (line("Slave fall behind master: -7310000000000000000 bytes", level="INFO"), "slave-behind", "foreign-bytes"),
        (line("Slave fall behind master: -4096 bytes", level="INFO"), "slave-behind", "slave-ahead"),
        (
            line("Failed to find epochEntry with epoch 9 when build msg header", thread="WriteSocketService"),
            "slave-behind",
            "epoch-missing",
        ),
        (
            line("the request offset: 9000 over flow badly, broker max offset: 600, consumer: /a", level="INFO")
            + line(
                "PULL_OFFSET_MOVED:none correction. topic=orders, groupId=CID_a, requestOffset=9000, suggestBrokerId=0"
            ),
            "slave-behind",
            "slow-slave",
        ),
        (
            line(
                "Offset not matched. Request offset: 100, firstOffset: 1073741824, lastOffset: 2147483648,"
                " mappedFileSize: 1073741824, mappedFiles count: 1",
                thread="WriteSocketService",
            ),
            "offset-not-matched",
            "slave-too-far-behind",
        ),
        (
            "ReputMessageService - Offset not matched. Request offset: 100, firstOffset: 1073741824, lastOffset:"
            " 2147483648, mappedFileSize: 1073741824, mappedFiles count: 1\n" * 2,
            "offset-not-matched",
            "dispatch-position-lost",
        ),
        (
            line("found a illegal magic code 0x6d657373", thread="ReputMessageService"),
            "consume-queue-broken",
            "commit-log-damaged",
        ),
        (
            line("Unknown error", thread="TimerDequeuePutMessageService_1", level="ERROR")
            + "java.lang.NumberFormatException: null\n\tat java.lang.Integer.parseInt(Integer.java:1)\n"
            "\tat org.apache.rocketmq.store.timer.TimerMessageStore$TimerDequeuePutMessageService.run(T.java:1)\n",
            "timer-stuck",
            "store-damaged",
        ),
        (
            line("load file C:\\store\\commitlog\\00000000001073741824 error", level="ERROR")
            + "java.io.IOException: Map failed\n",
            "mapping-failed",
            "address-space",
        ),
        (line("putMessage not in lock elapsed time(ms)=1013, bodyLength=24"), "slow-writes", "slow-writes"),
        (line("Flush data to disk costs 2210 ms", level="INFO"), "slow-writes", "slow-disk"),
        (line("create mmap timeout /data/store/commitlog/00000000001073741824 1073741824"), "slow-writes", "new-file"),
        (
            line(
                "[PAGECACHERT] TotalPut 44, PutMessageDistributeTime [<=0ms]:38 [0~10ms]:0 [10~50ms]:0 [50~100ms]:0"
                " [100~200ms]:0 [200~500ms]:0 [500ms~1s]:0 [1~2s]:2 [2~3s]:0 [3~4s]:0 [4~5s]:4 [5~10s]:0 [10s~]:0",
                level="INFO",
            ),
            "slow-writes",
            "slow-writes",
        ),
        (
            "bin/runbroker.sh: line 42:  2207 Killed      numactl --interleave=all $JAVA ${JAVA_OPT} $@\n",
            "shutdown-requested",
            "signal",
        ),
        ("[1]+  Exit 137                sh bin/mqbroker -n localhost:9876\n", "shutdown-requested", "signal"),
        ("".join(REFUSED.format(code=24, second=second) for second in range(12)), "pull-refused", "heartbeat-lost"),
        (
            "Caused by: org.apache.rocketmq.remoting.exception.RemotingTimeoutException: invokeSync call timeout\n"
            "\tat o.a.r.client.impl.MQClientAPIImpl.getTopicRouteInfoFromNameServer(M.java:1)\n",
            "name-server-unreachable",
            "unreachable",
        ),
        (
            "org.apache.rocketmq.remoting.exception.RemotingTimeoutException: wait response on the channel"
            " <amesrv.shop/10.8.8.8:9876> timeout, 6000(ms)\n",
            "name-server-unreachable",
            "unreachable",
        ),
        (
            line("SyncTopicConfig Exception, 10.8.8.8:10911", level="ERROR")
            + "o.a.r.remoting.exception.RemotingConnectException: connect to 10.8.8.8:10911 failed\n"
            "\tat org.apache.rocketmq.broker.out.BrokerOuterAPI.getAllTopicConfig(BrokerOuterAPI.java:1)\n",
            "slave-behind",
            "settings-not-copied",
        ),
        (
            "o.a.r.remoting.exception.RemotingTimeoutException: wait response on the channel <10.8.8.8:10911> timeout,"
            " 3000(ms)\n\tat org.apache.rocketmq.broker.slave.SlaveSynchronize.syncAll(SlaveSynchronize.java:1)\n",
            "slave-behind",
            "settings-not-copied",
        ),
        (
            "org.apache.rocketmq.client.exception.MQClientException: No route info for this topic, orders\n",
            "no-route",
            "topic-not-created",
        ),
        (
            "org.apache.rocketmq.client.exception.MQClientException: CODE: 17  DESC: The topic[orders] not matched"
            " route info\n",
            "no-route",
            "topic-not-created",
        ),
        (
            "Caused by: org.apache.rocketmq.client.exception.MQClientException: consumeThreadMin (20) is larger than"
            " consumeThreadMax (1)\n",
            "start-failed",
            "client-settings",
        ),
        (
            "org.apache.rocketmq.client.exception.MQClientException: pullBatchSize Out of range [1, 1024]\n",
            "start-failed",
            "client-settings",
        ),
        (
            line("fail to get next broker id from controller", level="ERROR"),
            "start-failed",
            "controller-unreachable",
        ),
        (
            "grpc.aio._call.AioRpcError: <AioRpcError of RPC that terminated with:\n\tstatus = StatusCode.UNAVAILABLE\n"
            '\tdetails = "failed to connect to all addresses; last error: UNAVAILABLE: ipv4:10.8.8.8:9876: down"\n',
            "proxy-unreachable",
            "unreachable",
        ),
        (
            "Error: Could not find or load main class org.apache.rocketmq.broker.BrokerStartup\n",
            "start-failed",
            "class-missing",
        ),
        (
            "java.lang.NoClassDefFoundError: org/slf4j/LoggerFactory\n"
            "\tat o.a.r.namesrv.NamesrvStartup.main0(NamesrvStartup.java:94)\n",
            "start-failed",
            "class-missing",
        ),
        (
            "java.lang.ExceptionInInitializerError\n\tat o.a.r.broker.BrokerStartup.main(BrokerStartup.java:51)\n"
            "Caused by: java.lang.RuntimeException: InetAddress java.net.InetAddress.getLocalHost() throws"
            " UnknownHostException\n\tat o.a.r.common.MixAll.localhost(MixAll.java:433)\n",
            "start-failed",
            "host-name-unknown",
        ),
        (
            'time="2026-11-21T20:00:01Z" level=error msg="consumeMessageConcurrently panic" consumerGroup=CID_a'
            ' underlayError="decimal division by 0"\n',
            "listener-throws",
            "own-code",
        ),
        (
            '{"level":"warn","ts":1,"msg":"consumeMessageCurrently error","consumerGroup":"CID_a",'
            '"underlayError":"no rows"}\n',
            "listener-throws",
            "own-code",
        ),
        (
            "err=create grpc conn failed, err=context deadline exceeded\n",
            "proxy-unreachable",
            "no-answer",
        ),
        (
            "Startup the rocketmq client failed, clientId=a@1@2@x, error=Error: 1 CANCELLED: Call cancelled\n",
            "proxy-unreachable",
            "connection-closed",
        ),
        (
            "org.apache.rocketmq.remoting.exception.RemotingTimeoutException: invokeSync call the addr[null] timeout\n",
            "name-server-unreachable",
            "unreachable",
        ),
        (
            "MQBrokerException: CODE: 1  DESC: com.aliyun.AuthenticationException: signature validate failed.\n",
            "access-denied",
            "wrong-signature",
        ),
        (
            "MQBrokerException: CODE: 26  DESC: subscription group not exist, CID_a See http://x\n"
            "\tat o.a.r.client.impl.MQClientAPIImpl.consumerSendMessageBack(M.java:1)\n",
            "pull-refused",
            "group-not-created",
        ),
        (
            # a page on the web shows the two blanks behind the code as one
            "MQBrokerException: CODE: 26 DESC: subscription group [CID_a] does not exist, See http://x\n"
            "\tat o.a.r.client.impl.MQClientAPIImpl.processPullResponse(M.java:1)\n",
            "pull-refused",
            "group-not-created",
        ),
        (
            "2026-11-21 20:00:01 WARN x - execute the pull request exception\n"
            "MQBrokerException: CODE: 17  DESC: topic[orders] not exist, apply first please! \n",
            "pull-refused",
            "no-topic",
        ),
    ],
)  # fmt: skip
def test_a_few_lines_name_the_cause(text: str, rule: str, cause: str, tmp_path: Path) -> None:
    report = diagnosed(text, tmp_path)
    assert only(report, rule).cause == cause
    assert report.answer is not None
    assert report.answer.state == "fault"


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (
            line("shutdown thread NettyEventExecutor interrupt false", level="INFO", thread="ShutdownHook")
            + line("NettyEventExecutor service end", level="INFO", thread="NettyEventExecutor")
            + line("register broker to name server 10.1.2.3:9876 OK", level="INFO") * 2,
            "shutdown-requested",
        ),
        (
            line("unregister consumer ok, no any connection, and remove consumer group, CID_a", level="INFO")
            + line("register broker to name server 10.1.2.3:9876 OK", level="INFO") * 4,
            "symptoms-not-judged",
        ),
    ],
)
def test_a_few_lines_about_an_end_are_no_all_clear(text: str, cause: str, tmp_path: Path) -> None:
    report = diagnosed(text, tmp_path)
    assert report.answer is not None
    assert (report.answer.state, [one.rule for one in report.findings]) == ("undecided", [cause])


def test_a_question_of_a_broker_to_another_one_is_not_for_the_name_server(tmp_path: Path) -> None:
    text = (
        "o.a.r.remoting.exception.RemotingConnectException: connect to 10.8.8.8:10911 failed\n"
        "\tat org.apache.rocketmq.broker.out.BrokerOuterAPI.getMaxOffset(BrokerOuterAPI.java:1)\n"
    )
    assert "name-server-unreachable" not in {one.rule for one in diagnosed(text, tmp_path).findings}


@pytest.mark.parametrize(
    "text",
    [
        "grpc._channel._InactiveRpcError: <_InactiveRpcError of RPC that terminated with:\n"
        "\tstatus = StatusCode.UNAVAILABLE\n"
        '\tdetails = "failed to connect to all addresses; last error: UNKNOWN: ipv4:10.1.1.1:8500: refused"\n',
        "<_InactiveRpcError of RPC that terminated with:\n\tstatus = StatusCode.UNIMPLEMENTED\n"
        '\tdetails = "Method not found!"\n',
        # a console asks each broker for a group
        "org.apache.rocketmq.client.exception.MQBrokerException: CODE: 26  DESC: No group in this broker\n"
        "\tat org.apache.rocketmq.client.impl.MQClientAPIImpl.getSubscriptionGroupConfig(M.java:1)\n",
        line("create grpc conn failed, endpoint model:8500"),
        line("signature validate failed for order 7"),
        line("Error: Could not find or load main class com.acme.Tool"),
    ],
)
def test_what_others_ask_is_no_fault_of_a_consumer(text: str, tmp_path: Path) -> None:
    assert not diagnosed(line("go on", level="INFO") + text, tmp_path).findings


def test_a_call_of_the_python_client_is_known_by_its_class_where_it_stands_alone(tmp_path: Path) -> None:
    text = (
        "Exception: <AioRpcError of RPC that terminated with: status = StatusCode.DEADLINE_EXCEEDED"
        ' details = "Deadline Exceeded" debug = "{created_time:"2025-02-25T09:00:12.1+08:00"}" >\n'
    )
    assert only(diagnosed(text, tmp_path), "proxy-unreachable").cause == "no-answer"
    assert not diagnosed(line("x", level="INFO") + line(text, level="ERROR"), tmp_path).findings


def test_a_call_of_the_python_client_is_known_by_its_stack(tmp_path: Path) -> None:
    text = line("cannot send", level="ERROR") + (
        'Traceback (most recent call last):\n  File "/x/rocketmq/v5/client/client.py", line 12, in send\n'
        "grpc.aio._call.AioRpcError: <AioRpcError of RPC that terminated with:\n\tstatus = StatusCode.UNAVAILABLE\n"
        '\tdetails = "failed to connect to all addresses; last error: UNKNOWN: ipv4:10.1.1.1:30081: refused"\n'
    )
    assert only(diagnosed(text, tmp_path), "proxy-unreachable").cause == "unreachable"


def test_the_go_client_names_the_group_of_its_listener(tmp_path: Path) -> None:
    text = 'time="x" level=error msg="consumeMessageConcurrently panic" consumerGroup=CID_a underlayError="x"\n'
    found = only(diagnosed(text, tmp_path), "listener-throws")
    assert found.subject.group == "CID_a"


def test_the_sign_that_ends_a_quoted_line_is_no_part_of_the_topic(tmp_path: Path) -> None:
    report = diagnosed("- `No route info of this topic: orders` comes at each start\n", tmp_path)
    assert only(report, "no-route").subject.topic == "orders"


CONTROLLER_LATE = (
    line("Failed to init controller metadata, maybe the controllers in [c:9878] is not available", level="ERROR")
    + line("Failed to start replicasManager", level="ERROR")
)  # fmt: skip


def test_a_broker_that_finds_no_controller_does_not_start(tmp_path: Path) -> None:
    assert only(diagnosed(CONTROLLER_LATE, tmp_path), "start-failed").cause == "controller-unreachable"


def test_a_controller_that_starts_after_the_broker_is_no_fault_of_the_start(tmp_path: Path) -> None:
    """The broker tries again every 5 s."""
    later = line(
        "First time register broker success, change state to: REGISTER_TO_CONTROLLER_DONE", level="INFO"
    )
    assert not diagnosed(CONTROLLER_LATE + later, tmp_path).findings


@pytest.mark.parametrize(
    "thrown",
    [
        "MQBrokerException: CODE: 2012  DESC: The broker has not master, and cannot be elected",
        "RemotingConnectException: connect to <127.0.0.1:9878> failed",
        "RemotingTimeoutException: wait response on the channel <127.0.0.1:9878> timeout, 3000(ms)",
    ],
)
def test_a_question_to_a_controller_is_neither_for_a_name_server_nor_a_send(
    thrown: str, tmp_path: Path
) -> None:
    text = (
        line("Failed to start replicasManager", level="ERROR")
        + line("fail to send registerBrokerToController request to controller", level="ERROR")
        + f"org.apache.rocketmq.{thrown}\n"
        "\tat org.apache.rocketmq.broker.out.BrokerOuterAPI.registerBrokerToController(BrokerOuterAPI.java:1183)\n"
        "\tat org.apache.rocketmq.broker.controller.ReplicasManager.registerBrokerToController(R.java:1)\n"
    )
    report = diagnosed(text, tmp_path)
    assert not report.findings
    assert report.answer is not None
    assert report.answer.state == "undecided"


def test_a_controller_that_answers_is_reached(tmp_path: Path) -> None:
    text = (
        line("fail to get next broker id from controller", level="ERROR")
        + "org.apache.rocketmq.client.exception.MQBrokerException: CODE: 2007  DESC: The controller is not leader\n"
        "\tat org.apache.rocketmq.broker.out.BrokerOuterAPI.getNextBrokerId(BrokerOuterAPI.java:1)\n"
    )
    assert not diagnosed(text, tmp_path).findings


def test_a_cause_whose_exception_was_cut_off_is_not_understood(tmp_path: Path) -> None:
    """The frames above it have no exception, which else would tell of it."""
    text = (
        "\tat org.apache.rocketmq.tools.command.MQAdminStartup.main(MQAdminStartup.java:1)\n"
        "Caused by: com.acme.NoMoneyException: 3\n"
        "\tat com.acme.Bank.pay(Bank.java:7)\n" * 2
    )
    report = diagnosed(text, tmp_path)
    assert report.answer is not None
    assert report.answer.state == "undecided"


def test_a_file_that_cannot_be_mapped_is_not_a_full_heap(tmp_path: Path) -> None:
    text = (
        line("map file /data/store/commitlog/0 Failed. ")
        + "Caused by: java.lang.OutOfMemoryError: Map failed\n"
    )
    assert {finding.rule for finding in diagnosed(text, tmp_path).findings} == {"mapping-failed"}


def test_a_disk_that_cannot_be_measured_is_not_full(tmp_path: Path) -> None:
    text = line("physic disk maybe full soon, so reclaim space, -1.0")
    text += line("disk space will be full soon, but delete file failed.")
    assert {finding.rule for finding in diagnosed(text, tmp_path).findings} == {"store-path-missing"}


def test_a_dispatch_that_begins_at_the_end_lost_nothing() -> None:
    text = "[SetReputOffset] maxPhysicalPosInLogicQueue=700 clMinOffset=0 clMaxOffset=700 clConfirmedOffset=700"
    assert facts(line(text)).events == ()


LEFT = (
    line("transfer many message by pagecache failed, /10.1.1.1:5")
    + "java.nio.channels.ClosedChannelException: null\n"
)
NEVER_MADE = "closeChannel: close the connection to remote address[] result: true"


@pytest.mark.parametrize(
    ("text", "causes"),
    [
        (LEFT, []),
        (LEFT + LEFT.replace(":01 ", ":02 "), ["closed-again"]),
        (line(NEVER_MADE) * 3, ["never-made"]),
        (line(NEVER_MADE) + line("RemotingConnectException: connect to <10.1.1.1:9876> failed"), []),
        (line("decode exception, a") + FRAME.format(length=0x0300002F + 4), ["not-rocketmq"]),
        (line("decode exception, a") + FRAME.format(length=0x02000000 + 4), ["frame-too-long"]),
    ],
)
def test_connections_of_an_excerpt(text: str, causes: list[str], tmp_path: Path) -> None:
    findings = diagnosed(text, tmp_path).findings
    assert [finding.cause for finding in findings if finding.rule == "connection-churn"] == causes


@pytest.mark.parametrize(
    ("cost", "below"), [(49, ""), (3001, "Caused by: a.b.MQBrokerException: CODE: 1  DESC: no\n")]
)
def test_a_send_that_failed_for_another_reason_did_not_time_out(cost: int, below: str) -> None:
    text = f"MQClientException: Send [1] times, still failed, cost [{cost}]ms, Topic: a, BrokersSent: [b, null, null]\n"
    events = facts(line("x") + text + "\tat com.acme.Bus.send(Bus.java:9)\n" + below).events
    assert [event.kind for event in events] == ["send-given-up"]


@pytest.mark.parametrize(("last", "severity"), [(30, Severity.INFO), (100, Severity.ERROR)])
def test_an_old_subscription_at_the_broker_passes_with_a_heartbeat(
    last: int, severity: Severity, tmp_path: Path
) -> None:
    lines = (
        f"2026-11-21 20:{second // 60:02d}:{second % 60:02d} WARN PullMessageThread_1 - The broker's subscription is"
        " not latest, group: CID_a *\n"
        for second in range(0, last + 1, last // 10)
    )
    finding = only(diagnosed("".join(lines), tmp_path), "pull-refused")
    assert (finding.cause, finding.severity) == ("subscription-not-latest", severity)


def test_a_missing_topic_of_traces_is_harmless_for_a_minute(tmp_path: Path) -> None:
    text = "get Topic [RMQ_SYS_TRACE_TOPIC] RouteInfoFromNameServer is not exist value\n"
    cause = "MQClientException: CODE: 17  DESC: No topic route info in name server for the topic: RMQ_SYS_TRACE_TOPIC"
    assert diagnosed(line(text) + line(cause), tmp_path).findings == ()
    later = line(cause).replace(":00:", ":09:", 1)
    (found,) = diagnosed(line(cause) + later, tmp_path).findings
    assert (found.rule, found.cause) == ("no-route", "trace-topic-missing")


@pytest.mark.parametrize(
    ("above", "state"),
    [("", "undecided"), (line("updateTopicRouteInfoFromNameServer Exception"), "healthy")],
)
def test_an_exception_without_a_line_above_it_gives_no_all_clear(
    above: str, state: str, tmp_path: Path
) -> None:
    text = above + (
        "org.apache.rocketmq.client.exception.MQClientException: CODE: 17  DESC: No topic route info in name server"
        " for the topic: TBW102\n\tat com.acme.Bus.send(Bus.java:9)\n"
    )
    report = diagnosed(text, tmp_path)
    assert report.answer is not None
    assert report.answer.state == state


def _long(text: str) -> str:
    """The text in a log that is no excerpt."""
    return text + "".join(line("nothing of interest", second=second) for second in range(30))


@pytest.mark.parametrize(
    "text",
    [
        # the first send to a new topic, which the broker then makes
        "org.apache.rocketmq.client.exception.MQClientException: CODE: 17  DESC: No topic route info in name server for"
        " the topic: orders\n",
        "org.apache.rocketmq.client.exception.MQClientException: No route info of this topic: %RETRY%CID_a\n",
        "org.apache.rocketmq.client.exception.MQClientException: No route info of this topic: TBW102\n",
        # at a start
        REFUSED.format(code=25, second=3),
    ],
)
def test_what_passes_by_itself_is_not_a_finding(text: str, tmp_path: Path) -> None:
    assert diagnosed(_long(line("begin") + text), tmp_path).findings == ()


def test_an_excerpt_of_a_start_is_not_a_fault_and_not_an_all_clear(tmp_path: Path) -> None:
    report = diagnosed(REFUSED.format(code=25, second=3), tmp_path)
    assert only(report, "pull-refused").severity is Severity.INFO
    assert report.answer is not None
    assert report.answer.state == "undecided"


def _stored(*parts: tuple[str, str]) -> str:
    return "".join(f"2026-11-21 {time} INFO some - {text}\n" for time, text in parts)


def test_an_offset_that_stands_still_while_messages_are_consumed(tmp_path: Path) -> None:
    same = STORED.format(offset=707)
    text = _stored(
        ("12:57:28", same), ("12:58:28", same), ("12:58:43", CONSUMED.format(sum=9)), ("12:59:28", same)
    )
    finding = only(diagnosed(text, tmp_path), "offset-stuck-at-head")
    assert (finding.evidence["offset"], finding.evidence["consumed"]) == (707, 9)
    assert finding.confidence is Confidence.MEDIUM


@pytest.mark.parametrize(
    "parts",
    [
        # all was consumed before the offset was stored for the first time
        (("12:58:28", 707, None), ("12:58:43", None, 9), ("12:59:28", 707, None), ("13:00:28", 707, None)),
        # nothing was consumed
        (("12:57:28", 707, None), ("12:58:28", 707, None), ("12:58:43", None, 0), ("12:59:28", 707, None)),
        # it moves
        (("12:57:28", 707, None), ("12:58:28", 708, None), ("12:58:43", None, 9), ("12:59:28", 708, None)),
    ],
)
def test_offsets_that_are_in_order(parts: tuple[tuple[str, int | None, int | None], ...]) -> None:
    text = _stored(
        *(
            (time, CONSUMED.format(sum=done) if offset is None else STORED.format(offset=offset))
            for time, offset, done in parts
        )
    )
    assert facts(text).stored_offsets == ()


def _change(before: str, after: str) -> str:
    old, new = SUBSCRIPTION.format(tag=before), SUBSCRIPTION.format(tag=after)
    return line(f"subscription changed, group: CID_a OLD: {old} NEW: {new}")


def test_instances_that_subscribe_differently(tmp_path: Path) -> None:
    text = _change("red", "blue") + _change("blue", "red")
    finding = only(diagnosed(text * 2, tmp_path), "unequal-subscriptions")
    assert finding.evidence["changes"] == 4
    assert finding.evidence["expressions"] == ("red", "blue")
    assert finding.severity is Severity.ERROR


@pytest.mark.parametrize("text", [_change("red", "red") * 9, _change("red", "blue")])
def test_a_subscription_that_is_renewed_or_deployed(text: str, tmp_path: Path) -> None:
    assert diagnosed(text, tmp_path).findings == ()


def test_an_index_of_32_bits_that_overflows_lies_beyond_the_end() -> None:
    text = (
        "findMapedFileByOffset offset not matched, request Offset: 21768765432160000, index: -521875234,"
        " mapedFileSize: 6000000, mapedFiles count: 3, StackTrace: x"
    )
    (row,) = facts(line(text, thread="FlushConsumeQueueService")).not_matched
    assert row.place == "beyond-last"


def test_the_counter_of_one_line_is_the_number(tmp_path: Path) -> None:
    text = (
        "the cached message count exceeds the threshold 1000, so do flow control, minOffset=68, maxOffset=1091,"
        " count=1024, size=0 MiB, pullRequest=PullRequest [consumerGroup=CID_a, messageQueue="
        + QUEUE
        + ", nextOffset=1092], flowControlTimes=711001"
    )
    finding = only(diagnosed(line(text), tmp_path), "flow-control")
    assert finding.evidence["times"] == 711_001
    assert finding.severity is Severity.WARNING


@pytest.mark.parametrize(
    "text",
    [
        # recovery at a start, by the thread main
        line("found a illegal magic code 0x0", thread="main"),
        # an ordinary election in a log that is no excerpt
        line('{"voteResult":"REJECT_SMALL_LEDGER_END_INDEX"}', level="INFO") + line("fine", level="INFO") * 30,
        # a flush or two on a broker that is otherwise quick
        line("Flush data to disk costs 610 ms", level="INFO") + line("fine", level="INFO") * 30,
        # a consumer one entry beyond the end of a slave that copies it at this moment
        line(
            "the request offset: 601 over flow badly, broker max offset: 600, consumer: /10.0.0.9:4",
            level="INFO",
        ),
    ],
)
def test_what_looks_like_it_and_is_none_names_no_cause(text: str, tmp_path: Path) -> None:
    assert not [one for one in diagnosed(text, tmp_path).findings if one.severity is not Severity.INFO]


def test_the_lag_of_an_unknown_slave_gives_no_all_clear_over_an_excerpt(tmp_path: Path) -> None:
    lag = line("Slave fall behind master: 192 bytes", level="INFO")
    answer = diagnosed(lag * 3, tmp_path).answer
    assert answer is not None
    assert answer.state == "undecided"
    answer = diagnosed(lag * 3 + line("fine", level="INFO") * 40, tmp_path).answer
    assert answer is not None
    assert answer.state == "healthy", "a broker without a slave logs the same"


def test_an_excerpt_of_an_end_in_order_tells_that_it_was_asked_for(tmp_path: Path) -> None:
    end = line("Shutdown hook was invoked, 1", thread="ShutdownHook", level="INFO")
    report = diagnosed(end + line("service end", level="INFO") + line("bye", level="INFO"), tmp_path)
    assert only(report, "shutdown-requested").severity is Severity.INFO
    assert report.answer is not None
    assert report.answer.state == "undecided"
    whole = "".join(line(f"step {number}", level="INFO") for number in range(40)) + end
    assert not diagnosed(whole, tmp_path).findings


def test_what_code_26_refuses_is_called_a_request_throughout(tmp_path: Path) -> None:
    """Messages that are sent back get this answer too."""
    text = (
        "MQBrokerException: CODE: 26  DESC: subscription group not exist, CID_a See http://x\n"
        "\tat o.a.r.client.impl.MQClientAPIImpl.consumerSendMessageBack(M.java:1)\n"
    )
    finding = only(diagnosed(text, tmp_path), "pull-refused")
    (said,) = map(english(), finding.explanation)
    assert said.startswith("1 request was refused ")


@pytest.mark.parametrize("service", ["Concurrently", "Orderly"])
def test_frames_of_a_consume_thread_alone_are_no_all_clear(service: str, tmp_path: Path) -> None:
    """Somebody copied a stack without the thread's header: it may wait or not."""
    path = tmp_path / "posted.txt"
    path.write_text(
        "\tat java.net.SocketInputStream.socketRead0(Native Method)\n"
        "\tat com.mysql.jdbc.MysqlIO.readFully(MysqlIO.java:3000)\n"
        "\tat com.acme.order.OrderListener.consumeMessage(OrderListener.java:42)\n"
        f"\tat org.apache.rocketmq.client.impl.consumer.ConsumeMessage{service}Service$ConsumeRequest.run("
        f"ConsumeMessage{service}Service.java:411)\n"
        "\tat java.util.concurrent.FutureTask.run(FutureTask.java:266)\n"
        "\tat java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1149)\n"
        "\tat java.lang.Thread.run(Thread.java:748)\n"
    )
    answer = diagnose_logs([path]).report.answer
    assert answer is not None
    assert answer.state == "undecided"
