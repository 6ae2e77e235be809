"""Plain twins of the graph's algorithms: short, slow, and written from the definitions alone.

A graph is a list of successors for each node; `roots` are the nodes that the collector starts from.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

Graph = list[list[int]]


def reachable(graph: Graph, roots: Iterable[int], without: Collection[int] = ()) -> set[int]:
    """Nodes that the roots reach when some nodes are taken away."""
    seen: set[int] = set()
    waiting = [node for node in roots if node not in without]
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            waiting += [after for after in graph[node] if after not in without]
    return seen


def retained(graph: Graph, roots: Collection[int], gone: Collection[int]) -> set[int]:
    """What dies when some nodes go: they, and all that is reachable only through them."""
    return reachable(graph, roots) - reachable(graph, roots, gone)


def dominators(graph: Graph, roots: Collection[int]) -> dict[int, int]:
    """Immediate dominator of each reachable node, -1 for the virtual root: found by removing each node in turn."""
    alive = reachable(graph, roots)
    dies_with = {node: retained(graph, roots, {node}) for node in alive}
    found = {}
    for node in alive:
        above = [other for other in alive if other != node and node in dies_with[other]]
        # Dominators of one node form a chain: the lowest dies with all the others, so its own set is the smallest.
        found[node] = min(above, key=lambda other: len(dies_with[other]), default=-1)
    return found


def retained_sizes(graph: Graph, roots: Collection[int], sizes: list[int]) -> list[int]:
    """Bytes that go with each node; 0 for the unreachable."""
    alive = reachable(graph, roots)
    return [
        sum(sizes[other] for other in retained(graph, roots, {node})) if node in alive else 0
        for node in range(len(graph))
    ]


def class_retained(
    graph: Graph, roots: Collection[int], sizes: list[int], classes: list[int]
) -> dict[int, int]:
    """Per class, the retained sizes of its instances that no other instance of it dominates."""
    above, each = dominators(graph, roots), retained_sizes(graph, roots, sizes)
    sums: dict[int, int] = {}
    for node in above:
        at = above[node]
        while at != -1 and classes[at] != classes[node]:
            at = above[at]
        if at == -1:
            sums[classes[node]] = sums.get(classes[node], 0) + each[node]
    return sums
