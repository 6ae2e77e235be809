"""A DLedger group: entries that a member lacks or cannot read, and votes that it does not get.

Source: DLedgerMmapFileStore.get and DLedgerMmapFileStore.recover, DLedgerResponseCode, DLedgerLeaderElector.
"""

from __future__ import annotations

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.log_tally import LogTally
from mqdiag.logs.message import Message

_RANGE = lazy_pattern(r"\] (\d{1,19}) should between (\d{1,19})-(\d{1,19})")


def entry_not_held(message: Message, log: LogTally) -> None:
    """A member is asked for an entry that it does not hold: most times the leader, by its own pusher."""
    tally = log.add("dledger-entry-not-held", message, side="broker")
    found = _RANGE.search(message.text)
    if tally is not None and found is not None:
        wanted, first, last = (int(part) for part in found.groups())
        missing = first - wanted if wanted < first else wanted - last
        tally.keep_largest("largest_missing", max(missing, 0))


def data_damaged(message: Message, log: LogTally) -> None:
    """What a data file or an index file holds is no entry, or not the one that belongs there."""
    log.add("dledger-data-damaged", message, side="broker")


def vote_refused(message: Message, log: LogTally) -> None:
    """A candidate is told that its log is shorter than that of the member it asked."""
    log.add("dledger-vote-refused", message, side="broker")
