"""Stored consumer offsets lie beyond the end of a broker's queues, seen before the broker is started."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from mqdiag.facts import Facts
from mqdiag.facts.admin import AdminFacts, QueueProgress
from mqdiag.facts.offsets_ahead import Ahead, Compared, compare, goes_to_zero
from mqdiag.findings import Confidence, EvidenceValue, Subject
from mqdiag.language import english
from mqdiag.rules.rule import Draft, Findings, Limits, Rule
from mqdiag.text import Text, Value, sentences

RULE = Rule("offset-ahead-of-store")
MOST_ROWS = 8
"""stored offsets that are explained"""


@RULE.sees("stores")
def in_stores(facts: Facts, limits: Limits) -> Findings:
    """One finding for each store on which a master may start."""
    stores = facts.stores
    assert stores is not None
    masters = [store for store in stores.stores if store.role != "slave"]
    if not masters and stores.stores:
        yield RULE.skip("only-slaves")
    for store in masters:
        if store.unusable_offsets:
            yield RULE.skip("unusable-offsets", path=store.path, offsets=store.unusable_offsets)
        compared = compare(stores, store)
        if any(one.beyond >= limits["beyond"] for one in compared.ahead):
            yield _ahead_of_store(facts, compared)
        elif store.offsets_from is None and compared.other is None:
            yield RULE.skip("no-offsets", path=store.path)
        elif compared.undecided:
            yield RULE.skip("bounds-only", listed_in=store.listed_in or store.path, offsets=compared.undecided)


def _ahead_of_store(facts: Facts, compared: Compared) -> Draft:
    store, other, missing = compared.store, compared.other, compared.missing
    to_zero, version = goes_to_zero(facts, store)
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
            **_of_farthest(compared.ahead),
            "missing_messages": sum(missing.values()) if missing else None,
            "outcome": "depends-on-version" if to_zero is None else "to-zero" if to_zero else "to-end",
            "consumed_again": None if to_zero is None else again if to_zero else 0,
            "consumed_again_up_to_4_9_3": again,
            "broker_version": english()(version) if isinstance(version, Text) else version,
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


def _of_farthest(ahead: Sequence[Ahead]) -> dict[str, EvidenceValue]:
    """The offsets that lie farthest beyond, the first of them by itself."""
    farthest, rows = ahead[0], ahead[:MOST_ROWS]
    return {
        "stored_offset": farthest.stored.offset,
        "stored_in": farthest.stored_in,
        "min_offset": farthest.minimum,
        "max_offset": farthest.maximum,
        "beyond": farthest.beyond,
        "other_max_offset": farthest.other_maximum,
        "row_queue_ids": tuple(one.stored.queue_id for one in rows),
        "row_stored_offsets": tuple(one.stored.offset for one in rows),
        "row_max_offsets": tuple(one.maximum for one in rows),
        "row_other_max_offsets": tuple(one.other_maximum for one in rows if one.other_maximum is not None),
        "row_beyond": tuple(one.beyond for one in rows),
        "further_rows": len(ahead) - len(rows),
    }


def _row(compared: Compared, one: Ahead) -> Text:
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


def _copying(compared: Compared) -> dict[str, Value]:
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


def _own_offsets_are_newer(ahead: tuple[Ahead, ...]) -> bool:
    """Whether the store that is written to has the newest offsets itself."""
    pairs = [(one.own_offset, one.other_offset) for one in ahead]
    return any(own is not None and own > (other or 0) for own, other in pairs) and all(
        own is not None and own >= (other or 0) for own, other in pairs
    )


@RULE.admin
def in_admin(admin: AdminFacts, limits: Limits) -> Findings:
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
