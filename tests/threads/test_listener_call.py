"""One stack of a heap dump to what the listener does."""

from __future__ import annotations

import pytest

from mqdiag.threads.cause_of_wait import listener_call

RUN = "org.apache.rocketmq.client.impl.consumer.ConsumeMessageConcurrentlyService$ConsumeRequest.run(C.java:1)"
LISTENER = "com.acme.Wash.consumeMessage(Wash.java:20)"
OWN = "com.acme.Client.call(Client.java:7)"


@pytest.mark.parametrize(
    ("top", "state", "doing", "cause"),
    [
        ("java.net.SocketInputStream.socketRead0(Native Method)", "RUNNABLE", "socket-read", "slow-remote"),
        ("java.lang.Thread.sleep(Native Method)", "TIMED_WAITING", "sleep", "sleep-in-listener"),
        ("com.acme.Client.lock(Client.java:9)", "BLOCKED", "monitor", "stuck-holder"),
        ("com.acme.Client.spin(Client.java:9)", "RUNNABLE", "running", "busy-loop"),
    ],
)
def test_causes(top: str, state: str, doing: str, cause: str) -> None:
    call = listener_call((top, OWN, LISTENER, RUN), state)
    assert call is not None
    assert (call.doing, call.cause, call.listener) == (doing, cause, LISTENER)
    assert call.remedy


def test_a_result_that_is_sent_back_is_no_call() -> None:
    sending = "org.apache.rocketmq.client.impl.consumer.DefaultMQPushConsumerImpl.sendMessageBack(D.java:1)"
    assert listener_call((sending, RUN), "RUNNABLE") is None
    assert listener_call((), None) is None
