"""A JVM that has begun to end: who asked for it, and which shutdown hooks it waits for.

Source: java.lang.Shutdown, ApplicationShutdownHooks and Terminator of JDK 8 to 25.
"""

from __future__ import annotations

from mqdiag.facts.shutdown import Shutdown, ShutdownHook
from mqdiag.facts.vocabulary import ShutdownBegan
from mqdiag.read.stacks.records import WAITING_ON
from mqdiag.threads import roles
from mqdiag.threads.judgement import World
from mqdiag.threads.series import Series
from mqdiag.threads.stack_meaning import StackMeaning
from mqdiag.threads.total_standstill import left_alone
from mqdiag.threads.tracks import Track

HANDLER = "java.lang.Terminator$1.handle"
_HANDLERS = ("SIGTERM handler", "SIGINT handler", "SIGHUP handler")
_SIGNALS = ("jdk.internal.misc.Signal", "sun.misc.Signal", "java.lang.Terminator")
"""beginnings of the methods by which a handler's thread begins; an application may call a thread so too"""
EXIT = "java.lang.Runtime.exit"
_ENDS = "java.lang.Shutdown."
"""beginning of the methods that run one end at a time: who is blocked in one waits for an end that is under way"""
_DESTROY = "DestroyJavaVM"
_AWAITS = "java.util.concurrent.ThreadPoolExecutor.awaitTermination"
_CLIENT = ("org.apache.rocketmq.client.", "com.alibaba.rocketmq.client.")
_HOOK = "hook"
_HOOK_NAMES = ("shutdown", _HOOK)
_AGE_TOLERANCE_S = 0.25
"""the JVM starts all hooks when the handler's thread begins; on JDK 17 their ages differ by less than 10 ms"""
MOST_NAMED = 20


def shutdown_of(world: World) -> Shutdown | None:
    """What the last samples show; None while nothing has asked the JVM to end, or the samples are of several JVMs."""
    series = world.series
    if series.jvms > 1:
        return None
    living = [judgement.track for judgement in world.judgements if not judgement.track.ended]
    runner = (
        next((track for track in living if track.last_meaning.runs_hooks), None)
        or next((track for track in living if _handles_signal(track)), None)
        or next((track for track in living if _HOOK in track.name.lower() and _waits_for_end(track)), None)
    )
    if runner is None:
        return None
    begun_by = _begun_by(runner)
    hooks = [
        track
        for track in living
        if (_waits_for_end(track) and _is_hook_by_name(track))
        or (track is not runner and _is_hook(track, runner, begun_by))
    ]
    busy = [
        track for track in living if track.is_worker and track is not runner and track.last_meaning.in_listener
    ]
    groups = {track.group for track in (runner, *busy) if track.is_worker}
    samples, seconds = _lasted(runner, series)
    age = runner.last.elapsed_s if begun_by == "signal" else None
    runs_hooks = runner.last_meaning.runs_hooks
    return Shutdown(
        begun_by=begun_by,
        thread=runner.name,
        frame=runner.last_meaning.own_frame if begun_by == "exit" or not runs_hooks else None,
        runs_hooks=runs_hooks,
        asked_again=any(_handles_signal(track) and _waits_for_end(track) for track in living),
        in_listener=runner.last_meaning.in_listener,
        samples=samples,
        seconds=seconds if age is None else age,
        hooks=tuple(_hook(track, runner, world) for track in hooks[:MOST_NAMED]),
        listeners=tuple(track.name for track in busy[:MOST_NAMED]),
        listener_frame=busy[0].last_meaning.own_frame if busy else None,
        group=groups.pop() if len(groups) == 1 else None,
    )


def _begun_by(runner: Track) -> ShutdownBegan:
    if HANDLER in runner.last_meaning.methods or _handles_signal(runner):
        return "signal"
    return "last-thread" if runner.name == _DESTROY else "exit"


def _handles_signal(track: Track) -> bool:
    """Whether the JVM made it to run the handler of a signal that asks for the end; a handler of an application too."""
    meaning = track.last_meaning
    return (
        track.name in _HANDLERS
        and bool(track.last.stack.frames)
        and (not meaning.whole or any(method.startswith(_SIGNALS) for method in meaning.methods))
    )


def _waits_for_end(track: Track) -> bool:
    """Whether it asked the JVM to end and waits until another thread's end of it is done."""
    meaning = track.last_meaning
    return meaning.doing == "monitor" and bool(meaning.methods) and meaning.methods[0].startswith(_ENDS)


def _lasted(runner: Track, series: Series) -> tuple[int, float | None]:
    """(the last samples in a row that show it, the seconds between the first and the last of them)."""
    signal = _handles_signal(runner)
    shown = [meaning is not None and (signal or meaning.runs_hooks) for meaning in runner.meanings]
    first = len(shown)
    while first > 0 and shown[first - 1]:
        first -= 1
    begin = series.moments[first].seconds if first < len(shown) else None
    end = series.moments[-1].seconds
    samples = len(shown) - first
    return samples, None if samples < 2 or begin is None or end is None else round(end - begin, 3)


def _may_be_hook(track: Track) -> bool:
    meaning = track.last_meaning
    if track.role not in (roles.OTHER, roles.POOL) or not track.last.stack.frames:
        return False
    return not meaning.in_pool_task and not meaning.idle


def _is_hook_by_name(track: Track) -> bool:
    return _may_be_hook(track) and any(word in track.name.lower() for word in _HOOK_NAMES)


def _is_hook(track: Track, runner: Track, begun_by: ShutdownBegan) -> bool:
    if not _may_be_hook(track):
        return False
    meaning = track.last_meaning
    if _is_hook_by_name(track) or _shuts_client_down(meaning) is not None:
        return True
    if meaning.methods[-1] in _joined(runner):
        return True
    age, begun = track.last.elapsed_s, runner.last.elapsed_s
    return (
        begun_by == "signal" and age is not None and begun is not None and abs(age - begun) <= _AGE_TOLERANCE_S
    )


def _joined(runner: Track) -> set[str]:
    """The methods that threads began with for whose end the runner waits: a thread is the lock of its own join."""
    locks = runner.last.stack.locks
    classes = {lock.class_name for lock in locks if lock.kind == WAITING_ON}
    return {f"{name}.run" for name in classes if name and name != "java.lang.Thread"}


def _shuts_client_down(meaning: StackMeaning) -> str | None:
    """The frame in a client of RocketMQ that waits until it has shut down."""
    for method, frame in zip(meaning.methods, meaning.stack.frames, strict=True):
        if method.startswith(_CLIENT) and method.endswith(".shutdown"):
            return frame
    return None


def _hook(track: Track, runner: Track, world: World) -> ShutdownHook:
    meaning = track.last_meaning
    in_client = _shuts_client_down(meaning)
    return ShutdownHook(
        thread=track.name,
        frame=meaning.own_frame or in_client or meaning.telling_frame,
        top=meaning.top,
        doing=meaning.doing,
        waits_for_listeners=in_client is not None and _AWAITS in meaning.methods,
        exits=EXIT in meaning.methods,
        without_limit=track.last.stack.state in ("WAITING", "BLOCKED"),
        waits_for=_last_owner(track, world) or (runner.name if _awaits_pool_of(track, runner, world) else None),
        left_alone=track in world.once(left_alone),
    )


def _awaits_pool_of(hook: Track, runner: Track, world: World) -> bool:
    """Whether it waits until a pool has ended whose one task called System.exit.

    A pool that was shut down has no threads but those that still run a task.
    """
    if _AWAITS not in hook.last_meaning.methods or not runner.last_meaning.in_pool_task:
        return False
    return not any(
        one.track.last_meaning.in_pool_task and one.track is not runner and not one.track.ended
        for one in world.judgements
    )


def _last_owner(track: Track, world: World) -> str | None:
    """The last thread of the chain of locks that it waits for; in a cycle, the last one that is met."""
    here, seen = track, {track}
    while (wait := world.last_wait(here)) is not None and wait.owner is not None and wait.owner not in seen:
        here = wait.owner
        seen.add(here)
    return here.name if here is not track else None
