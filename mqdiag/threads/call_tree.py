"""The call tree of all thread samples: where threads are, and what they do there.

Idle threads are left out. Of each stack only the frames count that matter (`cut_frames`), so that the tree shows
which call of the application ends in which wait, and not the inside of libraries.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable

import msgspec

from mqdiag.facts.stacks import CallNode
from mqdiag.facts.vocabulary import Doing
from mqdiag.threads.shown_frames import cut_frames
from mqdiag.threads.stack_meaning import StackMeaning
from mqdiag.threads.tracks import Track

MOST_NODES = 300
"""more boxes are too narrow to see; the rarest calls are left out"""


MOST_THREADS = 100
"""names that an outermost method has"""


class Calls(msgspec.Struct, gc=False):
    """The outermost methods of one stack first, how much there is of it, and of which threads."""

    methods: tuple[str, ...]
    doing: Doing
    samples: int
    """samples that show it, or milliseconds that threads spent there"""
    threads: set[str]


def call_tree(tracks: Iterable[Track]) -> tuple[CallNode, ...]:
    """The calls of all samples."""
    seen: Counter[StackMeaning] = Counter()
    threads: dict[StackMeaning, set[str]] = defaultdict(set)
    for track in tracks:
        for meaning in track.meanings:
            if meaning is not None and not meaning.idle:
                seen[meaning] += 1
                threads[meaning].add(track.name)
    return tree_of(
        calls_of(meaning, meaning.doing, samples, threads[meaning]) for meaning, samples in seen.items()
    )


def tree_of(calls: Iterable[Calls]) -> tuple[CallNode, ...]:
    """The nodes, each behind its caller; those with most samples are kept where there are too many.

    Each stack is cut to a few frames, so the work is bounded by the number of different stacks.
    """
    nodes: list[CallNode] = []
    waiting: list[tuple[int, int, str, int, int | None, list[Calls]]] = []

    def branch(parent: int | None, depth: int, inside: list[Calls]) -> None:
        by_method: dict[str, list[Calls]] = defaultdict(list)
        for one in inside:
            if depth < len(one.methods):
                by_method[one.methods[depth]].append(one)
        for method, same in by_method.items():
            samples = sum(one.samples for one in same)
            # The number of the parent makes each entry different, so that no two lists are compared.
            heapq.heappush(waiting, (-samples, -1 if parent is None else parent, method, depth, parent, same))

    branch(None, 0, list(calls))
    while waiting and len(nodes) < MOST_NODES:
        negative, _, method, depth, parent, same = heapq.heappop(waiting)
        ending = [one for one in same if len(one.methods) == depth + 1]
        nodes.append(
            CallNode(
                method=method,
                parent=parent,
                samples=-negative,
                ends=sum(one.samples for one in ending),
                doing=_does_most(ending or same),
                threads=_names(same) if parent is None else (),
            )
        )
        branch(len(nodes) - 1, depth + 1, same)
    return tuple(nodes)


def _names(calls: Iterable[Calls]) -> tuple[str, ...]:
    return tuple(sorted(set().union(*(one.threads for one in calls)))[:MOST_THREADS])


def calls_of(meaning: StackMeaning, doing: Doing, samples: int, threads: set[str]) -> Calls:
    """The calls of a stack."""
    shown, _ = cut_frames(meaning)
    methods = [frame.partition("(")[0] for frame in reversed(shown) if not frame.startswith("…")]
    return Calls(tuple(methods), doing, samples, threads)


def _does_most(calls: list[Calls]) -> Doing:
    """What most samples do; of equally many the first by name."""
    by_doing: Counter[Doing] = Counter()
    for one in calls:
        by_doing[one.doing] += one.samples
    return min(by_doing, key=lambda doing: (-by_doing[doing], doing))
