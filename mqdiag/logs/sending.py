"""Senders and the way to a broker: sends without an answer, topics without a route, name servers out of reach.

Source: DefaultMQProducerImpl, MQClientAPIImpl, NettyRemotingAbstract, NettyRemotingClient, 3.2.6 to 5.3.3.
"""

from __future__ import annotations

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.calls import call_of
from mqdiag.logs.log_tally import LogTally
from mqdiag.logs.message import Message
from mqdiag.logs.queues import queue_in
from mqdiag.logs.tally import Subject

_NO_ANSWER = lazy_pattern(
    # an address of a host's name loses its first character: <ocalhost/127.0.0.1:9876>
    r"wait response on the channel <(?:[\w.-]{0,253}/)?([\w.:\[\]-]{1,100})> timeout, (-?\d{1,9})\(ms\)"
)
_ASYNC_NO_ANSWER = lazy_pattern(
    r"(?:MQClientException: wait response timeout |ONSClientException: Send message to broker timeout, )(-?\d{1,9})ms"
)
_CALL_TIMEOUT = lazy_pattern(
    # since 5.0 with the address that was called, which only questions to name servers leave out
    r"(?:send\w{4,10}Impl|sendMessage(?:Sync)?|invokeSync|invokeAsync(?:Impl)?|ASYNC send) call timeout"
    r"|invoke(?:As|S)ync call the addr\[(null)?"
)
_STILL_FAILED = lazy_pattern(r"Send \[\d{1,3}\] times, still failed, cost \[(\d{1,9})\]ms")
_NOT_WRITTEN = lazy_pattern(r"send request to <?/?([^<>\n]{1,200}?)>? failed")
_CONNECT = lazy_pattern(r"RemotingConnectException: connect to (?:<?/?([^<>\n]{0,200}?)>? )?failed")
"""a page that takes `<10.1.2.3:9876>` for a tag leaves no address"""
_NOT_CONNECTED_ELSEWHERE = lazy_pattern(
    r"(?:dial tcp |can not connect to(?: server)?:|GetTransport of:|Connection (?:failed|timeout) to "
    r"|connect E[A-Z]{5,20} )([\w.-]{1,200}:\d{1,5})\b"
)
_CLOSED = lazy_pattern(r"close the connection to remote address\[([^\]]{0,100})\]")
_NO_ROUTE = lazy_pattern(
    r"No route info (?:of|for) this topic[:,] ?([^\s,\"\\]{0,300})"
    r"|The topic\[([^\]\n]{1,300})\] not (?:matched route info|exist)"
    r"|Can not find Message Queue for this topic, ([^\s,\"\\]{1,300})"
    r"|No topic route info in name server for the topic: ([^\s,\"\\]{1,300})"
)
_TRACE_TOPIC = "RMQ_SYS_TRACE_TOPIC"
"""clients send traces to it, and messages go without it"""
_USUAL_TIMEOUT_MS = 3000
"""sendMsgTimeout where nobody sets it"""
_NAME_SERVER_PORT = ":9876"
_VIP_PORT = ":10909"
_PROXY_PORT = ":8081"
_OWN_PORTS = (_NAME_SERVER_PORT, _VIP_PORT, _PROXY_PORT, ":10911")
_NODE = "connect E"
"""each program of Node.js prints that, of any server: only ports of RocketMQ's tell that it is meant"""


def no_answer(message: Message, log: LogTally) -> None:
    """A request got no answer in time. Pulls are answered late by design, and are not counted."""
    found = _NO_ANSWER.search(message.text)
    if found is None:
        return
    call = call_of(message)
    if call == "name-server" or (call is None and found[1].endswith(_NAME_SERVER_PORT)):
        log.add("name-server-no-answer", message, Subject(broker=found[1]), side="client")
        return
    if call == "master":
        log.add("slave-settings-not-copied", message, Subject(broker=found[1]), side="broker")
        return
    if call in ("pull", "controller", "raft"):
        return
    queue = queue_in(message.both)
    sent = call == "send" or (call is None and (not message.record.header or "send heart beat" in message.both))
    kind = "send-no-answer" if sent else "request-no-answer"
    tally = log.add(kind, message, Subject(topic=queue.topic, broker=queue.broker or found[1]), side="client")
    if tally is not None:
        tally.keep_largest("largest_wait_ms", int(found[2]))
        if found[1].endswith(_VIP_PORT):
            tally.keep_largest("lines_of_vip_port", 1)


def no_answer_later(message: Message, log: LogTally) -> None:
    """A send got no answer: an asynchronous one, or one of ons-client; its exception does not name the broker."""
    found = _ASYNC_NO_ANSWER.search(message.text)
    if found is not None and call_of(message) in ("send", None):
        # a broker that had no time at all was not too slow: the client had used the time up
        if int(found[1]) > 0:
            tally = log.add("send-no-answer", message, side="client")
            if tally is not None:
                tally.keep_largest("largest_wait_ms", int(found[1]))
        else:
            log.add("send-call-timeout", message, side="client")


def call_timeout(message: Message, log: LogTally) -> None:
    """A request used up its time before it was sent: a send over all its attempts, or a question."""
    found = _CALL_TIMEOUT.search(message.text)
    if found is None:
        return
    call = call_of(message)
    if found[1] is not None or call == "name-server":
        kind = "name-server-not-connected"
    elif call in ("send", None):
        kind = "send-call-timeout"
    else:
        kind = "request-no-answer"
    log.add(kind, message, side="client")


def used_up(message: Message, log: LogTally) -> None:
    """A send gave up after as long as a send may take; the cause below, where there is one, tells more."""
    found = _STILL_FAILED.search(message.text)
    log.add("send-given-up", message, side="client")
    if found is None or int(found[1]) < _USUAL_TIMEOUT_MS:
        return
    if not any(line.startswith("Caused by: ") for line in message.stack()):
        log.add("send-call-timeout", message, side="client")


def not_written(message: Message, log: LogTally) -> None:
    """A request to a name server could not be written to its connection; of brokers other lines tell."""
    found = _NOT_WRITTEN.search(message.text)
    if found is None:
        return
    call = call_of(message)
    if call == "name-server" or (call is None and found[1].endswith(_NAME_SERVER_PORT)):
        log.add("name-server-not-connected", message, Subject(broker=found[1]), side="client")


def not_connected(message: Message, log: LogTally) -> None:
    """A connection could not be made."""
    found = _CONNECT.search(message.text)
    if found is None:
        return
    address = (found[1] or "").strip()
    if address.startswith("[") and address.endswith("]"):
        address = address[1:-1]
    if address == "null":
        log.add("name-server-not-set", message, side="client")
        return
    call = call_of(message)
    if call == "name-server" or (call is None and address.endswith(_NAME_SERVER_PORT)):
        log.add("name-server-not-connected", message, Subject(broker=address or None), side="client")
        return
    if call == "master":
        log.add("slave-settings-not-copied", message, Subject(broker=address or None), side="broker")
        return
    if call == "controller":
        return
    if call == "raft":
        log.add("raft-member-not-reached", message, Subject(broker=address or None), side="broker")
        return
    kind = "send-not-connected" if call == "send" else "broker-not-connected"
    tally = log.add(kind, message, Subject(broker=address or None), side="client")
    if tally is not None and address.endswith(_VIP_PORT):
        tally.keep_largest("lines_of_vip_port", 1)


def not_connected_elsewhere(message: Message, log: LogTally) -> None:
    """A client in another language made no connection; other failures of the same call do not name an address."""
    found = _NOT_CONNECTED_ELSEWHERE.search(message.text)
    if found is not None and not (_NODE in message.text and not found[1].endswith(_OWN_PORTS)):
        kind = "name-server-not-connected" if found[1].endswith(_NAME_SERVER_PORT) else "broker-not-connected"
        if found[1].endswith(_PROXY_PORT):
            kind = "proxy-refused" if "REFUSED" in message.text else "proxy-not-connected"
        log.add(kind, message, Subject(broker=found[1]), side="client")


def closed(message: Message, log: LogTally) -> None:
    """A client's channel was closed; one without a remote address was never connected."""
    if "NettyServer" in message.text:
        return
    # lines without any time may have been joined, as if somebody's screen had wrapped them
    for found in _CLOSED.finditer(message.text):
        if found[1]:
            log.add("channel-closed", message, Subject(broker=found[1]), side="client")
            log.closings.see(found[1], log.at(message), message.stands_for)
        else:
            log.add("connection-never-made", message, side="client")


def no_route(message: Message, log: LogTally) -> None:
    """The name server does not know a topic."""
    found = _NO_ROUTE.search(message.text)
    if found is None:
        return
    sent, admin, empty, asked = found.groups()
    topic = (sent or admin or empty or asked or "").rstrip(".`'")
    if topic.startswith("%") or topic == "TBW102":
        return  # a retry topic is made by the broker when the first message fails
    # a client of gRPC gives up after its first question
    was_asked = asked and "NotFoundException" not in message.text
    if topic == _TRACE_TOPIC:
        kind = "trace-route-not-known" if was_asked else "trace-not-sent"
    else:
        kind = "route-not-known" if was_asked else "send-no-route"
    log.add(kind, message, Subject(topic=topic or None), side="client")
