"""Stored consumer offsets lie beyond the end of a broker's queues, seen before the broker is started."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mqdiag.facts import Facts
from mqdiag.facts.admin import AdminFacts, QueueProgress
from mqdiag.facts.logs import LogsFacts
from mqdiag.facts.stores import StoredOffset, StoreFacts, StorePair, StoreQueue, StoresFacts
from mqdiag.findings import Confidence, Subject
from mqdiag.language import english
from mqdiag.rules.rule import Rule
from mqdiag.rules.said import Draft, Limits, Said
from mqdiag.text import Text, Value, sentences

RULE = Rule("offset-ahead-of-store")
GO_ON_AT_END = (4, 9, 4)
"""first version that never sends such a consumer to 0: pull request 4219"""
MOST_ROWS = 8
"""stored offsets that are explained"""
_NUMBERS = re.compile(r"(\d{1,4})\.(\d{1,4})\.(\d{1,4})")
_VERSION = re.compile(r"V?(\d+)[._](\d+)[._](\d+)(?:[-_](\w+))?", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class _Ahead:
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
        return self.stored.topic, self.stored.queue_id


@dataclass(frozen=True, kw_only=True)
class _Compared:
    """A store with all that is known of its broker's offsets."""

    store: StoreFacts
    other: StoreFacts | None
    """the other store of its pair"""
    pair: StorePair | None
    ahead: tuple[_Ahead, ...]
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


@RULE.sees("stores")
def in_stores(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each store on which a master may start."""
    stores = facts.stores
    assert stores is not None
    masters = [store for store in stores.stores if store.role != "slave"]
    if not masters and stores.stores:
        yield RULE.skip("only-slaves")
    for store in masters:
        if store.unusable_offsets:
            yield RULE.skip("unusable-offsets", path=store.path, offsets=store.unusable_offsets)
        compared = _compare(stores, store)
        if any(one.beyond >= limits["beyond"] for one in compared.ahead):
            yield _ahead_of_store(facts, compared)
        elif store.offsets_from is None and compared.other is None:
            yield RULE.skip("no-offsets", path=store.path)
        elif compared.undecided:
            yield RULE.skip("bounds-only", listed_in=store.listed_in or store.path, offsets=compared.undecided)


def _compare(stores: StoresFacts, store: StoreFacts) -> _Compared:
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
                _Ahead(
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
    return _Compared(store=store, other=other, pair=pair, ahead=tuple(ahead), undecided=undecided)


def _by_queue(queues: Iterable[StoreQueue]) -> dict[tuple[str, int], StoreQueue]:
    return {(queue.topic, queue.queue_id): queue for queue in queues}


def _key(stored: StoredOffset) -> tuple[str | None, str, int]:
    return stored.group, stored.topic, stored.queue_id


def _goes_to_zero(facts: Facts, store: StoreFacts) -> tuple[bool | None, str | Text | None]:
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
    before = [(number := _number(one.before)) is not None and number <= GO_ON_AT_END for one in ranges]
    since = [(number := _number(one.since)) is not None and number >= GO_ON_AT_END for one in ranges]
    if not ranges or not (all(before) or all(since)):
        return None
    return all(before), ranges[0].said


def _number(version: str | None) -> tuple[int, ...] | None:
    found = _NUMBERS.fullmatch(version or "")
    return None if found is None else tuple(map(int, found.groups()))


def _ahead_of_store(facts: Facts, compared: _Compared) -> Draft:
    store, other, missing = compared.store, compared.other, compared.missing
    to_zero, version = _goes_to_zero(facts, store)
    farthest, rows = compared.ahead[0], compared.ahead[:MOST_ROWS]
    groups = sorted({one.stored.group for one in compared.ahead if one.stored.group is not None})
    topics = sorted({one.stored.topic for one in compared.ahead})
    queues = {one.queue for one in compared.ahead}
    again = sum(one.again_from_zero for one in compared.ahead)
    not_from_zero = sum(one.minimum != 0 for one in compared.ahead)
    sure = other is not None and not (compared.stale or compared.roles_unknown or store.listed_in)
    if len(groups) > 1:
        who = RULE.word("groups", group_count=len(groups))
    else:
        who = RULE.word("group", group=groups[0]) if groups else RULE.word("delay-levels")
    return RULE.case(
        "stale-offset" if compared.stale else "lost-tail" if any(missing.values()) else "offset-beyond-end",
        store,
        confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
        subject=Subject(
            group=groups[0] if len(groups) == 1 else None,
            topic=topics[0] if len(topics) == 1 else None,
            queue_id=farthest.stored.queue_id if len(queues) == 1 else None,
        ),
        evidence={
            "other_path": None if other is None else other.path,
            "groups": tuple(groups),
            "group_count": len(groups),
            "topics": tuple(topics),
            "queues": len(queues),
            "stored_offset": farthest.stored.offset,
            "stored_in": farthest.stored_in,
            "min_offset": farthest.minimum,
            "max_offset": farthest.maximum,
            "beyond": farthest.beyond,
            "other_max_offset": farthest.other_maximum,
            "missing_messages": sum(missing.values()) if missing else None,
            "outcome": "depends-on-version" if to_zero is None else "to-zero" if to_zero else "to-end",
            "consumed_again": None if to_zero is None else again if to_zero else 0,
            "consumed_again_up_to_4_9_3": again,
            "broker_version": english()(version) if isinstance(version, Text) else version,
            "row_queue_ids": tuple(one.stored.queue_id for one in rows),
            "row_stored_offsets": tuple(one.stored.offset for one in rows),
            "row_max_offsets": tuple(one.maximum for one in rows),
            "row_other_max_offsets": tuple(one.other_maximum for one in rows if one.other_maximum is not None),
            "row_beyond": tuple(one.beyond for one in rows),
            "further_rows": len(compared.ahead) - len(rows),
            "not_from_zero": not_from_zero,
        },
        words={
            "title": RULE.word("title", who=who),
            "who": who,
            "alone": other is None,
            "roles_unknown": compared.roles_unknown,
            "listed": store.listed_in is not None,
            "version": version,
            "version_decides": to_zero is not None,
            "maybe_to_zero": to_zero is not False,
            "maybe_to_end": not to_zero,
            "some_begin_later": to_zero is not False and not_from_zero > 0,
            "none_missing": bool(missing) and not any(missing.values()),
            **_copying(compared),
        },
        given={"offsets": tuple(_row(compared, one) for one in rows)},
    )


def _row(compared: _Compared, one: _Ahead) -> Text:
    """What is said of one of the offsets that lie farthest beyond."""
    group = one.stored.group
    in_other = None
    if one.other_maximum is not None and compared.other is not None:
        in_other = RULE.word("in-other", path=compared.other.path, other_maximum=one.other_maximum)
    row = RULE.word(
        "offset",
        who=RULE.word("delay-file") if group is None else RULE.word("named-group", group=group),
        offset=one.stored.offset,
        topic=one.stored.topic,
        queue_id=one.stored.queue_id,
        path=compared.store.path,
        end=RULE.word("end" if compared.store.listed_in is None else "end-at-most", maximum=one.maximum),
        beyond=one.beyond,
    )
    return sentences(row, in_other)


def _copying(compared: _Compared) -> dict[str, Value]:
    """What the commands need that copy the slave's store to the master."""
    keeps_own = _own_offsets_are_newer(compared.ahead)
    # all files of a store are made at their full size: equal sizes prove nothing, and equal times happen
    options = "--ignore-times --exclude='*.conf'"
    return {
        "options": options + " --exclude='/config/consumerOffset.json*'" if keeps_own else options,
        "keeps_own_offsets": keeps_own,
        "here": _folder(compared.store.path, "MASTER_STORE"),
        "there": None if compared.other is None else _folder(compared.other.path, "SLAVE_STORE"),
        "diverged": compared.pair is not None and compared.pair.diverged,
    }


def _folder(path: str, inside_archive: str) -> str:
    """A store's folder for a command; a name to be replaced where the store was read out of an archive."""
    return inside_archive if "!" in path else shlex.quote(path.rstrip("/"))


def _own_offsets_are_newer(ahead: tuple[_Ahead, ...]) -> bool:
    """Whether the store that is written to has the newest offsets itself."""
    pairs = [(one.own_offset, one.other_offset) for one in ahead]
    return any(own is not None and own > (other or 0) for own, other in pairs) and all(
        own is not None and own >= (other or 0) for own, other in pairs
    )


@RULE.admin
def in_admin(admin: AdminFacts, limits: Limits) -> Iterator[Said]:
    """One finding for each group and topic of which mqadmin says that it is beyond the end of queues."""
    for progress in admin.groups:
        ahead: dict[str, list[QueueProgress]] = {}
        for queue in progress.queues:
            # asked one after the other, the offset of a group that keeps up may be a little later than the queue's end
            if -queue.diff >= limits["beyond_by_mqadmin"]:
                ahead.setdefault(queue.topic, []).append(queue)
        for topic, queues in ahead.items():
            worst = min(queues, key=lambda one: one.diff)
            yield RULE.case(
                "beyond-end-by-mqadmin",
                worst,
                subject=Subject(group=progress.group, topic=topic),
                evidence={"queues": len(queues), "beyond": -worst.diff},
                words={"named": progress.group is not None},
                weight=0.5,
            )
