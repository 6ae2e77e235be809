"""Answers that servers give to clients, consoles and mqadmin, as people post them, and what each of them leads to."""

from __future__ import annotations

from pathlib import Path

from mqdiag.diagnose.logs import diagnose_logs
from mqdiag.findings import Report
from tests.folded import folded

BROKER = "org.apache.rocketmq.client.exception.MQBrokerException: "
CLIENT = "org.apache.rocketmq.client.exception.MQClientException: "
TOO_MUCH = "org.apache.rocketmq.remoting.exception.RemotingTooMuchRequestException: "
AT = "\n\tat org.apache.rocketmq.client.impl.MQClientAPIImpl.processSendResponse(MQClientAPIImpl.java:677)\n"
ANSWERS = """
reported-fault/server-threw        CODE: 1  DESC: java.lang.NullPointerException, java.lang.String.startsWith(S.java:1405)
reported-fault/server-threw        CODE: 1 DESC: org.apache.rocketmq.remoting.exception.RemotingCommandException, a.B.c(B.java:2)
reported-fault/request-refused     CODE: 1  DESC: Can't modify topic or subscription group from slave broker, please execute it from master broker.
reported-fault/request-refused     CODE: 16  DESC: Can not update config in black list.
reported-fault/request-refused     CODE: 17  DESC: Topic orders not exist!
pull-refused/no-permission         CODE: 16  DESC: the broker[10.1.2.3] pulling message is forbidden
pull-refused/no-permission         CODE: 16  DESC: subscription group no permission, CID_a
pull-refused/filter-missing        CODE: 27  DESC: The broker's consumer filter data is not exist!Your expression may be wrong!
pull-refused/cold-data             CODE: 2  DESC: This consumer group is reading cold data. It has been flow control
send-refused/store-failed          CODE: 1  DESC: UNKNOWN_ERROR
send-refused/message-illegal       CODE: 13  DESC: Required message key is missing
send-refused/too-many-queues       CODE: 1  DESC: [LMQ_CONSUME_QUEUE_NUM_EXCEEDED]broker config enableLmq and enableMultiDispatch
access-denied/unknown-access-key   CODE: 16  DESC: User:app is not found.
access-denied/no-permission        CODE: 16  DESC: User:app has no permission to access Topic:orders from 10.1.2.3, default deny
access-denied/wrong-signature      CODE: 16  DESC: check signature failed.
symptoms-not-judged/group-not-online  CODE: 206  DESC: the consumer group[CID_a] not online
symptoms-not-judged/group-not-online  CODE: 206  DESC: No Any Consumer online in the consumer group: [CID_a]
"""  # noqa: E501
OF_CLIENTS = """
send-refused/message-illegal       {CLIENT}select message queue throwed exception.
send-refused/message-illegal       {CLIENT}The specified topic[a.b] contains illegal characters, allowing only ^[%|a-zA-Z0-9_-]+$
start-failed/client-settings       {CLIENT}the specified group[a.b] contains illegal characters, allowing only ^[%|a-zA-Z0-9_-]+$
start-failed/client-settings       {CLIENT}messageListener is null
start-failed/client-settings       {CLIENT}producerGroup can not equal DEFAULT_PRODUCER, please specify another one.
no-route/topic-not-created         {CLIENT}The topic[orders] not exist
no-route/topic-not-created         {CLIENT}Can not find Message Queue for this topic, orders
no-route/broker-not-registered     {CLIENT}Broker[broker-a] master node does not exist
symptoms-not-judged/no-reply       {CLIENT}CODE: 10006  DESC: send request message to <orders> OK, but wait reply message timeout, 3000 ms.
send-timeout/unknown               {TOO_MUCH}invokeAsync call timeout
producer-backlog/permits-used-up   {TOO_MUCH}send message tryAcquire semaphoreAsyncNum timeout
reported-fault/request-refused     BadRequestException: [request-id=0a1b, response-code=40002] cannot access system topic
reported-fault/handle-refused      CODE: INVALID_RECEIPT_HANDLE, MESSAGE: receipt handle is expired
no-route/topic-not-created         2026-11-02 14:09:31 WARN RocketmqClient - doRebalance, CID_a, but the topic[orders] not exist.
start-failed/spring                NoSuchBeanDefinitionException: No qualifying bean of type 'org.apache.rocketmq.spring.core.RocketMQTemplate' available
start-failed/client-settings       java.lang.IllegalArgumentException: Property 'group' is required - producerGroup
"""  # noqa: E501


def rows(table: str) -> list[tuple[str, str]]:
    """(rule/cause, text) of each line."""
    filled = table.strip().replace("{CLIENT}", CLIENT).replace("{TOO_MUCH}", TOO_MUCH)
    return [(cause, text) for cause, text in (line.split(maxsplit=1) for line in filled.split("\n"))]


def diagnosed(text: str, tmp_path: Path) -> Report:
    log = tmp_path / "post.txt"
    log.write_text(f"{text}\n")
    return diagnose_logs([log]).report


@folded("row", [*((cause, f"{BROKER}{text}{AT}") for cause, text in rows(ANSWERS)), *rows(OF_CLIENTS)])
def test_an_answer_leads_to_its_cause(row: tuple[str, str], tmp_path: Path) -> None:
    cause, text = row
    assert [f"{one.rule}/{one.cause}" for one in diagnosed(text, tmp_path).findings] == [cause]


def test_words_of_a_user_are_no_answer(tmp_path: Path) -> None:
    head = "2026-11-02 14:{minute:02d}:31.000  INFO 1 --- [nio-8080-exec-1] com.acme.Orders : note="
    said = "".join(
        f'{head.format(minute=minute)}"{text}"\n'
        for minute, (_, text) in enumerate(rows(ANSWERS + OF_CLIENTS[1:]))
    )
    assert not [one for one in diagnosed(said, tmp_path).findings if one.severity in ("error", "warning")]


def test_a_paste_without_a_line_end_says_the_same(tmp_path: Path) -> None:
    busy = "[TIMEOUT_CLEAN_QUEUE]broker busy, start flow control for a while, period in queue: 206ms, size of queue: 5"
    for text in (busy, TOO_MUCH + "sendDefaultImpl call timeout"):
        log = tmp_path / "paste.txt"
        log.write_text(text)
        report = diagnose_logs([log]).report
        assert [one.rule for one in report.findings] == [one.rule for one in diagnosed(text, tmp_path).findings]
        assert report.findings
