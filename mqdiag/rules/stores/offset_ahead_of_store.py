"""Consumers stand beyond the end of a broker's queues, seen before the broker is started."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.stores import StoredOffset, StoreFacts, StorePair, StoreQueue, StoresFacts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.rules.stores._ahead import Compared, compare, goes_to_zero
from mqdiag.rules.stores._ahead_texts import outcome, rows, stale_steps, steps
from mqdiag.text import say


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
        first="master", second="slave", proof="the queues begin with the same entry", diverged=False
    )
    return Facts(stores=StoresFacts(stores=stores, pairs=(pair,)))


def fires() -> Facts:
    """The master's queue ends at 10,000; on the slave the group has gone on to 15,000."""
    return _facts(10_000)


def silent() -> Facts:
    """The master's queue ends where the group stands."""
    return _facts(15_000)


@rule(
    name="offset-ahead-of-store",
    title="Stored consumer offsets lie beyond what the broker's store has",
    why=(
        "A master that lost its tail in a power failure has fewer messages than its slave, from which consumers read"
        " meanwhile. When it starts, they ask for offsets that it does not have: brokers up to 4.9.3 send them to"
        " offset 0, and everything is consumed again; later ones go on at the end, and new messages get offsets that"
        " were consumed before. Once it has started, the slave follows it, and the missing messages are gone."
    ),
    causes=("lost-tail", "offset-beyond-end", "stale-offset"),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=(
        "Leave the master stopped, stop the slave, keep the master's folder, and copy commitlog, consumequeue and"
        " config of the slave to the master; then start the master first.",
        "Upgrade brokers before 4.9.4; make consumers able to meet a message twice.",
    ),
    references=(
        "article 003: restart of a master after a power loss",
        "https://issues.apache.org/jira/browse/ROCKETMQ-348",
        "https://github.com/apache/rocketmq/pull/4219",
        "DefaultMessageStore.getMessage, GetMessageStatus.OFFSET_OVERFLOW_BADLY",
    ),
    needs=("stores",),
    explained_by=("slave-behind:slave-ahead",),
    limits={"beyond": 1},
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each store that a master may start on."""
    stores = facts.stores
    assert stores is not None
    masters = [store for store in stores.stores if store.role != "slave"]
    if not masters and stores.stores:
        yield Skip(reason=say("only slaves' stores were given; consumers meet the master's"))
    for store in masters:
        if store.unusable_offsets:
            yield Skip(
                reason=say(
                    "{path}: of {offsets} the value cannot be used, so nothing is said about them",
                    path=store.path,
                    offsets=say(
                        "{number:count} {number:stored offset|stored offsets}", number=store.unusable_offsets
                    ),
                )
            )
        compared = compare(stores, store)
        ahead = [one for one in compared.ahead if one.by >= limits["beyond"]]
        if ahead:
            yield _draft(facts, compared)
        elif store.offsets_from is None and compared.other is None:
            yield Skip(reason=say("{path} has no consumerOffset.json that could be read", path=store.path))
        elif compared.undecided:
            yield Skip(
                reason=(
                    say(
                        "names and sizes of the files in {listed_in} cannot tell for {offsets}; copy the last"
                        " file of each queue, or give the store folder",
                        listed_in=store.listed_in or store.path,
                        offsets=say(
                            "{number:count} {number:stored offset|stored offsets}", number=compared.undecided
                        ),
                    )
                )
            )


def _draft(facts: Facts, compared: Compared) -> Draft:
    store, other = compared.store, compared.other
    to_zero, version = goes_to_zero(facts, store)
    worst = compared.ahead[0]
    groups = sorted({one.stored.group for one in compared.ahead if one.stored.group is not None})
    topics = sorted({one.stored.topic for one in compared.ahead})
    queues = {(one.stored.topic, one.stored.queue_id) for one in compared.ahead}
    known = [one for one in compared.ahead if one.other_maximum is not None]
    missing = {
        (one.stored.topic, one.stored.queue_id): max(one.other_maximum - one.maximum, 0)
        for one in known
        if one.other_maximum is not None
    }
    stale = (
        other is not None and bool(known) and not any(missing.values()) and len(known) == len(compared.ahead)
    )
    again = sum(one.to_zero for one in compared.ahead)
    who = (
        say("group {groups}", groups=groups[0])
        if len(groups) == 1
        else say("{number:count} {number:group|groups}", number=len(groups))
    )
    title = say(
        "Offsets of {who} lie up to {by:count} beyond the end of {queues} in {path}",
        who=who if groups else say("delay levels"),
        by=worst.by,
        queues=say("{number:count} {number:queue|queues}", number=len(queues)),
        path=store.path,
    )
    if compared.roles_unknown:
        title += say(", if that is the master's store")
    confidence, reason = _confidence(compared, stale=stale)
    return Draft(
        severity=Severity.WARNING if stale else Severity.ERROR,
        cause="stale-offset" if stale else "lost-tail" if any(missing.values()) else "offset-beyond-end",
        confidence=confidence,
        confidence_reason=reason,
        title=title,
        subject=Subject(
            group=groups[0] if len(groups) == 1 else None,
            topic=topics[0] if len(topics) == 1 else None,
            queue_id=worst.stored.queue_id if len(queues) == 1 else None,
        ),
        evidence={
            "path": store.path,
            "groups": tuple(groups),
            "topics": tuple(topics),
            "queues": len(queues),
            "stored_offset": worst.stored.offset,
            "stored_in": worst.stored_in,
            "min_offset": worst.minimum,
            "max_offset": worst.maximum,
            "beyond": worst.by,
            "other_max_offset": worst.other_maximum,
            "missing_messages": sum(missing.values()) if missing else None,
            "outcome": "depends-on-version" if to_zero is None else "to-zero" if to_zero else "to-end",
            "consumed_again": None if to_zero is None else again if to_zero else 0,
            "consumed_again_up_to_4_9_3": again,
            "broker_version": version,
        },
        explanation=(*rows(compared), *outcome(compared, to_zero, version), *_where_missing(compared, missing)),
        remedy=stale_steps() if stale else steps(compared),
        weight=1.0,
    )


def _confidence(compared: Compared, *, stale: bool) -> tuple[Confidence, str]:
    if compared.other is None:
        return Confidence.MEDIUM, (
            say(
                "the other store of this broker was not given: a topic that was deleted and made"
                " again looks the same"
            )
        )
    if stale:
        return Confidence.MEDIUM, say("both stores end alike, so nothing was lost after the last copy")
    if compared.roles_unknown:
        return Confidence.MEDIUM, (
            say(
                "which store is the master's is not known; a slave that is behind looks the same."
                " Name the folders master and slave, or put broker.conf beside them"
            )
        )
    if compared.store.listed_in is not None:
        return Confidence.MEDIUM, say("names and sizes of files give bounds only")
    return Confidence.HIGH, ""


def _where_missing(compared: Compared, missing: dict[tuple[str, int], int]) -> Iterator[str]:
    total = sum(missing.values())
    if compared.other is None:
        return
    if total:
        yield say(
            "{path} has {messages} of these queues that {path_2} lacks.",
            path=compared.other.path,
            messages=say("{number:count} {number:message|messages}", number=total),
            path_2=compared.store.path,
        )
    elif missing:
        yield say(
            "{path} has no more of these queues than {path_2}.",
            path=compared.other.path,
            path_2=compared.store.path,
        )
