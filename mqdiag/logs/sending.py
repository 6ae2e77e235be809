"""Senders and the way to a broker: sends without an answer, topics without a route, name servers out of reach.

Source: DefaultMQProducerImpl, MQClientAPIImpl, NettyRemotingAbstract, NettyRemotingClient, 3.2.6 to 5.3.3.
"""

from __future__ import annotations

import re

from mqdiag.logs.log_tally import LogTally
from mqdiag.logs.message import Message
from mqdiag.logs.queues import queue_in
from mqdiag.logs.tally import Subject

_NO_ANSWER = re.compile(r"wait response on the channel </?([\w.:\[\]-]{1,100})> timeout, (-?\d{1,9})\(ms\)")
_CALL_TIMEOUT = re.compile(r"(?:sendDefaultImpl|sendMessageSync|invokeSync|sendKernelImpl) call timeout")
_CONNECT = re.compile(r"connect to ?<?/?([\w.:\[\]-]{1,100})>? failed")
_CLOSED = re.compile(r"close the connection to remote address\[([^\]]{0,100})\]")
_NO_ROUTE = re.compile(
    r"No route info of this topic[:,] ?([^\s,\"\\]{1,300})"
    r"|No topic route info in name server for the topic: ([^\s,\"\\]{1,300})"
)
_NO_NAME_SERVER = re.compile(
    r"No name server address|name server address.{0,20} is null|connect to null failed"
)
_SEND_STEPS = ("sendKernelImpl", "sendMessage", "send heart beat")
_PROBE_TOPIC = "TBW102"
"""the topic that a producer asks for to make a new topic by its settings; no broker has it where that is off"""
_NAME_SERVER_PORT = ":9876"


def no_answer(message: Message, log: LogTally) -> None:
    """A request got no answer in time. Pulls are answered late by design, and are not counted."""
    found = _NO_ANSWER.search(message.text)
    if found is None:
        return
    if found[1].endswith(_NAME_SERVER_PORT):
        log.add("name-server-no-answer", message, Subject(broker=found[1]), side="client")
        return
    if "execute the pull request exception" in message.both:
        return
    queue = queue_in(message.both)
    sent = any(step in message.both for step in _SEND_STEPS)
    kind = "send-no-answer" if sent or not message.continues else "request-no-answer"
    tally = log.add(kind, message, Subject(topic=queue.topic, broker=queue.broker or found[1]), side="client")
    if tally is not None:
        tally.keep_largest("largest_wait_ms", int(found[2]))
        if found[1].endswith(":10909"):
            tally.keep_largest("lines_of_vip_port", 1)


def call_timeout(message: Message, log: LogTally) -> None:
    """A send used up its time, over all its attempts."""
    if _CALL_TIMEOUT.search(message.text) is not None:
        log.add("send-call-timeout", message, side="client")


def not_connected(message: Message, log: LogTally) -> None:
    """A connection could not be made."""
    found = _CONNECT.search(message.text)
    if found is None:
        return
    if found[1] == "null":
        log.add("name-server-not-set", message, side="client")
        return
    name_server = found[1].endswith(_NAME_SERVER_PORT)
    kind = "name-server-not-connected" if name_server else "broker-not-connected"
    tally = log.add(kind, message, Subject(broker=found[1]), side="client")
    if tally is not None and found[1].endswith(":10909"):
        tally.keep_largest("lines_of_vip_port", 1)


def closed(message: Message, log: LogTally) -> None:
    """A channel without a remote address was never connected."""
    found = _CLOSED.search(message.text)
    if found is not None and not found[1]:
        log.add("connection-never-made", message, side="client")


def no_route(message: Message, log: LogTally) -> None:
    """The name server does not know a topic."""
    found = _NO_ROUTE.search(message.text)
    if found is None:
        return
    topic = (found[1] or found[2]).rstrip(".")
    if topic == _PROBE_TOPIC or topic.startswith("%"):
        return  # a retry topic is made by the broker when the first message fails
    log.add("send-no-route" if found[1] else "route-not-known", message, Subject(topic=topic), side="client")


def no_name_server(message: Message, log: LogTally) -> None:
    """The client has no address of a name server."""
    if _NO_NAME_SERVER.search(message.text) is not None:
        log.add("name-server-not-set", message, side="client")
