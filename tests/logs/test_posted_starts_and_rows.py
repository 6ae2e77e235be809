"""What launchers, docker, Kubernetes and clients say in few lines: the kind of event, or why nothing is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.diagnose.logs import diagnose_logs
from mqdiag.findings import Report
from tests.logs.given import line

PODS = """\
NAME                                 READY   STATUS    RESTARTS   AGE     IP              NODE
broker-0-master-0                    1/1     Running   {restarts}          46h     10.244.14.94    node-5
name-service-0                       {ready}     Running   0          46h     10.0.0.9        node-5
"""


def diagnosed(text: str, tmp_path: Path) -> Report:
    log = tmp_path / "some.log"
    log.write_text(text)
    return diagnose_logs([log]).report


def state(report: Report) -> str:
    assert report.answer is not None
    return report.answer.state


@pytest.mark.parametrize(
    ("text", "rule", "cause"),
    [
        ("Service has no ExecStart=. Refusing.\n", "start-failed", "container"),
        (
            "   Active: failed (Result: start-limit) since Thu 2026-07-28 20:09:29 UTC\n",
            "start-failed",
            "container",
        ),
        (
            "Starting the engine: start-stop-daemon: unable to stat /usr/lib/jvm/bin/java (No such file)\n",
            "start-failed",
            "launcher",
        ),
        ("java.lang.IllegalStateException: Failed to initialize server\n", "start-failed", "exception"),
        (
            "Error: A JNI error has occurred, please check your installation and try again\n",
            "start-failed",
            "exception",
        ),
        (
            "Error: A JNI error has occurred, please check your installation and try again\n"
            'Exception in thread "main" java.lang.UnsupportedClassVersionError: a/Main (class file version 60.0)\n'
            "        at java.lang.ClassLoader.defineClass1(Native Method)\n",
            "start-failed",
            "class-version",
        ),
        (
            "Caused by: org.apache.derby.iapi.error.StandardException: Login timeout exceeded.\n",
            "downstream-failing",
            "database-unreachable",
        ),
        (
            "2026-11-21T12:02:40.881130904Z container die 7b99 (service=broker, exitCode=253, name=rmqbroker)\n",
            "start-failed",
            "container",
        ),
        (PODS.format(restarts="85", ready="1/1"), "start-failed", "container"),
        (
            "ERROR Stopping after connector error\norg.apache.kafka.connect.errors.ConnectException: Failed to find any"
            " class that implements Connector and which name matches com.acme.Sink\n",
            "start-failed",
            "class-missing",
        ),
        (
            'terminate called\n  what():  boost::filesystem::create_directories: Permission denied: "//logs/cpp"\n',
            "start-failed",
            "permission",
        ),
        (
            "Caused by: java.lang.ClassCastException: ParameterizedTypeImpl cannot be cast to java.lang.Class\n"
            "\tat org.acme.Listeners.afterPropertiesSet(Listeners.java:277)\n"
            "\tat org.springframework.beans.factory.support.AbstractAutowireCapableBeanFactory.invokeInitMethods(A)\n",
            "start-failed",
            "exception",
        ),
        (
            "2022-11-09T10:06:32.854Z ERROR controller_broker Failed to update Broker Size status. "
            '{"error": "Broker.rocketmq.apache.org is invalid: status.nodes: Required value"}\n',
            "start-failed",
            "container",
        ),
        (
            "(error): [7f1b] GetTransport of:10.20.3.14:30911 get timed_mutex timeout[CreateTransport:307]\n",
            "send-timeout",
            "broker-unreachable",
        ),
        ('{"name":"MQClientException","code":17}\n', "no-route", "topic-not-created"),
        ("System.InvalidOperationException: 集群所有地址连接失败！\n", "send-timeout", "broker-unreachable"),
        (
            "rocketmq.v5.exception.client_exception.NotFoundException: 40402, No topic route info in name server for"
            " the topic: orders\n",
            "no-route",
            "topic-not-created",
        ),
        (
            "Server error at rpc.query_route, context: { code: 40403, message: not there } => server return an error\n",
            "pull-refused",
            "group-not-created",
        ),
        (
            "Nov 19 12:02:01.731 ERRO[src/client.rs:182:33] send heartbeat failed: Failed to create session at"
            " session.create_session => failed to connect\n",
            "proxy-unreachable",
            "unreachable",
        ),
        (
            "org.apache.rocketmq.tools.command.SubCommandException: UpdateTopicSubCommand command failed, there is no"
            " broker in cluster.\n",
            "start-failed",
            "cluster-not-found",
        ),
        ("The sub command updatetopic not exist.\n", "start-failed", "config-file-broken"),
        ("java.lang.RuntimeException: Can't find addr for broker b-0\n", "no-route", "broker-not-registered"),
        (
            "they say: UNAVAILABLE: Failed ALPN negotiation: Unable to find compatible protocol\n",
            "proxy-unreachable",
            "tls-mismatch",
        ),
    ],
)
def test_a_few_lines_name_the_cause(text: str, rule: str, cause: str, tmp_path: Path) -> None:
    assert [(one.rule, one.cause) for one in diagnosed(text, tmp_path).findings] == [(rule, cause)]


@pytest.mark.parametrize(
    "text",
    [
        PODS.format(restarts="0", ready="1/1"),
        line(
            "consumerOffset is -1 in messageQueue [MessageQueue [topic=a, brokerName=b, queueId=3]].",
            level="ERROR",
        )
        * 2,
        line(
            "fetchConsumeOffsetFromBroker exception, MessageQueue [topic=a, brokerName=b, queueId=2]",
            level="WARN",
        )
        + "org.apache.rocketmq.client.exception.MQBrokerException: CODE: 22  DESC: Not found, maybe this group"
        " consumer boot first\n",
        line("syncTimerCheckPoint Exception, 10.3.0.11:10911", level="ERROR")
        + "org.apache.rocketmq.client.exception.MQBrokerException: CODE: 1  DESC: The checkpoint is null\n",
    ],
)
def test_what_looks_like_trouble_and_is_none(text: str, tmp_path: Path) -> None:
    report = diagnosed(text, tmp_path)
    assert not report.findings
    assert state(report) == "healthy"


@pytest.mark.parametrize(
    "text",
    [
        PODS.format(restarts="0", ready="0/1"),
        PODS.format(restarts="3", ready="1/1"),
        # one full collection that nobody asked for among few
        "[1.204s][info][gc] GC(1) Pause Young (Normal) 27M->4M(256M) 3.102ms\n"
        "[1.504s][info][gc] GC(2) Pause Young (Normal) 28M->4M(256M) 3.102ms\n"
        "[8.551s][info][gc] GC(9) Pause Full (Allocation Failure) 198M->41M(256M) 412.3ms\n",
        # only its class is known
        line("it failed", level="ERROR")
        + "org.apache.rocketmq.remoting.exception.RemotingTimeoutException: in words of a later version\n" * 2,
        # four lines of which mqdiag knows one
        line("new consumer connected, group: CID_a CONSUME_ACTIVELY", level="INFO")
        + line("create new topic TopicConfig [topicName=a]", level="INFO") * 3,
    ],
)
def test_what_proves_nothing_is_no_all_clear(text: str, tmp_path: Path) -> None:
    assert state(diagnosed(text, tmp_path)) == "undecided"


def test_an_address_that_a_page_took_for_a_tag_is_missing(tmp_path: Path) -> None:
    text = (
        line("it failed", level="ERROR")
        + "org.apache.rocketmq.remoting.exception.RemotingConnectException: connect to  failed\n"
        "\tat org.apache.rocketmq.client.impl.MQClientAPIImpl.getTopicListFromNameServer(MQClientAPIImpl.java:1417)\n"
    )
    (finding,) = diagnosed(text, tmp_path).findings
    assert finding.rule == "name-server-unreachable"
    assert finding.subject.broker is None


def test_a_chat_between_pastes_hides_none_of_them(tmp_path: Path) -> None:
    text = f"""Hi, since this morning our shop cannot send. Here is what I see:

{PODS.format(restarts="85", ready="1/1")}
and the application says

org.apache.rocketmq.remoting.exception.RemotingConnectException: connect to <10.2.0.7:10911> failed
\tat org.apache.rocketmq.client.impl.MQClientAPIImpl.sendMessage(MQClientAPIImpl.java:1)

somebody asked for docker:

docker: Error response from daemon: pull access denied for rocketmq, repository does not exist

thanks!
"""
    found = {(one.rule, one.cause): str(one.title) for one in diagnosed(text, tmp_path).findings}
    # that a pod ends again and again gives way to the image that is not there
    assert set(found) == {("send-timeout", "broker-unreachable"), ("start-failed", "container")}
    assert "image" in found["start-failed", "container"]
