"""Busy answers of a broker: five texts with five meanings, on the broker's side or as a sender's exception.

Source: NettyRemotingAbstract.processRequestCommand, SendMessageProcessor, BrokerFastFailure, 3.5.8 to 5.3.3.
"""

from __future__ import annotations

from mqdiag.facts.vocabulary import LogSide
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs import refusals
from mqdiag.logs.brokers import ANSWERED_BY, LOGS_OF_BROKERS, note
from mqdiag.logs.calls import call_of
from mqdiag.logs.log_tally import LogTally
from mqdiag.logs.message import Message
from mqdiag.logs.queues import queue_in
from mqdiag.logs.tally import Subject

_TEXT = lazy_pattern(
    r"\[(REJECTREQUEST|OVERLOAD|PC_SYNCHRONIZED|PCBUSY_CLEAN_QUEUE|TIMEOUT_CLEAN_QUEUE)\](?:system|broker) busy,"
    r" start flow control for a while(?:, period in queue: (\d{1,12})ms, size of queue: (\d{1,9}))?"
)
KINDS = {
    "REJECTREQUEST": "busy-reject",
    "OVERLOAD": "busy-overload",
    "PC_SYNCHRONIZED": "busy-pc-synchronized",
    "PCBUSY_CLEAN_QUEUE": "busy-pc-clean",
    "TIMEOUT_CLEAN_QUEUE": "busy-timeout-clean",
}
_TOPIC = lazy_pattern(r"Topic: ([^,\s]{1,300})")
_REQUEST_CODE = lazy_pattern(r"request code: (\d{1,9})")
_SEND_CODES = ("10", "310", "320")


def busy(message: Message, log: LogTally) -> None:
    """One of the five texts."""
    found = _TEXT.search(message.text)
    if found is None:
        return
    answered = "CODE: " in message.text or "MQBrokerException" in message.both
    if not answered and _quoted(message.text, found.start()):
        return
    if found[1] == "REJECTREQUEST" and answered and call_of(message) == "pull":
        refusals.pull_refused_by_slave(message, log)
        return
    side: LogSide = "broker" if log.kind in LOGS_OF_BROKERS and not answered else "client"
    subject = _subject(message, log)
    tally = log.add(KINDS[found[1]], message, subject, side=side)
    if tally is None:
        return
    part = tally.of_broker(subject.broker)
    part.add(log.at(message), subject, message.stands_for)
    for one in (tally, part):
        one.keep_smallest("smallest_of_sync_sends", int("resend at once" in message.both))
    for one in (tally, part) if found[2] else ():
        one.keep_largest("longest_wait_ms", int(found[2]))
        one.keep_largest("largest_queue", int(found[3]))


def _quoted(text: str, at: int) -> bool:
    """A document or a test that names the text; an answer's text has nothing but a remark before it."""
    return text[max(0, at - 1) : at] in ('"', "`", "'") and "remark" not in text


def _subject(message: Message, log: LogTally) -> Subject:
    subject = queue_in(message.both)
    broker = ANSWERED_BY.search(message.text)
    if subject.broker is not None and broker is not None:
        note(log, subject.broker, broker[1])
    topic = _TOPIC.search(message.both)
    return Subject(
        topic=subject.topic or (topic[1] if topic else None),
        broker=subject.broker or (broker[1] if broker else None),
    )


def pool_rejected(message: Message, log: LogTally) -> None:
    """The broker's own line about a full queue, one in ten thousand; up to 3.5.5 the answer to the sender too."""
    if "please try another server" in message.text:
        subject = _subject(message, log)
        tally = log.add("busy-overload", message, subject, side="client")
        if tally is not None:
            tally.of_broker(subject.broker).add(log.at(message), subject, message.stands_for)
        return
    code = _REQUEST_CODE.search(message.text)
    kind = "send-pool-rejected" if code is not None and code[1] in _SEND_CODES else "other-pool-rejected"
    log.add(kind, message, side="broker")
