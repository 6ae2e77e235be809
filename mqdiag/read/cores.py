"""Threads for machine code that releases the GIL, for dumps that are large enough to be worth them.

A thread takes a millisecond to begin, and each call of machine code beside another thread hands the GIL over and waits
to get it back: small dumps are read faster without (docs/performance.md).
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Any, Generic, Protocol, Self, TypeVar

LEAST_BYTES = 64 << 20
"""size of a dump that is worth threads"""
LEAST_OBJECTS = 1 << 19
"""objects of a graph that is worth them"""
_MOST = 8

_T = TypeVar("_T")
_Given = TypeVar("_Given")
_Result = TypeVar("_Result", covariant=True)


class Pending(Protocol[_Result]):
    """What a pool was asked to do."""

    def result(self) -> _Result:
        """Wait for it. It raises what the work raised."""


class Pool(Protocol):
    """As much of `concurrent.futures.Executor` as is used here."""

    def submit(self, work: Callable[..., _T], /, *given: Any) -> Pending[_T]:
        """Begin some work."""

    def map(self, work: Callable[..., _T], /, *given: Iterable[Any]) -> Iterator[_T]:
        """The results of the same work on each of many, in order; they have to be taken, or some may not be done."""

    def shutdown(self, *, cancel_futures: bool = False) -> None:
        """Wait for what has begun."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> bool | None: ...


def worker_count() -> int:
    """Threads for kernels that release the GIL: the cores this process may use, at most 8."""
    return min(len(os.sched_getaffinity(0)), _MOST)


def pool(threads: int, *, is_large: bool) -> Pool:
    """So many threads for large work, and none for small.

    Args:
        threads: at least one.
        is_large: whether there are `LEAST_BYTES` of a dump, or `LEAST_OBJECTS` of a graph.
    """
    if not is_large:
        return _InTurn()
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(threads)


def in_order(threads: Pool, work: Callable[[_Given], _T], given: Iterable[_Given], ahead: int) -> Iterator[_T]:
    """The results of the same work on each of many, in order, with only a few ahead of the one that is taken.

    Args:
        threads: that do it.
        work: asked of each.
        given: taken one by one, as there is room; it need not end where nobody takes all results.
        ahead: results that may be there, or under way, while one is looked at.
    """
    waiting: deque[Pending[_T]] = deque()
    for each in given:
        waiting.append(threads.submit(work, each))
        if len(waiting) > ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


class _Done(Generic[_T]):
    def __init__(self, found: _T) -> None:
        self._found = found

    def result(self) -> _T:
        return self._found


class _InTurn:
    """Does everything itself: submitted work at once, and the parts of a map as their results are taken."""

    def submit(self, work: Callable[..., _T], /, *given: Any) -> _Done[_T]:
        return _Done(work(*given))

    def map(self, work: Callable[..., _T], /, *given: Iterable[Any]) -> Iterator[_T]:
        return map(work, *given)

    def shutdown(self, *, cancel_futures: bool = False) -> None:
        pass

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> bool | None:
        return None
