"""What a broker refuses: pulls of groups that it does not know, and sends that it does not take.

Source: PullMessageProcessor, ConsumerManager, ConsumerGroupInfo, SendMessageProcessor, ResponseCode, 3.2.6 to 5.3.3.
"""

from __future__ import annotations

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.calls import call_of
from mqdiag.logs.log_tally import MOST_ROWS, ChangeKey, LogTally
from mqdiag.logs.message import Message
from mqdiag.logs.queues import group_in
from mqdiag.logs.send_refusals import send_refused
from mqdiag.logs.tally import Span, Subject

_CODE = lazy_pattern(r"CODE: (23|24|25|26) {1,3}DESC: |Response Code: (23|24|25|26), remark: ")
"""in an exception of the Java client, and in a line of the Go client"""
_KINDS = {
    "23": "pull-refused-not-parsable",
    "24": "pull-refused-no-group",
    "25": "pull-refused-not-latest",
    "26": "pull-refused-no-such-group",
}
"""by the code of the answer: 23 a subscription that cannot be parsed, 24 no such subscription, 25 not latest, 26 a
group that was not created"""
_MISSING_GROUP = lazy_pattern(
    r"subscription group (?:\[(?P<pulled>[^\]\n]{1,300})\] does not exist|not exist, (?P<sent_back>\S{1,300}))"
)
"""as the broker answers consumers; operators who ask for a group get code 26 with other words"""
_PULL_OF = lazy_pattern(r"pull request exception, group=([^,\s]{1,300}),")
_NO_TOPIC = lazy_pattern(r"CODE: 17 {1,3}DESC: topic\[([^\]\n]{1,300})\] not exist, apply first please")
_NO_SUBSCRIPTION = "the consumer's subscription not exist"
"""a broker that does not know the group says "the consumer's group info not exist" """
_REMOVED = lazy_pattern(r"subscription changed, group: (\S{1,300}) remove topic (\S{1,300}) ")
_NOT_SUPPORTED = lazy_pattern(
    r"(?:(?<![a-z,] )request type (?=\d{1,6} not supported\b)|request code unsupported, code )([1-9]\d{0,5})\b"
)
"""the first one begins what a server says: behind an address, a mark or nothing; a word before it is of a user"""
_BATCH = "320"
"""RequestCode.SEND_BATCH_MESSAGE"""
_CHANGED = lazy_pattern(
    r"subscription changed, group: (\S{1,300}) (?:remove topic|OLD: |add)"
    r".{0,200}?topic=([^,\]]{1,300}), subString=(.{0,300}?), tagsSet=.{0,2000}?"
    r"NEW: .{0,200}?topic=([^,\]]{1,300}), subString=(.{0,300}?), tagsSet="
)


def pull_refused(message: Message, log: LogTally) -> None:
    """The broker's answer to a pull."""
    found = _CODE.search(message.text)
    if found is None:
        return
    kind, missing = _KINDS[found[1] or found[2]], _MISSING_GROUP.search(message.text)
    if missing is not None:
        group = missing["pulled"] or missing["sent_back"]
    elif kind == "pull-refused-no-such-group":
        return
    else:
        group = group_in(message.both)
    tally = log.add(kind, message, Subject(group=group), side="client")
    if tally is not None and _NO_SUBSCRIPTION in message.text:
        tally.keep_largest("without_topic", 1)


def pull_refused_by_slave(message: Message, log: LogTally) -> None:
    """A slave that serves no reads answers each pull with [REJECTREQUEST], a text that is else about sends."""
    named = _PULL_OF.search(message.both)
    group = group_in(message.both) if named is None else named[1]
    log.add("pull-refused-by-slave", message, Subject(group=group), side="client")


def no_topic(message: Message, log: LogTally) -> None:
    """The broker does not have the topic that a consumer pulls, or a producer sends to."""
    found = _NO_TOPIC.search(message.text)
    if found is None:
        return
    if call_of(message) != "pull":
        send_refused("send-topic-missing", message, log, topic=found[1])
    else:
        subject = Subject(group=group_in(message.both), topic=found[1])
        log.add("pull-refused-no-topic", message, subject, side="client")


def not_supported(message: Message, log: LogTally) -> None:
    """Who was asked does not know the request; without that of batches a sender can send one by one."""
    found = _NOT_SUPPORTED.search(message.text)
    if found is None:
        return
    if found[1] == _BATCH:
        send_refused("send-batch-unknown", message, log)
    else:
        log.add("request-unknown", message, Subject(service=found[1]))


def subscription_changed(message: Message, log: LogTally) -> None:
    """A heartbeat replaced what the group subscribes to; the same words again are the same subscription, renewed."""
    removed = _REMOVED.search(message.text)
    if removed is not None:
        log.add("subscription-removed", message, Subject(group=removed[1], topic=removed[2]), side="broker")
        return
    found = _CHANGED.search(message.text)
    if found is None or (found[2], found[3]) == (found[4], found[5]):
        return
    log.add("subscription-changed", message, Subject(group=found[1], topic=found[4]), side="broker")
    key = ChangeKey(found[1], found[4], found[3], found[5])
    if key in log.changes or len(log.changes) < MOST_ROWS:
        count, span = log.changes.setdefault(key, (0, Span()))
        span.see(log.at(message))
        log.changes[key] = (count + message.stands_for, span)
