"""What the store folders of brokers say while the brokers stand still: queues, stored offsets, how the disk ends."""

from __future__ import annotations

import msgspec

from mqdiag.facts.redaction import Public
from mqdiag.text import Text


class StoreQueue(msgspec.Struct, frozen=True, kw_only=True):
    """One consume queue of a store."""

    topic: Public
    queue_id: int
    min_offset: int | None = None
    """first offset with a message that is still in the commit log"""
    max_offset: int | None = None
    """one behind the last message: what a broker that starts on this store has; None in a listing of files"""
    max_at_least: int | None = None
    max_at_most: int | None = None
    """bounds of `max_offset`, from names and sizes where that is all there is"""
    lost_entries: int = 0
    """entries at the end without a message in the commit log: a broker drops them when it starts"""
    added_entries: int = 0
    """messages of the commit log without an entry: a starting broker adds them"""


class StoredOffset(msgspec.Struct, frozen=True, kw_only=True):
    """The offset that a group goes on from, as the broker keeps it."""

    topic: Public
    queue_id: int
    offset: int
    group: Public | None = None
    """None in delayOffset.json, which has the progress of a delay level"""


class StoreFacts(msgspec.Struct, frozen=True, kw_only=True):
    """One store folder, or a listing of its files."""

    path: Public
    listed_in: Public | None = None
    """the listing of files that it was read from; None where the folder itself was given"""
    role: Public | None = None
    """master or slave; None where nothing tells"""
    role_from: Public | None = None
    """what tells the role"""
    version: Public | None = None
    """"5.x" or "4.x" by the form of its files, which tells no more"""
    stopped_in_order: bool | None = None
    """false: the file abort is there, the broker was not shut down, or is running"""
    commit_log_min: int | None = None
    commit_log_max: int | None = None
    """position behind the last whole message"""
    commit_log_at_most: int | None = None
    """end of the last file"""
    last_stored_at: Public | None = None
    """when the last message was stored"""
    checkpoint_at: Public | None = None
    """up to when the commit log was forced to disk"""
    topics: tuple[Public, ...] | None = None
    """those of config/topics.json"""
    queues: tuple[StoreQueue, ...] = ()
    offsets: tuple[StoredOffset, ...] = ()
    unusable_offsets: int = 0
    """stored values that are no offsets: negative, no numbers, beyond 63 bits; nothing is concluded from them"""
    offsets_from: Public | None = None
    """the file that they were read from"""
    unreadable: dict[str, Text] = {}
    """parts that could not be read, and why"""


class StorePair(msgspec.Struct, frozen=True, kw_only=True):
    """Two stores of one broker: a master's and its slave's."""

    first: Public
    """path of the master's, where the roles are known"""
    second: Public
    proof: Text
    """what shows that they belong together"""
    diverged: bool | None = None
    """both hold different messages at the same offset of a queue; None in listings of files"""


class StoresFacts(msgspec.Struct, frozen=True, kw_only=True):
    """All stores that were given."""

    stores: tuple[StoreFacts, ...] = ()
    pairs: tuple[StorePair, ...] = ()
