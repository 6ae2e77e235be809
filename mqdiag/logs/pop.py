"""POP consumers of 5.x at the broker: positions that were moved or not stored, and messages that come back late.

Source: PopMessageProcessor, PopReviveService, PopBufferMergeService, PopConsumerService, AckMessageProcessor,
ChangeInvisibleTimeProcessor, 5.0.0 to 5.5.0.
"""

from __future__ import annotations

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.log_tally import MOST_ROWS, LogTally
from mqdiag.logs.message import Message
from mqdiag.logs.tally import Subject

_MOVED = lazy_pattern(
    r"because store is no correct, (?:([^@\s]{1,300})@([^@\s]{1,300})@(-?\d{1,9}),"
    r"|groupId=([^,]{1,300}), topicId=([^,]{1,300}), queueId=(-?\d{1,9}), batchSize=\d{1,9}, offset=)"
    r" ?(-?\d{1,19})->(-?\d{1,19}|null)"
)
"""The second form is of PopConsumerService, 5.3.2 and later, which keeps positions in RocksDB."""
_ROUND = lazy_pattern(
    r"reviveQueueId=(\d{1,9}), ?revive finish,old offset is (-?\d{1,19}), new offset is (-?\d{1,19}),"
    r" ckDelay=(\d{1,12})"
)
_ACKNOWLEDGEMENT = lazy_pattern(r"reviveQueueId=(\d{1,9}), ?find ack, offset:(\d{1,19})")
LATE_S = 30
"""a round in order is three to five seconds late"""


def moved(message: Message, log: LogTally) -> None:
    """A POP consumer's position fits no message of its queue, and the broker moved it."""
    found = _MOVED.search(message.text)
    if found is None:
        return
    subject = Subject(
        group=found[2] or found[4], topic=found[1] or found[5], queue_id=int(found[3] or found[6])
    )
    if found[8] == "null":
        log.add("pop-offset-without-answer", message, subject, side="broker")
        return
    gap = int(found[7]) - int(found[8])
    kind = "pop-offset-beyond-queue" if gap > 0 else "pop-offset-deleted"
    tally = log.add(kind, message, subject, side="broker")
    if tally is not None:
        tally.keep_largest("largest_gap", abs(gap))


def revived(message: Message, log: LogTally) -> None:
    """A round of a thread that gives messages back; its first check point was due so many seconds ago.

    The offset of a round that gave something back is greater at the end.
    """
    found = _ROUND.search(message.text)
    if found is not None and int(found[4]) >= LATE_S:
        tally = log.add(
            "pop-revive-late" if found[2] != found[3] else "pop-revive-unmoved", message, side="broker"
        )
        if tally is not None:
            tally.keep_largest("largest_delay_s", int(found[4]))


def acknowledgement(message: Message, log: LogTally) -> None:
    """An acknowledgement that the thread that gives messages back has read; enablePopLog=true shows each."""
    found = _ACKNOWLEDGEMENT.search(message.text)
    if found is None:
        return
    key = int(found[1]), int(found[2])
    if key not in log.acknowledgements and len(log.acknowledgements) >= MOST_ROWS:
        del log.acknowledgements[next(iter(log.acknowledgements))]
    times = log.acknowledgements[key] = log.acknowledgements.get(key, 0) + message.stands_for
    if times > 1:
        tally = log.add("pop-acknowledgement-again", message, side="broker")
        if tally is not None:
            tally.keep_largest("largest_times", times)
