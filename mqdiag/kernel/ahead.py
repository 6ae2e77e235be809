"""Compiles the kernels of a command before its work begins, in several processes at once.

One process compiles for 15 to 30 seconds, one kernel after the other, as each is called for the first time. `tasks.tsv`
lists which kernels each command calls, with which types, so that they can be shared out among processes before that.
A kernel that the list lacks is compiled at its first call. `python -m tests.kernel.called` writes the list.
"""

from __future__ import annotations

import json
import queue
import threading
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mqdiag.kernel import folder
from mqdiag.kernel.folder import Task
from mqdiag.progress import Progress
from mqdiag.text import say

if TYPE_CHECKING:
    import subprocess

LIST = Path(__file__).with_name("tasks.tsv")
MOST_PROCESSES = 4
"""each takes 200 MB; more would leave nothing to do for the last, as one kernel takes a fourth of the time"""


class Listed(NamedTuple):
    """One kernel of the list."""

    tasks: frozenset[str]
    kernel: str
    """module and function"""
    types: tuple[str, ...]
    """types of its arguments, as `definition.spelled` writes them"""


@cache
def listed() -> tuple[Listed, ...]:
    """All kernels of the list, those first that take longest to compile."""
    rows = (line.split("\t") for line in LIST.read_text().splitlines())
    return tuple(Listed(frozenset(tasks.split(" ")), kernel, tuple(types)) for tasks, kernel, *types in rows)


def compile_ahead(progress: Progress, *tasks: Task) -> None:
    """Compile what is not kept yet of the kernels that these tasks call.

    Of several processes that start together, one compiles and the others wait for it. A kernel that cannot be
    compiled here is left to its first call, which says why.
    """
    if not folder.needs_warming(tasks):
        return
    progress.note(say("compiling kernels, only at the first use of this command"))
    with folder.locked("lock"):
        if folder.is_ready(tasks):
            return
        wanted = [one for one in listed() if not one.tasks.isdisjoint(tasks)]
        if _compile(wanted):
            folder.mark_ready(tasks)


def _compile(wanted: list[Listed]) -> bool:
    """Share the kernels out, each to the first process that is free; whether all of them are kept now."""
    from mqdiag.workers import started, usable_processors

    ahead: queue.SimpleQueue[Listed] = queue.SimpleQueue()
    for one in wanted:
        ahead.put(one)
    count = min(MOST_PROCESSES, usable_processors(), len(wanted))
    workers: list[subprocess.Popen[bytes]] = []
    threads: list[threading.Thread] = []
    kept: list[str] = []
    try:
        for _ in range(count):
            try:
                workers.append(started("mqdiag.kernel.worker"))
            except OSError:
                break  # this user may start no process, or has no memory for it: the rest is compiled when called
            threads.append(threading.Thread(target=_feed, args=(workers[-1], ahead, kept)))
            threads[-1].start()
        for thread in threads:
            thread.join()
    finally:
        for worker in workers:
            worker.kill()
            worker.communicate()
    return len(kept) == len(wanted)


def _feed(worker: subprocess.Popen[bytes], ahead: queue.SimpleQueue[Listed], kept: list[str]) -> None:
    """Give a worker one kernel after the other, until none is left or the worker has ended."""
    assert worker.stdin is not None
    assert worker.stdout is not None
    try:
        while True:
            one = ahead.get_nowait()
            worker.stdin.write(json.dumps([one.kernel, one.types]).encode() + b"\n")
            worker.stdin.flush()
            answer = worker.stdout.readline()
            if not answer:
                return
            if json.loads(answer):
                kept.append(one.kernel)
    except (queue.Empty, OSError):
        return
