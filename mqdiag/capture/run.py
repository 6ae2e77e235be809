"""One capture from its first step to its last."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mqdiag.capture.console import is_readable_file
from mqdiag.capture.folder import CaptureFolder, default_folder
from mqdiag.capture.guess import guess
from mqdiag.capture.heap_dump import HeapPlan, plan_heap_dump, take_heap_dump
from mqdiag.capture.jdk import Tool, ToolFailed, ask, find_tools
from mqdiag.capture.logs import copy_logs, find_logs
from mqdiag.capture.samples import Sampler, console_of
from mqdiag.capture.say import Say
from mqdiag.capture.target import Target, find_target, is_stopped, shown_command
from mqdiag.errors import InputError, MqdiagError, UsageError
from mqdiag.files import free_bytes

LEAST_FREE_BYTES = 32 << 20
"""what thread dumps need; with less free disk, nothing is begun"""
FEW_SAMPLES = 3
FEW_SECONDS = 5.0
_ASKED = ("VM.version", "VM.uptime", "VM.flags", "GC.heap_info")


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """What to take."""

    samples: int = 5
    interval_seconds: float = 3.0
    heap: bool = False
    console: Path | None = None
    folder: Path | None = None
    most_log_bytes: int = 64 << 20


@dataclass(frozen=True, kw_only=True)
class Taken:
    """What there is in the end."""

    folder: Path
    samples: int
    logs: int
    heap: Path | None


def capture(pid: int, wishes: Wishes, say: Say, agrees: Callable[[Target, HeapPlan], bool]) -> Taken:
    """Take the evidence of a process.

    Args:
        pid: which.
        wishes: what to take.
        say: who hears of each step before it is taken.
        agrees: asked before a heap dump, with what it costs.

    Raises:
        InputError: no such JVM, or no way to get a thread dump of it.
        UsageError: the folder or the console's file is not usable.
        MqdiagError: the disk is full.
    """
    target = find_target(pid)
    if wishes.console is not None and not is_readable_file(wishes.console):
        raise UsageError(f"--console-log {wishes.console}: is no file that can be read")
    tools = find_tools(target)
    if not tools and wishes.console is None:
        raise InputError(f"process {pid}", "there is no jcmd and no jstack here", hint=way_out(target))
    where = wishes.folder or default_folder(pid)
    folder = CaptureFolder(where, _facts(target, tools))
    free = free_bytes(where)
    if free < LEAST_FREE_BYTES:
        raise MqdiagError(
            f"{where}: only {free >> 20} MiB are free there, too few for thread dumps; name a folder with -o"
        )
    say(f"process {pid}: {guess(target)} of user {target.user}; everything goes into {where}")
    if wishes.samples < FEW_SAMPLES or (wishes.samples - 1) * wishes.interval_seconds < FEW_SECONDS:
        say(
            f"fewer than {FEW_SAMPLES} samples over {FEW_SECONDS:.0f} s cannot tell standstill from slow work for sure"
        )
    taken = Sampler(target, tools, wishes.console, say).take(folder, wishes.samples, wishes.interval_seconds)
    jcmd = tools.get("jcmd") if taken else None
    if jcmd is not None:
        _about(folder, target, jcmd, say)
    logs = copy_logs(folder, target, find_logs(target, jcmd), wishes.most_log_bytes, say)
    heap = _heap(folder, target, jcmd, say, agrees) if wishes.heap else None
    if not taken and is_stopped(pid):
        raise InputError(
            f"process {pid}",
            f"gave no thread dump, as it is stopped; {where} has the rest",
            hint=f"kill -CONT {pid} lets it go on",
        )
    if not taken:
        raise InputError(f"process {pid}", f"gave no thread dump; {where} has the rest", hint=way_out(target))
    folder.finish()
    return Taken(folder=where, samples=taken, logs=logs, heap=heap)


def way_out(target: Target) -> str:
    """What to do where no tool reaches the JVM from here."""
    if target.container is not None or target.own_files:
        name = target.container[:12] if target.container else "CONTAINER"
        inside = f"kill -QUIT {target.inner_pid}"
        reach = f"kubectl exec POD -- {inside}" if target.in_pod else f"docker exec {name} {inside}"
        logs = "kubectl logs POD" if target.in_pod else f"docker logs {name}"
        return (
            f"it runs in a container: {reach} writes a dump to its console, which {logs} shows; or give the console's"
            " file with --console-log"
        )
    seen = console_of(target)
    console = str(seen) if seen is not None else "FILE"
    return f"install a JDK (openjdk-17-jdk-headless), or give the JVM's console with --console-log {console}"


def _facts(target: Target, tools: dict[str, Tool]) -> dict[str, object]:
    return {
        "pid": target.pid,
        "inner_pid": target.inner_pid,
        "guess": guess(target),
        "user": target.user,
        "program": target.program,
        "command": shown_command(target.command),
        "container": target.container,
        "tools": {name: tool.path for name, tool in tools.items()},
    }


def _about(folder: CaptureFolder, target: Target, jcmd: Tool, say: Say) -> None:
    """What the JVM says of itself: version, uptime, flags, heap; all of it at no cost."""
    say(f"asking the JVM for {', '.join(_ASKED)}")
    for word in _ASKED:
        try:
            with folder.step(word, f"jcmd {target.pid} {word}") as note:
                note["answer"] = shown_command(tuple(ask(jcmd, target, word).splitlines()[1:200]))
        except ToolFailed:
            continue


def _heap(
    folder: CaptureFolder,
    target: Target,
    jcmd: Tool | None,
    say: Say,
    agrees: Callable[[Target, HeapPlan], bool],
) -> Path | None:
    try:
        if jcmd is None:
            raise ToolFailed("there is no jcmd that reaches the JVM")
        plan = plan_heap_dump(target, jcmd, folder.path)
        if not plan.fits:
            raise ToolFailed(
                f"it needs about {plan.bytes_needed >> 20:,} MiB, and {plan.free_bytes >> 20:,} MiB are free where the"
                f" JVM would write it ({plan.written_to})"
            )
        if not agrees(target, plan):
            raise ToolFailed("it was not wished for, once it was said what it costs")
        return take_heap_dump(folder, target, jcmd, plan, say)
    except ToolFailed as error:
        say(f"no heap dump: {error}")
        folder.not_done("heap dump", str(error))
        return None
