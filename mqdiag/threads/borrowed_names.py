"""A thread of an application that has the name of a consume thread: a name alone accuses nobody."""

from __future__ import annotations

from collections.abc import Iterable

from mqdiag.threads.listener_frames import runs_something_else
from mqdiag.threads.stack_meaning import StackMeaning


def only_named_worker(shown: Iterable[StackMeaning]) -> bool:
    """Whether stacks of a thread that are whole show other work, and none of all shows a message.

    Args:
        shown: stacks of one thread; one that is cut denies no name.
    """
    works = []
    for meaning in shown:
        if meaning.run_index >= 0:
            return False
        if meaning.whole and not meaning.idle and not meaning.stack.omitted_frames:
            works.append(meaning.methods)
    return bool(works) and all(map(runs_something_else, works))
