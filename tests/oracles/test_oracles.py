"""The twins against graphs that are small enough to see."""

from __future__ import annotations

from tests.oracles import graphs

#   0 -> 1 -> 3 -> 4,  0 -> 2 -> 3,  5 -> 4 (5 is unreachable)
DIAMOND = [[1, 2], [3], [3], [4], [], [4]]


def test_a_diamond() -> None:
    assert graphs.reachable(DIAMOND, [0]) == {0, 1, 2, 3, 4}
    assert graphs.dominators(DIAMOND, [0]) == {0: -1, 1: 0, 2: 0, 3: 0, 4: 3}
    assert graphs.retained_sizes(DIAMOND, [0], [1, 2, 4, 8, 16, 32]) == [31, 2, 4, 24, 16, 0]
    assert graphs.retained(DIAMOND, [0], {1, 2}) == {1, 2, 3, 4}
    assert graphs.class_retained(DIAMOND, [0], [1, 2, 4, 8, 16, 32], [0, 1, 1, 2, 2, 2]) == {0: 31, 1: 6, 2: 24}


def test_two_roots_share() -> None:
    assert graphs.dominators([[2], [2], []], [0, 1]) == {0: -1, 1: -1, 2: -1}
