"""Stored consumer offsets lie beyond the end of a broker's queues, seen before the broker is started."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogsFacts
from mqdiag.facts.stores import StoredOffset, StoreFacts, StorePair, StoreQueue, StoresFacts
from mqdiag.findings import Confidence, EvidenceValue, Severity, Subject
from mqdiag.language import english
from mqdiag.rules.registry import Draft, Limits, Rule, Said, Skip
from mqdiag.text import NOTHING, Text, say, sentences

GO_ON_AT_END = (4, 9, 4)
"""first version that never sends such a consumer to 0: pull request 4219"""
MOST_ROWS = 8
"""stored offsets that are explained"""
_NUMBERS = re.compile(r"(\d{1,4})\.(\d{1,4})\.(\d{1,4})")
_VERSION = re.compile(r"V?(\d+)[._](\d+)[._](\d+)(?:[-_](\w+))?", re.IGNORECASE)
IDEMPOTENT = say(
    "In any case make the consumers idempotent: messages that were not on disk at the power failure may come again."
)
NO_MORE_ON_SLAVE = (
    say(
        "Do not start this master yet. Give mqdiag the slave's store too: it shows whether the missing messages still"
        " exist. Copying them is the only way not to lose them."
    ),
    say(
        "If there is no slave, stop the groups named here and start the broker. Set their offsets by time before they"
        " come back: mqadmin resetOffsetByTime -n {name_server:arg NAMESRV:9876}"
        " -g {group:arg GROUP} -t {topic:arg TOPIC} -s TIMESTAMP."
    ),
    say("Upgrade a broker before 4.9.4 first: it would send the groups to offset 0."),
    IDEMPOTENT,
)
STALE = (
    say(
        "Nothing has to be copied: both stores end at the same offsets. Find out whether the topic was deleted and made"
        " again, or the offsets were set by hand."
    ),
    say(
        "Set the offsets of the groups before they come back: mqadmin resetOffsetByTime"
        " -n {name_server:arg NAMESRV:9876} -g {group:arg GROUP} -t {topic:arg TOPIC} -s TIMESTAMP."
    ),
)

RULE = Rule(
    name="offset-ahead-of-store",
    title="Stored consumer offsets lie beyond the messages of the broker's store",
    why=(
        "A master that lost the end of its commit log in a power failure has fewer messages than its slave, from which"
        " consumers read meanwhile. When the master starts, they ask for offsets that it does not have. Brokers up to"
        " 4.9.3 send them to offset 0, and they consume everything again; later brokers go on at the end, and new"
        " messages get offsets that were consumed before. After the start the slave follows the master, and the missing"
        " messages are lost."
    ),
    causes=("lost-tail", "offset-beyond-end", "stale-offset"),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=(
        "Leave the master stopped, stop the slave and keep a copy of the master's folder. Copy commitlog, consumequeue"
        " and config of the slave to the master, then start the master first.",
        "Upgrade brokers before 4.9.4, and make the consumers idempotent.",
    ),
    references=(
        "article 003: restart of a master after a power loss",
        "https://issues.apache.org/jira/browse/ROCKETMQ-348",
        "https://github.com/apache/rocketmq/pull/4219",
        "DefaultMessageStore.getMessage, GetMessageStatus.OFFSET_OVERFLOW_BADLY",
    ),
    explained_by=("slave-behind:slave-ahead",),
    limits={"beyond": 1},
    lies_at="broker",
    in_chain=say("consume offsets lie beyond the messages that the broker has"),
    leads_to={"offset-reset-to-zero": say("and after the restart")},
)


def _store(path: str, role: str, maximum: int, offset: int) -> StoreFacts:
    queue = StoreQueue(
        topic="segments",
        queue_id=0,
        min_offset=0,
        max_offset=maximum,
        max_at_least=maximum,
        max_at_most=maximum,
    )
    return StoreFacts(
        path=path,
        role=role,
        version="4.x",
        queues=(queue,),
        offsets=(StoredOffset(group="CID_wash", topic="segments", queue_id=0, offset=offset),),
        offsets_from="consumerOffset.json",
    )


def _facts(master_end: int) -> Facts:
    stores = (_store("master", "master", master_end, 9000), _store("slave", "slave", 15_000, 15_000))
    pair = StorePair(
        first="master", second="slave", proof=say("the queues begin with the same entry"), diverged=False
    )
    return Facts(stores=StoresFacts(stores=stores, pairs=(pair,)))


def fires() -> Facts:
    """The master's queue ends at 10,000; on the slave the group has gone on to 15,000."""
    return _facts(10_000)


def silent() -> Facts:
    """The master's queue ends at the group's offset."""
    return _facts(15_000)


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
        yield Skip(reason=say("only slaves' stores were given; consumers meet the master's"))
    for store in masters:
        if store.unusable_offsets:
            yield Skip(
                reason=say(
                    "{path}: {offsets:count} {offsets:stored offset has|stored offsets have} an unusable value, so"
                    " nothing is said about {offsets:it|them}",
                    path=store.path,
                    offsets=store.unusable_offsets,
                )
            )
        compared = _compare(stores, store)
        if any(one.beyond >= limits["beyond"] for one in compared.ahead):
            yield _draft(facts, compared)
        elif store.offsets_from is None and compared.other is None:
            yield Skip(reason=say("{path} has no consumerOffset.json that could be read", path=store.path))
        elif compared.undecided:
            yield Skip(
                reason=say(
                    "names and sizes of the files in {listed_in} cannot tell for {offsets:count}"
                    " {offsets:stored offset|stored offsets}; copy the last file of each queue, or give the store"
                    " folder",
                    listed_in=store.listed_in or store.path,
                    offsets=compared.undecided,
                )
            )


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


def _draft(facts: Facts, compared: _Compared) -> Draft:
    to_zero, version = _goes_to_zero(facts, compared.store)
    farthest = compared.ahead[0]
    groups = sorted({one.stored.group for one in compared.ahead if one.stored.group is not None})
    topics = sorted({one.stored.topic for one in compared.ahead})
    queues = {one.queue for one in compared.ahead}
    lost = any(compared.missing.values())
    confidence, reason = _confidence(compared)
    return Draft(
        severity=Severity.WARNING if compared.stale else Severity.ERROR,
        cause="stale-offset" if compared.stale else "lost-tail" if lost else "offset-beyond-end",
        confidence=confidence,
        confidence_reason=reason,
        title=_title(compared, groups),
        subject=Subject(
            group=groups[0] if len(groups) == 1 else None,
            topic=topics[0] if len(topics) == 1 else None,
            queue_id=farthest.stored.queue_id if len(queues) == 1 else None,
        ),
        evidence=_evidence(compared, groups, topics, to_zero=to_zero, version=version),
        explanation=(*_rows(compared), *_outcome(compared, to_zero, version), *_where_missing(compared)),
        remedy=STALE if compared.stale else _steps(compared),
        weight=1.0,
    )


def _evidence(
    compared: _Compared,
    groups: list[str],
    topics: list[str],
    *,
    to_zero: bool | None,
    version: str | Text | None,
) -> dict[str, EvidenceValue]:
    farthest, missing = compared.ahead[0], compared.missing
    rows = compared.ahead[:MOST_ROWS]
    again = sum(one.again_from_zero for one in compared.ahead)
    return {
        "path": compared.store.path,
        "other_path": None if compared.other is None else compared.other.path,
        "groups": tuple(groups),
        "group_count": len(groups),
        "topics": tuple(topics),
        "queues": len({one.queue for one in compared.ahead}),
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
        "not_from_zero": sum(one.minimum != 0 for one in compared.ahead),
    }


def _title(compared: _Compared, groups: list[str]) -> Text:
    if not groups:
        who = say("delay levels")
    elif len(groups) == 1:
        who = say("group {group}", group=groups[0])
    else:
        who = say("{group_count:count} groups")
    title = say(
        "Offsets of {who} lie up to {beyond:count} beyond the end of {queues:count} {queues:queue|queues} in {path}",
        who=who,
    )
    return say("{title}, if that is the master's store", title=title) if compared.roles_unknown else title


def _confidence(compared: _Compared) -> tuple[Confidence, Text]:
    if compared.other is None:
        return Confidence.MEDIUM, say(
            "the other store of this broker was not given: a topic that was deleted and made again looks the same"
        )
    if compared.stale:
        return Confidence.MEDIUM, say("both stores end alike, so nothing was lost after the last copy")
    if compared.roles_unknown:
        return Confidence.MEDIUM, say(
            "mqdiag does not know which store is the master's, and a slave that is behind looks the same. Name the"
            " folders master and slave, or put broker.conf beside them"
        )
    if compared.store.listed_in is not None:
        return Confidence.MEDIUM, say("names and sizes of files give bounds only")
    return Confidence.HIGH, NOTHING


def _rows(compared: _Compared) -> Iterator[Text]:
    """The offsets that lie farthest beyond."""
    for one in compared.ahead[:MOST_ROWS]:
        group = one.stored.group
        end = (
            say("at {maximum:count}", maximum=one.maximum)
            if compared.store.listed_in is None
            else say("at {maximum:count} at most", maximum=one.maximum)
        )
        row = say(
            "{who} has offset {offset:count} of topic {topic}, queue {queue_id}; in {path} this queue ends {end}, so"
            " the offset is {beyond:count} too far.",
            who=say("delayOffset.json") if group is None else say("Group {group}", group=group),
            offset=one.stored.offset,
            topic=one.stored.topic,
            queue_id=one.stored.queue_id,
            path=compared.store.path,
            end=end,
            beyond=one.beyond,
        )
        in_other = None
        if one.other_maximum is not None and compared.other is not None:
            in_other = say(
                "In {path} the queue ends at {other_maximum:count}.",
                path=compared.other.path,
                other_maximum=one.other_maximum,
            )
        yield sentences(row, in_other)
    if len(compared.ahead) > MOST_ROWS:
        yield say("{further_rows:count} more stored {further_rows:offset lies|offsets lie} too far.")


def _outcome(compared: _Compared, to_zero: bool | None, version: str | Text | None) -> Iterator[Text]:
    """What happens to the consumers if a broker starts on the store as it is."""
    yield (
        say("This broker is {version}.", version=version)
        if to_zero is not None
        else say("The broker's version is not known.")
        if version is None
        else say("The broker's version is only known to be {version}.", version=version)
    )
    if to_zero is not False:
        yield say(
            "Brokers up to 4.9.3 and 5.0.0-ALPHA send such consumers to offset 0: they consume"
            " {consumed_again_up_to_4_9_3:count} {consumed_again_up_to_4_9_3:message|messages} again."
        )
    if not to_zero:
        yield say(
            "Brokers from 4.9.4 and 5.0.0 on let them go on at the end of the queue: they consume nothing again. But"
            " new messages get the offsets between the end and the stored offset, and consumers miss those that arrive"
            " before they ask."
        )
    if to_zero is not False and any(one.minimum != 0 for one in compared.ahead):
        yield say(
            "{not_from_zero:count} {not_from_zero:queue does|queues do} not surely begin at 0 any more; where the first"
            " messages are deleted, all versions go on at the end."
        )


def _where_missing(compared: _Compared) -> Iterator[Text]:
    if compared.other is None or not compared.missing:
        return
    if any(compared.missing.values()):
        yield say(
            "{other_path} has {missing_messages:count} {missing_messages:message|messages} of these queues that {path}"
            " lacks."
        )
    else:
        yield say("{other_path} has no more messages of these queues than {path}.")


def _steps(compared: _Compared) -> tuple[Text, ...]:
    """What to do before the master is started."""
    store, other = compared.store, compared.other
    if other is None or not any(compared.missing.values()):
        return NO_MORE_ON_SLAVE
    here, there = _folder(store.path, "MASTER_STORE"), _folder(other.path, "SLAVE_STORE")
    # All files of a store are made at their full size: equal sizes prove nothing, and equal times happen.
    options = "--ignore-times --exclude='*.conf'"
    kept = say("A broker.conf inside config stays the master's.")
    if _own_offsets_are_newer(compared.ahead):
        options += " --exclude='/config/consumerOffset.json*'"
        kept = say(
            "A broker.conf inside config stays the master's, and so does consumerOffset.json, because its offsets are"
            " newer than the slave's."
        )
    lines = [
        say(
            "Do not start this master yet. Stop the slave in order (sh bin/mqshutdown broker) and wait until its"
            " process is gone: both must stand still while files are copied."
        ),
        say(
            "Keep a copy of the master's store, because it may hold messages that the slave lacks: cp -a"
            " --sparse=always {here} {here}.before-restart (needs as much free disk again).",
            here=here,
        ),
        sentences(
            say(
                "Copy the slave's commit log, queues and configuration over the master's: rsync -a --sparse --delete"
                " {options} {there}/commitlog {there}/consumequeue {there}/config {here}/ (with the folders as they are"
                " on the machines).",
                options=options,
                there=there,
                here=here,
            ),
            kept,
        ),
    ]
    if compared.pair is not None and compared.pair.diverged:
        lines.append(
            say(
                "Both stores hold different messages at the same offsets: the master wrote messages after it lost the"
                " end of its log. The copy drops these messages of the master; send them again from the kept folder, or"
                " do not copy."
            )
        )
    lines += [
        say(
            "Start the master, compare mqadmin topicStatus with the offsets here, then start the slave and the"
            " consumers."
        ),
        IDEMPOTENT,
    ]
    return tuple(lines)


def _folder(path: str, inside_archive: str) -> str:
    """A store's folder for a command; a name to be replaced where the store was read out of an archive."""
    return inside_archive if "!" in path else shlex.quote(path.rstrip("/"))


def _own_offsets_are_newer(ahead: tuple[_Ahead, ...]) -> bool:
    """Whether the store that is written to has the newest offsets itself."""
    pairs = [(one.own_offset, one.other_offset) for one in ahead]
    return any(own is not None and own > (other or 0) for own, other in pairs) and all(
        own is not None and own >= (other or 0) for own, other in pairs
    )
