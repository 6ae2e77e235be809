"""What offset-ahead-of-store says: the arithmetic, what would happen, and the way around it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from mqdiag.rules.stores._ahead import Ahead, Compared
from mqdiag.text import say

ROWS_SAID = 8
IDEMPOTENT = say(
    "Whatever is done, make the consumers able to meet a message twice: what was not on"
    " disk when the power went may come again."
)


def rows(compared: Compared) -> Iterator[str]:
    """The offsets that lie farthest beyond, in sentences."""
    for one in compared.ahead[:ROWS_SAID]:
        who = (
            say("Group {group}", group=one.stored.group) if one.stored.group is not None else "delayOffset.json"
        )
        bound = "" if compared.store.listed_in is None else say("at most ")
        text = say(
            (
                "{who} stands at {offset:count} of topic {topic} queue {queue_id}, which ends at"
                " {bound}{maximum:count} in {path}: {by:count} beyond"
            ),
            who=who,
            offset=one.stored.offset,
            topic=one.stored.topic,
            queue_id=one.stored.queue_id,
            bound=bound,
            maximum=one.maximum,
            path=compared.store.path,
            by=one.by,
        )
        if one.other_maximum is not None and compared.other is not None:
            text += say(
                "; in {path} it ends at {other_maximum:count}",
                path=compared.other.path,
                other_maximum=one.other_maximum,
            )
        yield text + say(".")
    more = len(compared.ahead) - ROWS_SAID
    if more > 0:
        yield say("So do {more:count} more stored offsets.", more=more)


def outcome(compared: Compared, to_zero: bool | None, version: str | None) -> Iterator[str]:
    """What consumers would meet after a start of the store as it is."""
    again = sum(one.to_zero for one in compared.ahead)
    kept = [one for one in compared.ahead if one.minimum != 0]
    zero = say(
        "brokers up to 4.9.3 and 5.0.0-ALPHA send such consumers to offset 0: {messages} again",
        messages=say("{number:count} {number:message|messages}", number=again),
    )
    end = say(
        "brokers from 4.9.4 and 5.0.0 on let them go on at the end of the queue: nothing is"
        " consumed again, but new messages get the offsets between the end and the stored"
        " one, and those that come before the consumer asks are passed over"
    )
    if to_zero is None:
        known = "" if version is None else say(" beyond {version}", version=version)
        yield say("The broker's version is not known{known}; {zero}; {end}.", known=known, zero=zero, end=end)
    elif to_zero:
        yield say("This broker is {version}; {zero}.", version=version, zero=zero)
    else:
        yield say("This broker is {version}; {end}.", version=version, end=end)
    if kept and to_zero is not False:
        yield (
            say(
                "{queues} no longer or not surely begin at 0; where the first messages are deleted,"
                " all versions go on at the end.",
                queues=say("{number:count} {number:queue|queues}", number=len(kept)),
            )
        )


def steps(compared: Compared) -> tuple[str, ...]:
    """What to do before the master is started."""
    store, other = compared.store, compared.other
    has_more = other is not None and any(
        one.other_maximum is not None and one.other_maximum > one.maximum for one in compared.ahead
    )
    if other is None or not has_more:
        return (
            say(
                "Do not start this master yet. Give the slave's store too: it tells whether the"
                " missing messages still are somewhere, and copying them is the only way not to lose"
                " them."
            ),
            say(
                "Where there is no slave, stop the groups named here, start the broker, and set their"
                " offsets by time before they come back: mqadmin resetOffsetByTime -n NAMESRV:9876 -g"
                " GROUP -t TOPIC -s TIMESTAMP."
            ),
            say("Upgrade a broker before 4.9.4 first: it would send them to offset 0."),
            IDEMPOTENT,
        )
    here, there = shlex.quote(store.path.rstrip("/")), shlex.quote(other.path.rstrip("/"))
    # All files of a store are made at their full size: equal sizes say nothing, and equal seconds happen.
    kept = "--ignore-times --exclude='*.conf'"
    why_kept = say("a broker.conf inside config stays the master's")
    if _own_is_newer(compared.ahead):
        kept += " --exclude='/config/consumerOffset.json*'"
        why_kept += say(", and so does consumerOffset.json, whose offsets are newer than the slave's")
    lines = [
        say(
            "Do not start this master yet. Stop the slave in order (sh bin/mqshutdown broker) and"
            " wait until its process is gone: both must stand still while files are copied."
        ),
        say(
            "Keep what the master has, for it may hold messages that the slave has not: cp -a"
            " --sparse=always {here} {here}.before-restart (needs as much free disk again).",
            here=here,
        ),
        say(
            "Copy the slave's commit log, queues and configuration over the master's: rsync -a"
            " --sparse --delete {kept} {there}/commitlog {there}/consumequeue {there}/config"
            " {here}/ (with the folders as they are on the machines; {why_kept}).",
            kept=kept,
            there=there,
            here=here,
            why_kept=why_kept,
        ),
    ]
    if compared.pair is not None and compared.pair.diverged:
        lines.append(
            say(
                "Both stores hold different messages at the same offsets: the master has written"
                " since it lost its tail. The copy drops those messages of the master; send them"
                " again from the kept folder, or do not copy."
            )
        )
    lines += [
        say(
            "Start the master, compare mqadmin topicStatus with the offsets here, then start the"
            " slave and the consumers."
        ),
        IDEMPOTENT,
    ]
    return tuple(lines)


def stale_steps() -> tuple[str, ...]:
    """What to do about offsets that no store can have lost."""
    return (
        say(
            "Nothing has to be copied: both stores end at the same offsets. Find out whether the"
            " topic was deleted and made again, or the offsets set by hand."
        ),
        say(
            "Set the offsets of the groups before they come back: mqadmin resetOffsetByTime -n"
            " NAMESRV:9876 -g GROUP -t TOPIC -s TIMESTAMP."
        ),
    )


def _own_is_newer(ahead: tuple[Ahead, ...]) -> bool:
    """The store to be written to has the newest offsets itself."""
    pairs = [(one.own_offset, one.other_offset) for one in ahead]
    return any(own is not None and own > (other or 0) for own, other in pairs) and all(
        own is not None and own >= (other or 0) for own, other in pairs
    )
