"""Messages that a broker does not take, apart from the busy answers: what senders are told, and what the store says.

Code 14 (service not available) has its handler in `store`, because its text holds the shares of the disks.

Source: SendMessageProcessor, AbstractSendMessageProcessor, Validators, DefaultMessageStore, HookUtils, RunningFlags,
3.2.6 to 5.5.0.
"""

from __future__ import annotations

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.brokers import ANSWERED_BY, LOGS_OF_BROKERS
from mqdiag.logs.calls import call_of
from mqdiag.logs.log_tally import LogTally
from mqdiag.logs.message import Message
from mqdiag.logs.tally import Subject

_TOO_LARGE = lazy_pattern(
    r"the message is illegal, maybe (?:msg body or properties )?length not matched"
    # up to 4.9.3 the text has 128k, whatever maxMessageSize is
    r"(?:\. msg body length limit (\d{1,12})B)?"
    r"|the message body size over max value, MAX: (\d{1,12})"
)
_NOT_ALLOWED = lazy_pattern(
    r"the broker\[[^\]]{0,100}\] sending (?:transaction )?message is forbidden"
    r"|the topic\[([^\]]{1,300})\] sending message is forbidden"
    r"|Sending message to topic\[([^\]]{1,300})\] is forbidden"
)
_FORBIDDEN = lazy_pattern(
    r"(has shutdown|slave mode|role is slave|is not writ(?:e)?able), so (?:putMessages?|end transaction) is forbidden"
    r" ?(\d{1,9})?"
    r"|the message store is not writable"
)
_RUNNING_FLAGS = ((4, "queue_error"), (8, "index_error"), (16, "disk_full"), (32, "fenced"), (64, "disk_full"))
"""bits of RunningFlags that forbid to write"""


def too_large(message: Message, log: LogTally) -> None:
    """A message is longer than the broker or the client's own maxMessageSize allows."""
    found = _TOO_LARGE.search(message.text)
    if found is None:
        return
    limit = found[1] or found[2]
    send_refused("send-too-large", message, log, limit_bytes=int(limit) if limit else None)


def not_allowed(message: Message, log: LogTally) -> None:
    """The broker or the topic may not be written to."""
    found = _NOT_ALLOWED.search(message.text)
    if found is not None:
        send_refused("send-not-allowed", message, log, topic=found[1] or found[2])


def not_open(message: Message, log: LogTally) -> None:
    """The broker takes no messages before a set time (startAcceptSendRequestTimeStamp)."""
    send_refused("send-not-open", message, log)


def no_file(message: Message, log: LogTally) -> None:
    """The store could not make the next file of its commit log; its own log says so as well."""
    if " error, topic: " in message.text:
        log.add("put-without-file", message, side="broker")
    else:
        send_refused("send-no-file", message, log)


def replicas_missing(message: Message, log: LogTally) -> None:
    """Fewer replicas are in step than inSyncReplicas asks for, 5.x; the message is not confirmed."""
    send_refused("send-replicas-missing", message, log)


def no_slave(message: Message, log: LogTally) -> None:
    """A message was stored, and no slave has it; no exception comes of it, so only applications print it."""
    if log.kind not in LOGS_OF_BROKERS:
        log.add("send-without-slave", message, side="client")


def forbidden(message: Message, log: LogTally) -> None:
    """The store itself says why it takes no message; while that lasts it says so once in 50,000 times."""
    found = _FORBIDDEN.search(message.text)
    if found is None:
        return
    if found[1] == "has shutdown":
        log.add("put-while-shut-down", message, side="broker")
    elif found[1] in ("slave mode", "role is slave"):
        log.add("put-to-slave", message, side="broker")
    else:
        tally = log.add("put-not-writable", message, side="broker")
        if tally is not None and found[2]:
            for bit, name in _RUNNING_FLAGS:
                if int(found[2]) & bit:
                    tally.keep_largest(name, 1)


def send_refused(
    kind: str, message: Message, log: LogTally, *, topic: str | None = None, limit_bytes: int | None = None
) -> None:
    """The broker's answer to a message that it does not take; pulls and messages sent back have rules of their own."""
    if call_of(message) in ("pull", "send-back"):
        return
    broker = ANSWERED_BY.search(message.text)
    subject = Subject(topic=topic, broker=broker[1] if broker else None)
    tally = log.add(kind, message, subject, side="client")
    if tally is None:
        return
    part = tally.of_broker(subject.broker)
    part.add(log.at(message), subject, message.stands_for)
    if limit_bytes is not None:
        for one in (tally, part):
            one.keep_smallest("smallest_limit_bytes", limit_bytes)
