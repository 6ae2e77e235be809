"""Event loops that do something else than look for events: one blocked loop stops all connections that it serves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from mqdiag.facts.stacks import BlockedLoop
from mqdiag.threads.doing import REMOTE_WAITS
from mqdiag.threads.judgement import Judgement
from mqdiag.threads.rests import ANSWERS
from mqdiag.threads.series import Series
from mqdiag.threads.stack_meaning import StackMeaning
from mqdiag.threads.tracks import Track
from mqdiag.threads.wait_table import known_frames

_LOOPS = (
    "io.netty.channel.nio.NioEventLoop.run",
    "io.netty.channel.epoll.EpollEventLoop.run",
    "io.netty.channel.kqueue.KQueueEventLoop.run",
    "io.netty.channel.SingleThreadIoEventLoop.run",
    "io.netty.channel.oio.OioEventLoop.run",
    "org.xnio.nio.WorkerThread.run",
    "io.vertx.core.impl.EventLoopContext",
    "reactor.netty.resources.",
    "org.apache.mina.core.polling.AbstractPollingIoProcessor$Processor.run",
    "org.glassfish.grizzly.nio.SelectorRunner.run",
)
_WAITS = (
    REMOTE_WAITS
    | ANSWERS
    | {"sleep", "monitor", "lock", "log", "queue", "join", "process", "pool", "file-sync"}
)
"""what never ends soon for sure"""


def blocked_loops(judgements: Sequence[Judgement], series: Series) -> tuple[BlockedLoop, ...]:
    """Loops that wait in the same place in the last samples, the longest first; one sample is enough to show one."""
    are_loops: dict[int, bool] = {}
    loops = [
        one
        for one in judgements
        if not one.track.ended and (_is_loop(one.track.last_meaning, are_loops) or _is_loop_by_name(one.track))
    ]
    sizes = Counter(one.track.pool for one in loops)
    found = []
    for judgement in loops:
        track = judgement.track
        if not _blocks(track.last_meaning):
            continue
        run = 0
        for index in reversed(track.judged):
            meaning = track.meanings[index]
            if meaning is None or not _blocks(meaning) or meaning.work != track.last_meaning.work:
                break
            run += 1
        begin = series.moments[track.judged[-run]].seconds
        end = series.moments[track.judged[-1]].seconds
        meaning = track.last_meaning
        found.append(
            BlockedLoop(
                thread=track.name,
                role=track.role,
                pool=track.pool,
                pool_size=sizes[track.pool],
                frame=meaning.telling_frame,
                top=meaning.top,
                doing=meaning.doing,
                library=meaning.library.name if meaning.library is not None else None,
                samples=run,
                seconds=None if begin is None or end is None else round(end - begin, 3),
                state=judgement.state,
            )
        )
    return tuple(sorted(found, key=lambda one: (-one.samples, one.thread)))


def _is_loop_by_name(track: Track) -> bool:
    """Whether a thread without its first frames has the name that a library gives to its event loops."""
    name = track.name.lower()
    return track.lacks_frames and any(part in name for part in known_frames().loop_names)


def _is_loop(meaning: StackMeaning, known: dict[int, bool]) -> bool:
    """Whether a stack is of an event loop; `known` has what was asked before, by the id of its meaning."""
    found = known.get(id(meaning))
    if found is None:
        found = known[id(meaning)] = any(method.startswith(_LOOPS) for method in meaning.methods)
    return found


def _blocks(meaning: StackMeaning) -> bool:
    """Whether a loop waits for something else than events."""
    return not meaning.idle and meaning.doing in _WAITS
