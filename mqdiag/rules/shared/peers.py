"""Whom threads wait for, by name, where a heap dump of the same process tells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mqdiag.facts import HeapFacts
from mqdiag.facts.heap_threads import HeapThread, Peer
from mqdiag.findings import EvidenceValue
from mqdiag.knowledge.words import Words
from mqdiag.text import Text, Value

WORDS = Words("peers")
MOST_TOLD = 5
Peers = Sequence[tuple[Peer, int]]
"""other sides with how many threads wait for each, the most frequent first"""


def peers_of(heap: HeapFacts | None, names: Iterable[str]) -> Peers:
    """The peers of some threads of the process; a name that two threads have tells of neither."""
    by_name: dict[str, HeapThread | None] = {}
    for thread in () if heap is None else heap.threads:
        by_name[thread.name] = None if thread.name in by_name else thread
    found = (by_name.get(name) for name in dict.fromkeys(names))
    return counted(thread for thread in found if thread is not None)


def counted(threads: Iterable[HeapThread]) -> Peers:
    """The peers of these threads."""
    found: dict[tuple[str | None, str], list[Peer]] = {}
    for thread in threads:
        if (peer := thread.peer) is not None:
            found.setdefault((peer.method, peer.url), []).append(peer)
    return sorted(((same[0], len(same)) for same in found.values()), key=lambda one: -one[1])


def evidence(found: Peers) -> dict[str, EvidenceValue]:
    """The keys that tell the first of them, and how many threads wait for each."""
    if not found:
        return {}
    first = found[0][0]
    values: dict[str, EvidenceValue] = {
        "peer": first.url,
        "peer_timeout_ms": first.timeout_ms,
        "peer_source": first.source,
        "peers": tuple(peer.url for peer, _ in found[:MOST_TOLD]),
        "peer_threads": tuple(count for _, count in found[:MOST_TOLD]),
    }
    return {name: value for name, value in values.items() if value is not None}


def lines(found: Peers) -> tuple[Text, ...]:
    """One sentence for each of the first ones."""
    return tuple(_line(peer, count) for peer, count in found[:MOST_TOLD])


def _line(peer: Peer, count: int) -> Text:
    name = "plain" if peer.timeout_ms is None else "timeout" if peer.timeout_ms else "no_timeout"
    address = Text("{url}", {"url": peer.url})
    if peer.method is not None:
        address = Text("{method} {url}", {"method": peer.method, "url": peer.url})
    # A saved report has the values of placeholders alone.
    values: dict[str, Value] = {"timeout_ms": peer.timeout_ms} if name == "timeout" else {}
    source = peer.source.rpartition(".")[2]
    return WORDS.say(name, peer_threads=count, peer_address=address, peer_source=source, **values)
