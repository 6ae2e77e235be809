"""Stored consumer offsets that lie beyond the end of a store's queues, and what its broker makes of them."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogsFacts
from mqdiag.facts.stores import StoredOffset, StoreFacts, StorePair, StoreQueue, StoresFacts
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.text import Text

GO_ON_AT_END = (4, 9, 4)
"""first version that never sends such a consumer to 0: pull request 4219"""
_NUMBERS = lazy_pattern(r"V?(\d{1,4})[._](\d{1,4})[._](\d{1,4})")
_VERSION = lazy_pattern(r"V?(\d+)[._](\d+)[._](\d+)(?:[-_](\w+))?", re.IGNORECASE)


class Ahead(msgspec.Struct, frozen=True, kw_only=True):
    """A stored offset that lies beyond its queue."""

    stored: StoredOffset
    stored_in: str
    """path of the store whose file has it"""
    minimum: int | None
    maximum: int
    """end of the queue; its upper bound in a listing of files"""
    other_maximum: int | None
    """end of the same queue in the other store of the pair"""
    own_offset: int | None
    """the offset of the group in the store itself"""
    other_offset: int | None
    """the offset of the group in the other store of the pair"""

    @property
    def beyond(self) -> int:
        """Messages between the end of the queue and the offset."""
        return self.stored.offset - self.maximum

    @property
    def again_from_zero(self) -> int:
        """Messages consumed again from offset 0; none for a queue whose first messages are deleted."""
        return self.maximum if self.minimum == 0 else 0

    @property
    def queue(self) -> tuple[str, int]:
        """The topic and the number of the queue."""
        return self.stored.topic, self.stored.queue_id


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """A store with all that is known of its broker's offsets."""

    store: StoreFacts
    other: StoreFacts | None
    """the other store of its pair"""
    pair: StorePair | None
    ahead: tuple[Ahead, ...]
    """the farthest first"""
    undecided: int
    """offsets between the bounds of their queue, in a listing of files"""

    @property
    def roles_unknown(self) -> bool:
        """Whether neither store of the pair is known as the master's or the slave's."""
        return self.other is not None and self.store.role is None and self.other.role is None

    @property
    def missing(self) -> dict[tuple[str, int], int]:
        """By queue, the messages that only the other store has; queues that it lacks are left out."""
        return {
            one.queue: max(one.other_maximum - one.maximum, 0)
            for one in self.ahead
            if one.other_maximum is not None
        }

    @property
    def stale(self) -> bool:
        """Whether both stores end alike, so that no message was lost."""
        known = [one for one in self.ahead if one.other_maximum is not None]
        return bool(known) and len(known) == len(self.ahead) and not any(self.missing.values())


def compare(stores: StoresFacts, store: StoreFacts) -> Compared:
    """A store against its own stored offsets and those of the other store of its pair."""
    pair = next((one for one in stores.pairs if store.path in (one.first, one.second)), None)
    other = None
    if pair is not None:
        name = pair.second if store.path == pair.first else pair.first
        other = next((one for one in stores.stores if one.path == name), None)
    queues, other_queues = _by_queue(store.queues), _by_queue(() if other is None else other.queues)
    own = {_key(stored): stored for stored in store.offsets}
    others = {} if other is None else {_key(stored): stored for stored in other.offsets}
    newest = {key: (stored, store.path) for key, stored in own.items()}
    for key, stored in others.items():
        if other is not None and (key not in newest or stored.offset > newest[key][0].offset):
            newest[key] = (stored, other.path)
    ahead, undecided = [], 0
    for key, (stored, path) in newest.items():
        place = (stored.topic, stored.queue_id)
        queue, other_queue = queues.get(place), other_queues.get(place)
        if queue is None and not (other_queue is not None and other_queue.max_offset):
            # no such queue: the topic was deleted, or has no message yet
            continue
        end = 0 if queue is None else queue.max_at_most if queue.max_offset is None else queue.max_offset
        if end is not None and stored.offset > end:
            ahead.append(
                Ahead(
                    stored=stored,
                    stored_in=path,
                    minimum=0 if queue is None else queue.min_offset,
                    maximum=end,
                    other_maximum=None if other_queue is None else other_queue.max_offset,
                    own_offset=own[key].offset if key in own else None,
                    other_offset=others[key].offset if key in others else None,
                )
            )
        elif queue is not None and queue.max_offset is None and stored.offset > (queue.max_at_least or 0):
            undecided += 1
    ahead.sort(key=lambda one: (-one.beyond, one.stored.topic, one.stored.queue_id, one.stored.group or ""))
    return Compared(store=store, other=other, pair=pair, ahead=tuple(ahead), undecided=undecided)


def _by_queue(queues: Iterable[StoreQueue]) -> dict[tuple[str, int], StoreQueue]:
    return {(queue.topic, queue.queue_id): queue for queue in queues}


def _key(stored: StoredOffset) -> tuple[str | None, str, int]:
    return stored.group, stored.topic, stored.queue_id


def goes_to_zero(facts: Facts, store: StoreFacts) -> tuple[bool | None, str | Text | None]:
    """Whether the broker sends consumers beyond the end to 0, and its version; None where unknown."""
    named = set()
    if facts.admin is not None:
        named |= {one.version for one in facts.admin.broker_statuses} | {
            one.version for one in facts.admin.brokers
        }
    if facts.heap is not None and facts.heap.broker is not None:
        named.add(facts.heap.broker.version)
    known = {match.groups() for name in named if name and (match := _VERSION.match(name))}
    if len(known) == 1:
        major, minor, patch, suffix = known.pop()
        number = (int(major), int(minor), int(patch))
        text = ".".join(map(str, number)) + (f"-{suffix}" if suffix else "")
        alpha = number == (5, 0, 0) and (suffix or "").upper() == "ALPHA"
        return number < GO_ON_AT_END or alpha, text
    if store.version == "5.x":
        return False, "5.x"
    of_logs = _by_logs(facts.logs) if not known else None
    return of_logs if of_logs is not None else (None, store.version)


def _by_logs(logs: LogsFacts | None) -> tuple[bool, str | Text] | None:
    """The same from the broker's logs, if all their brokers are on one side of the change."""
    if logs is None:
        return None
    ranges = [one for one in (logs.broker_version, *(own.version for own in logs.brokers)) if one is not None]
    before = [(number := version_number(one.before)) is not None and number <= GO_ON_AT_END for one in ranges]
    since = [(number := version_number(one.since)) is not None and number >= GO_ON_AT_END for one in ranges]
    if not ranges or not (all(before) or all(since)):
        return None
    return all(before), ranges[0].said


def version_number(version: str | None) -> tuple[int, ...] | None:
    """4.9.4 or V4_9_4 as (4, 9, 4); None of another form."""
    found = _NUMBERS.fullmatch(version or "")
    return None if found is None else tuple(map(int, found.groups()))
