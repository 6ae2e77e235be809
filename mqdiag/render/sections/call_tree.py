"""Where threads are: the calls of all samples together, as a flame graph and as a tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from mqdiag.facts.stacks import CallNode
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.figures.flame_graph import Flame, Hint, flame_graph
from mqdiag.render.parts import Branch, Figure, Fold, Section, Tree
from mqdiag.render.wording.words import word
from mqdiag.text import NOTHING, Text, say
from mqdiag.thread_names import grouped_names

_KINDS = {
    "socket-read": "network",
    "socket-write": "network",
    "connect": "network",
    "dns": "network",
    "monitor": "lock",
    "lock": "lock",
    "class-init": "lock",
    "log": "lock",
    "pool": "pool",
    "running": "work",
}
"""the colours of what threads do; every other wait has one colour"""
_WAIT = "wait"


def call_tree_section(report: Report, view: View) -> Iterator[Section]:
    """The picture, and the tree in words."""
    nodes = () if report.stacks is None else report.stacks.calls
    if not nodes:
        return
    caption = say(
        "Each box is a call, as wide as the samples of threads that show it. Its caller is above it, and the first"
        " row names the threads. A click on a box makes it as wide as the picture. The last box"
        " of a branch says what the threads do there. Red: network, violet: locks, brown: pools of connections,"
        " green: work, grey: other waits. Idle threads, frames that do not matter and rare calls are left out."
    )
    figure = calls_figure(nodes, _title(nodes), caption, _SAMPLES)
    yield Section(name="calls", title=say("Where the threads are"), parts=(figure,))


class Measure(NamedTuple):
    """How the width of a box is told."""

    hint: Hint
    mark: Callable[[int], Text]
    """the words behind a call"""


_SAMPLES = Measure(
    lambda flame, total: say(
        "{label}: {samples:count} of {total:count} thread samples",
        label=flame.label,
        samples=flame.samples,
        total=total,
    ),
    lambda samples: say("{samples:count}", samples=samples),
)


def calls_figure(
    nodes: Sequence[CallNode], title: Text, caption: Text, measure: Measure, *, headed: bool = False
) -> Figure:
    """Calls as a flame graph, and as a tree in words, which stands below the title if it is `headed`."""
    below: dict[int | None, list[int]] = {}
    for place, node in enumerate(nodes):
        below.setdefault(node.parent, []).append(place)
    flames = _flames(nodes, below)
    outermost = [nodes[place].threads for place in below.get(None, ())]
    of_threads = tuple(map(_of_threads, flames, outermost))
    tree = Tree([_branch(flame, None, measure) for flame in flames], wide=True)
    return Figure(
        draw=lambda write: flame_graph(write, title, of_threads, measure.hint),
        title=title if headed else NOTHING,
        caption=caption,
        words=(Fold(summary=title, mark="", parts=(tree,), wide=True) if headed else tree,),
        wide=True,
    )


def _title(nodes: Sequence[CallNode]) -> Text:
    outer = [node for node in nodes if node.parent is None]
    return say(
        "Calls of {samples:count} {samples:thread sample|thread samples}",
        samples=sum(one.samples for one in outer),
    )


def _flames(nodes: Sequence[CallNode], below: dict[int | None, list[int]]) -> tuple[Flame, ...]:
    """A node comes behind its caller, so from the last to the first what a node calls is made before it."""
    made: dict[int, Flame] = {}
    for place in range(len(nodes) - 1, -1, -1):
        node = nodes[place]
        calls = tuple(made[child] for child in below.get(place, ()))
        kind = _KINDS.get(node.doing, _WAIT)
        if node.ends:
            calls = (*calls, Flame(label=word(node.doing), samples=node.ends, kind=kind))
        made[place] = Flame(label=node.method, samples=node.samples, kind=kind, calls=calls)
    return tuple(made[place] for place in below.get(None, ()))


def _of_threads(flame: Flame, threads: tuple[str, ...]) -> Flame:
    """The calls below a box that names their threads; a saved report of an earlier version has no names."""
    if not threads:
        return flame
    return Flame(label=grouped_names(threads), samples=flame.samples, kind="threads", calls=(flame,))


def _branch(flame: Flame, samples_of_caller: int | None, measure: Measure) -> Branch:
    """With the number of its samples, unless that is the number of its caller."""
    return Branch(
        text=flame.label,
        mark=NOTHING if flame.samples == samples_of_caller else measure.mark(flame.samples),
        java=isinstance(flame.label, str),
        below=[_branch(one, flame.samples, measure) for one in flame.calls],
    )
