"""Offsets that a store does not hold: lookups that find no file, and pulls that are sent elsewhere.

Source: MappedFileQueue.findMappedFileByOffset (three texts: 3.2.6 to 3.5.8, 4.0.0 to 4.2.0, since 4.3.0),
PullMessageProcessor, DefaultMQPushConsumerImpl.
"""

from __future__ import annotations

from mqdiag.facts.vocabulary import OffsetPlace
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.log_tally import MOST_ROWS, LogTally, NotMatchedTally, ResetKey, ResetTally
from mqdiag.logs.message import Message
from mqdiag.logs.queues import next_offset, queue_in
from mqdiag.logs.tally import Subject

_SINCE_4_3 = lazy_pattern(
    r"Offset not matched\. Request offset: (-?\d{1,19}), firstOffset: (-?\d{1,19}), lastOffset: (-?\d{1,19}),"
    r" mappedFileSize: (\d{1,12}), mappedFiles count: (\d{1,9})"
)
_WITH_INDEX = lazy_pattern(
    r"[Rr]equest [Oo]ffset: (-?\d{1,19}), index: (-?\d{1,12}), mapp?edFileSize: (\d{1,12}),"
    r" mapp?edFiles count: (\d{1,9})"
)
FULL_FILE_EDGE: OffsetPlace = "full-file-edge"
_MOST_FILES = 2**31 - 1
_NUMBER_AT_END = lazy_pattern(r"^(.{1,200}?)_?\d+$")
_OVERFLOW = lazy_pattern(
    r"the request offset: (\d{1,19}) over flow badly,.{0,60}? broker max offset: (-?\d{1,19})"
)
_NO_DATA = lazy_pattern(
    r"broker stores? no queue data, fix the request offset (\d{1,19}) to (\d{1,19}), Topic: (\S{1,300}) QueueId:"
    r" (-?\d{1,9}) Consumer Group: (\S{1,300})"
)
_MOVED = lazy_pattern(
    r"PULL_OFFSET_MOVED:(correction offset\. |none correction\. )?topic=([^,]{1,300}), groupId=([^,]{1,300}),"
    r" requestOffset=(-?\d{1,19})(?:, newOffset=(-?\d{1,19}))?"
)
_BELOW_STORE = lazy_pattern(
    r"update consumer offset less than store\. clientHost=/?([^,]{1,200}), key=([^,@]{1,300})@([^,]{1,300}),"
    r" queueId=(\d{1,9}), requestOffset=(\d{1,19}), storeOffset=(\d{1,19})"
)
_RESULT = lazy_pattern(r"nextBeginOffset=(-?\d{1,19}), minOffset=(-?\d{1,19}), maxOffset=(-?\d{1,19})")


def not_matched(message: Message, log: LogTally) -> None:
    """A lookup of an offset that no file of a queue holds."""
    read = _lookup(message.text)
    if read is None:
        return
    place, requested, first, last, size = read
    thread = _pool(message.thread())
    tally = log.add(f"offset-not-matched-{place}", message, Subject(thread=thread), side="broker")
    if tally is None:
        return
    key = (thread, place, size)
    row = log.not_matched.get(key)
    if row is None:
        if len(log.not_matched) >= MOST_ROWS:
            return
        row = log.not_matched[key] = NotMatchedTally()
    at = log.at(message)
    row.count += message.stands_for
    row.requested, row.first_offset, row.last_offset = requested, first, last
    row.span.see(at)
    if at is not None:
        row.minutes.add(at, message.stands_for)


def is_at_full_file_edge(text: str) -> bool:
    """Whether a line is a lookup of exactly the end of the last file, which is full; it is harmless."""
    read = _lookup(text)
    return read is not None and read[0] == FULL_FILE_EDGE


def _lookup(text: str) -> tuple[OffsetPlace, int, int | None, int | None, int] | None:
    """(place, requested, first and last offset where printed, size of a file)."""
    place: OffsetPlace
    found = _SINCE_4_3.search(text)
    if found is not None:
        requested, first, last, size = (int(part) for part in found.group(1, 2, 3, 4))
        if requested == last:
            place = FULL_FILE_EDGE
        elif requested > last:
            place = "beyond-last"
        else:
            place = "below-first" if requested < first else "inside"
        return place, requested, first, last, size
    found = _WITH_INDEX.search(text)
    if found is None:
        return None
    requested, index, size, count = (int(part) for part in found.groups())
    if index < 0:
        # the broker counts files in 32 bits: far beyond the last file the index turns negative
        place = "beyond-last" if size and requested // size > _MOST_FILES else "below-first"
    elif index < count:
        place = "inside"
    else:
        # the index counts whole files from the first one's begin
        place = FULL_FILE_EDGE if index == count and size and requested % size == 0 else "beyond-last"
    return place, requested, None, None, size


def _pool(thread: str | None) -> str | None:
    """PullMessageThread_15 is one of PullMessageThread."""
    if thread is None:
        return None
    found = _NUMBER_AT_END.match(thread)
    return found[1] if found else thread


def overflow(message: Message, log: LogTally) -> None:
    """A consumer asks beyond the end of the queue; the line after it says what it got instead."""
    found = _OVERFLOW.search(message.text)
    if found is None:
        return
    requested, most = int(found[1]), int(found[2])
    tally = log.add("offset-overflow", message, side="broker")
    if tally is not None:
        tally.keep_largest("largest_beyond", requested - most)
    log.says_fix_to = log.says_fix_to or "over flow badly, fix to" in message.text
    if len(log.overflows) < MOST_ROWS:
        log.overflows[requested] = most
    for key, row in log.resets.items():
        if key.requested == requested and row.broker_max is None:
            row.broker_max = most


def no_queue_data(message: Message, log: LogTally) -> None:
    """The queue is there and empty, as after a topic was made again: an offset of 0 is right then."""
    found = _NO_DATA.search(message.text)
    if found is None:
        return
    subject = Subject(group=found[5], topic=found[3], queue_id=int(found[4]))
    log.add("offset-no-queue-data", message, subject, side="broker")
    if len(log.no_data) < MOST_ROWS:
        log.no_data[int(found[1])] = None


def offset_moved(message: Message, log: LogTally) -> None:
    """The broker's answer to a pull with an offset that it does not have."""
    found = _MOVED.search(message.text)
    if found is None:
        return
    subject = Subject(group=found[3], topic=found[2])
    if found[5] is None:
        # a slave leaves it as it is, and the consumer asks again at once
        log.add("offset-not-corrected-by-slave", message, subject, side="broker")
        return
    log.add("offset-corrected", message, subject, side="broker")
    _reset(log, message, subject, int(found[4]), int(found[5]), None)


def below_store(message: Message, log: LogTally) -> None:
    """A client stores the same old offset again, while the group's offset of the queue has grown in between.

    One such line is what a rebalance, or a pull that was late, looks like.
    """
    found = _BELOW_STORE.search(message.text)
    if found is None:
        return
    subject = Subject(group=found[3], topic=found[2], queue_id=int(found[4]))
    requested, stored = int(found[5]), int(found[6])
    key = (found[1], subject)
    before = log.refused_offsets.get(key)
    if before is None and len(log.refused_offsets) >= MOST_ROWS:
        return
    log.refused_offsets[key] = (requested, stored)
    if before is None or before[0] != requested or stored <= before[1]:
        return
    tally = log.add("offset-stored-again", message, subject, side="broker")
    if tally is not None:
        tally.keep_largest("largest_below_store", stored - requested)


def offset_illegal(message: Message, log: LogTally) -> None:
    """The client's side of the same: it holds the queue for ten seconds and goes on with the new offset."""
    found = _RESULT.search(message.text)
    subject = queue_in(message.text)
    log.add("offset-illegal", message, subject, side="client")
    requested = next_offset(message.text)
    if found is not None and requested is not None:
        _reset(log, message, subject, requested, int(found[1]), int(found[3]))


def _reset(
    log: LogTally, message: Message, subject: Subject, requested: int, given: int, most: int | None
) -> None:
    key = ResetKey(subject.group, subject.topic, subject.queue_id, requested, given)
    row = log.resets.get(key)
    if row is None:
        if len(log.resets) >= MOST_ROWS:
            log.resets_left_out += 1
            return
        row = log.resets[key] = ResetTally()
    row.count += 1
    row.span.see(log.at(message))
    row.broker = row.broker or subject.broker
    row.broker_max = most if most is not None else log.overflows.get(requested, row.broker_max)
    row.no_queue_data = row.no_queue_data or requested in log.no_data
