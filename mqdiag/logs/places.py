"""Which logs lie together as one broker's: by folder, by what their names add, and by what cannot be one broker.

RocketMQ gives each broker a folder and moves rotated logs to `otherdays` below it. Logs that were collected into one
folder carry the host or the broker in their names. A broker writes one PAGECACHERT line a minute, so two such logs of
overlapping times are two brokers'; two logs of overlapping times in which brokers register are two name servers'.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.reader import ReadLog

OVERLAP_MS = 120_000
"""two minutes: a rotated log ends where the next one begins"""
_ROTATED_INTO = "otherdays"
_ADDRESS = lazy_pattern(r"\d{1,3}(?:\.\d{1,3}){3}")
_DATE = lazy_pattern(r"\d{4}-?\d\d-?\d\d(?:[T_-]?\d\d[-:.]?\d\d(?:[-:.]?\d\d)?)?")
_PACKED = lazy_pattern(r"(?:\.(?:gz|bz2|xz|zip|zst))+$")
_ROTATION = lazy_pattern(r"[._-]\d{1,6}(?=\.(?:log|txt|out)$)|(?<=\.log)[._-]\d{1,6}$|(?<=\.out)[._-]\d{1,6}$")
_OWN_WORDS = lazy_pattern(
    r"rocketmq|proxy_metric|proxy|controller|dledger|jraft|broker_default|broker_traffic|broker|store_?error|store"
    r"|watermark|remoting|stats|transaction|protection|commercial|filter|lock|auth|coldctr|pop|gc|log|txt|out"
)
_EDGES = " ._-"


def place_of(path: str, *, whole: bool = False) -> str:
    """The folder of a log, with what its name says besides the kind of log.

    Args:
        path: of the log; members of archives stand behind a "!".
        whole: keep numbers that look like those of rotation.
    """
    folder, _, name = path.replace("!", "/").rpartition("/")
    head, _, last = folder.rpartition("/")
    if last == _ROTATED_INTO:
        folder = head
    added = _added(name.lower(), whole=whole)
    return f"{folder}/{added}" if added else folder


def _added(name: str, *, whole: bool) -> str:
    """What of a file name is neither RocketMQ's own word nor a date or number of rotation."""
    name = _PACKED.sub("", name)
    address = _ADDRESS.search(name)
    if address is not None:
        return address[0]
    if not whole:
        name = _ROTATION.sub("", _DATE.sub("", name))
    words = [word.strip(_EDGES) for word in _OWN_WORDS.split(name)]
    return "-".join(word for word in words if word)


def places_of(logs: Sequence[ReadLog]) -> list[str]:
    """A place for each log; logs of one place are of one broker or name server, unless they are neither's."""
    places = [place_of(log.path) for log in logs]
    for place in set(places):
        own = [number for number, its in enumerate(places) if its == place]
        if _are_several([logs[number] for number in own]):
            for number in own:
                places[number] = place_of(logs[number].path, whole=True)
    return places


def _are_several(logs: Sequence[ReadLog]) -> bool:
    """Whether they cannot be of one broker or name server."""
    names = {log.tally.started_as for log in logs if log.tally.started_as is not None}
    if len(names) > 1:
        return True
    return any(
        before[1] - after[0] > OVERLAP_MS
        for found in (
            [log.tally.latency.span for log in logs],
            [log.tally.span for log in logs if log.tally.known_brokers],
        )
        for before, after in itertools.pairwise(
            sorted(
                (span.first, span.last) for span in found if span.first is not None and span.last is not None
            )
        )
    )
