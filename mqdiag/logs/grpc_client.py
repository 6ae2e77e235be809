"""Lines of the gRPC client (rocketmq-client-java 5.0.0 to 5.2.0): full caches, and listeners that throw.

Its lines name a client by its id, not by its group. The lines of a start, and those that each client writes once a
minute, have both. Sources: ProcessQueueImpl.isCacheFull, PushConsumerImpl.doStats, ConsumeTask.call.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from mqdiag.facts.vocabulary import FlowControlKind
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.consuming import threw
from mqdiag.logs.flow_control import flow_row
from mqdiag.logs.log_tally import MOST_ROWS, LogTally
from mqdiag.logs.message import Message
from mqdiag.logs.tally import Subject
from mqdiag.logs.thrown import thrown_in

_MIB = 1024 * 1024
_CLIENT = lazy_pattern(r"\bclientId=([^,\s]{1,300})")
_GROUP = lazy_pattern(r"\bconsumerGroup=([^,\s]{1,300})")
_QUEUE = lazy_pattern(r"\bmq=([^,\s]{1,300})\.([^.,\s]{1,300})\.(-?\d{1,9}),")
_FULL = lazy_pattern(
    r"Process queue total cached messages (quantity|memory) exceeds the threshold,"
    r" threshold=(\d{1,18})(?: bytes)?, actual=(\d{1,18})"
)
_FINISHED = lazy_pattern(r"\bconsumptionOkQuantity=(\d{1,18}), consumptionErrorQuantity=(\d{1,18})")
_RECEIVED = lazy_pattern(r"\breceivedMessagesQuantity=[1-9]")
_STATUS = lazy_pattern(r"StatusRuntimeException: ([A-Z_]{2,30})(?:: (.{0,300}))?")
_PYTHON_STATUS = lazy_pattern(r"\bstatus = StatusCode\.([A-Z_]{2,30})")
_PYTHON_ALONE = lazy_pattern(r"[\s>]*(?:\w{1,40}: |grpc\.aio\S{1,60} )?<AioRpcError of RPC")
_PYTHON_ENDPOINT = lazy_pattern(r"\bipv[46]:([^\s\"]{1,200}?): ")
_NODE_STATUS = lazy_pattern(r"\bError: \d{1,2} ([A-Z_]{2,30}): (.{0,300})")
_ELSEWHERE_STATUS = lazy_pattern(
    r"(?:rpc error: code = |status: |StatusCode\.|error=\d{1,2} )([A-Z][A-Za-z]{2,20}|[A-Z_]{2,30})\b"
)
_UPPER = lazy_pattern(r"(?<=[a-z])(?=[A-Z])")
_ELSEWHERE_ADDRESS = lazy_pattern(
    r"(?:endpoints[= ](?:ipv[46]:|dns:)?|endpoints=addresses:\{host:|dial tcp |host=|ipv[46]:)([\w.-]{1,200}:\d{1,5})\b"
)
_ENDPOINTS = lazy_pattern(r"\bendpoints=(?:ipv[46]:|dns:)?([^,\s\]]{1,200})")
_GIVEN = lazy_pattern(r", clientEndpoints=(?:ipv[46]:|dns:)?([^,;\s\]]{1,200})")
_PEER = lazy_pattern(
    r"(?:refused|timed out|unreachable|to host): \S{0,200}/([\w.:\[\]-]{1,60}:\d{1,5})\b"
    r"|Unable to resolve host ([\w.-]{1,200})"
)
"""what an exception of gRPC or Netty says of the other side"""
_PORTS = (":8081", ":9876", ":10911")
"""ports of a proxy, and of what is taken for one: a name server, a broker"""
_START = lazy_pattern(r"when client start|while starting the rocketmq|ailed to start the rocketmq")
_OF_ROCKETMQ = lazy_pattern(
    r"org\.apache\.rocketmq|\bo\.a\.r\.c|(?<![\w./-])(?i:rocketmq)(?![\w-])|RocketmqClient"
    r"|\bclientId=[^,\s@]{1,200}@\d|\bendpoints=(?:ipv[46]|dns):|when client start"
)
"""its packages and the words of its own lines; no part of another name, for a service is called after what it uses"""
_STATUS_CLASS = ".StatusRuntimeException: "
_PACKAGE = lazy_pattern(r"[\w.$]*\Z")
_LONGEST_PACKAGE = 200
_FRAME = lazy_pattern(r"\s*at (?:[^\s(/]{1,200}/){0,2}([\w$]{1,100}\.[\w$.]{1,400})")
_OF_PLATFORM = (
    "io.grpc.",
    "io.netty.",
    "io.opentelemetry.",
    "io.perfmark.",
    "com.google.common.",
    "java.",
    "javax.",
    "jdk.",
    "sun.",
)
"""packages that pass a call on, and say nothing of who made it"""
_CAUSES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "proxy-other-encryption",
        lazy_pattern(
            r"NotSslRecordException|not an SSL/TLS record|SSLHandshakeException|SSLException|WRONG_VERSION_NUMBER"
            r"|First received frame was not SETTINGS|certification path|Unable to parse TLS packet header"
        ),
    ),
    (
        "proxy-unknown-host",
        lazy_pattern(r"UnknownHostException|Unable to resolve host|no such host|DNS resolution failed"),
    ),
    ("proxy-refused", lazy_pattern(r"[Cc]onnection refused")),
    (
        "proxy-not-connected",
        lazy_pattern(
            r"NoRouteToHost|No route to host|Network is unreachable|ConnectTimeoutException|connection timed out"
            r"|waiting_for_connection|No connection established|failed to connect to all addresses"
            r"|dial tcp \S{1,200}: i/o timeout"
        ),
    ),
    (
        "proxy-closed",
        lazy_pattern(
            r"Connection reset|Broken pipe|Network closed|Connection closed|Channel shutdown|GOAWAY|GO_AWAY"
            r"|Call cancelled"
        ),
    ),
)
"""kinds of events by what the exception and its causes say, the surest first"""
_DOTNET_STATUS = lazy_pattern(r'Status\(StatusCode="?(\w{1,40})')
_DOTNET_CODES = {
    "Unavailable": "UNAVAILABLE",
    "DeadlineExceeded": "DEADLINE_EXCEEDED",
    "Unimplemented": "UNIMPLEMENTED",
    "Internal": "INTERNAL",
}
_DELAY_MS = 1000
"""a queue that is full looks again after this time, and says so each time"""
_HALF_A_MINUTE = 30
"""lines of a queue that is full for half of a minute"""


def group_named(message: Message, log: LogTally) -> None:
    """A line with the id of a client and its group."""
    client, group = _CLIENT.search(message.text), _GROUP.search(message.text)
    if client is not None and group is not None and len(log.grpc_groups) < MOST_ROWS:
        log.grpc_groups[client[1]] = group[1]


def endpoints_named(message: Message, log: LogTally) -> None:
    """The address that the client was given, which it says once at its start."""
    found = _GIVEN.search(message.text)
    if found is not None:
        log.grpc_endpoint = found[1]


def statistics(message: Message, log: LogTally) -> None:
    """What a push consumer received and finished since its last such line, a minute before."""
    group_named(message, log)
    if _RECEIVED.search(message.text) is not None:
        log.add("grpc-messages-received", message, side="client")
    client, finished = _CLIENT.search(message.text), _FINISHED.search(message.text)
    if client is None or finished is None:
        return
    kind, times = log.grpc_full.pop(client[1], ("count", 0))
    row = log.flow.get((log.grpc_groups.get(client[1]), kind))
    if row is not None and times >= _HALF_A_MINUTE and finished[1] == finished[2] == "0":
        row.idle_minutes += 1


def cache_full(message: Message, log: LogTally) -> None:
    """A queue is full and asks for no more messages; it says so each second."""
    found = _FULL.search(message.text)
    if found is None:
        return
    kind: FlowControlKind = "count" if found[1] == "quantity" else "size"
    subject = _subject(message, log)
    tally = log.add(f"flow-control-{kind}", message, subject, side="client")
    if tally is None:
        return
    limit, value = int(found[2]), int(found[3])
    if kind == "size":
        limit, value = limit // _MIB, value // _MIB
    tally.keep_largest("largest_messages" if kind == "count" else "largest_size_mib", value)
    client = _CLIENT.search(message.text)
    if subject.group is None or client is None:
        return
    flow_row(log, message, subject, kind, limit, value)
    row = log.flow.get((subject.group, kind))
    if row is not None:
        row.delay_ms = _DELAY_MS
        log.grpc_full[client[1]] = kind, log.grpc_full.get(client[1], (kind, 0))[1] + message.stands_for


def listener_threw(message: Message, log: LogTally) -> None:
    """A listener threw; the message is delivered again after the next delay of its group's backoff."""
    subject = _subject(message, log)
    if log.add("consume-exception", message, subject, side="client") is not None:
        threw(message, log, subject, thrown_in(message))


def call_failed(message: Message, log: LogTally) -> None:
    """A call of a gRPC client failed; its status, and the causes below it, say on which part of the way."""
    found = _STATUS.search(message.text)
    kind = None if found is None else _kind(found[1], "\n".join((message.text, *_causes(message))))
    if kind is not None and not _is_of_rocketmq(message):
        log.add("other-grpc-call-failed", message)
    elif kind is not None:
        subject = Subject(broker=_proxy_of(message) or log.grpc_endpoint)
        at_start = _START.search(message.record.header) is not None
        log.add(f"at-start-{kind}" if at_start else kind, message, subject, side="client")


def _proxy_of(message: Message) -> str | None:
    """The address that a failed call names: in its record, else in what the exception says of the connection."""
    named = _ENDPOINTS.search(message.record.header) or _ENDPOINTS.search(message.text)
    if named is None:
        named = _PEER.search("\n".join((message.text, *_causes(message))))
    return None if named is None else next(filter(None, named.groups()))


def _is_of_rocketmq(message: Message) -> bool:
    """Whether RocketMQ made the call: much Java software calls others over gRPC, from listeners too.

    Its client has its own copy of gRPC, as that of Nacos has. Where the copy is the public one, the frame that called
    tells, and without such a frame the words of the record.
    """
    at = message.text.find(_STATUS_CLASS)
    package = _PACKAGE.search(message.text[max(0, at - _LONGEST_PACKAGE) : max(0, at)])
    if package is not None and package[0] not in ("io.grpc", ""):
        return "rocketmq" in package[0]
    between = message.record.between.decode(errors="replace")
    # the nearest causes below first, then those above from the nearest on
    for lines in (message.stack(), *(part.split("\n") for part in reversed(between.split("\nCaused by: ")))):
        caller = _caller(lines)
        if caller is not None:
            return caller.startswith(("org.apache.rocketmq.", "apache.rocketmq."))
    return _OF_ROCKETMQ.search(message.both) is not None or _OF_ROCKETMQ.search(between) is not None


def _caller(lines: Iterable[str]) -> str | None:
    """The uppermost frame of code that is not of gRPC, nor of what it runs on."""
    for line in lines:
        frame = _FRAME.match(line)
        if frame is not None and not frame[1].startswith(_OF_PLATFORM):
            return frame[1]
    return None


def call_failed_in_python(message: Message, log: LogTally) -> None:
    """A call of the client in Python failed: gRPC prints the status in one line and the details in the next."""
    found, said = _PYTHON_STATUS.search(message.text), message.below()
    kind = None if found is None else _kind(found[1], said)
    endpoint = _PYTHON_ENDPOINT.search(said)
    address = None if endpoint is None else endpoint[1]
    # many programs call others over gRPC, and print the same; what somebody posted alone is about RocketMQ
    of_rocketmq = b"rocketmq" in message.record.between or (address or "").endswith(_PORTS)
    alone = not message.record.header and _PYTHON_ALONE.match(message.text) is not None
    if kind is not None and (of_rocketmq or alone):
        log.add(kind, message, Subject(broker=address), side="client")


def call_failed_in_dotnet(message: Message, log: LogTally) -> None:
    """A call of the client in .NET failed; the frames below tell whose call it was, where there are any."""
    found = _DOTNET_STATUS.search(message.text)
    status = "" if found is None else _DOTNET_CODES.get(found[1], "")
    said = "\n".join((message.both, *message.stack()))
    if any(frame in said for frame in ("   at ", "\tat ")) and "Rocketmq" not in said:
        return
    kind = _kind(status, said)
    if kind is not None:
        log.add(kind, message, side="client")


def call_failed_in_go(message: Message, log: LogTally) -> None:
    """The client in Go made no connection to a proxy in the time that it waits."""
    log.add(_kind("DEADLINE_EXCEEDED", message.text) or "proxy-no-answer", message, side="client")


def call_failed_elsewhere(message: Message, log: LogTally) -> None:
    """A client that is not in Java tells of a failed call in words of its own, with the status behind them."""
    found = _ELSEWHERE_STATUS.search(message.text)
    # the client in C++ prints what gRPC says, and no status
    status = "UNAVAILABLE" if found is None else _UPPER.sub("_", found[1]).upper()
    kind = _kind(status, message.text)
    address = _ELSEWHERE_ADDRESS.search(message.text)
    if kind is not None:
        at_start = _START.search(message.text) is not None
        subject = Subject(broker=None if address is None else address[1])
        log.add(f"at-start-{kind}" if at_start else kind, message, subject, side="client")


def start_failed_in_node(message: Message, log: LogTally) -> None:
    """The client in Node.js did not start, because a call failed."""
    found = _NODE_STATUS.search(message.text)
    # a connection that something else than a proxy closes ends its calls
    status = "" if found is None else "UNAVAILABLE" if found[1] == "CANCELLED" else found[1]
    kind = _kind(status, message.text)
    if kind is not None:
        log.add(f"at-start-{kind}", message, side="client")


def _kind(status: str, said: str) -> str | None:
    if status == "UNIMPLEMENTED":
        return "proxy-is-another-server"
    if status not in ("UNAVAILABLE", "DEADLINE_EXCEEDED", "INTERNAL", "UNKNOWN"):
        return None
    for kind, words in _CAUSES:
        if words.search(said) is not None:
            return kind
    if status == "DEADLINE_EXCEEDED":
        return "proxy-no-answer"
    return "proxy-unavailable" if status == "UNAVAILABLE" else None


def _causes(message: Message) -> list[str]:
    return [line for line in message.stack() if line.startswith("Caused by: ")]


def _subject(message: Message, log: LogTally) -> Subject:
    client, queue = _CLIENT.search(message.text), _QUEUE.search(message.text)
    group = None if client is None else log.grpc_groups.get(client[1])
    if queue is None:
        return Subject(group=group)
    number = int(queue[3])
    # -1 stands for all queues of the broker
    return Subject(group=group, broker=queue[1], topic=queue[2], queue_id=number if number >= 0 else None)
