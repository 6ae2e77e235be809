"""One capture from its first step to its last."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mqdiag.capture.console import is_readable_file
from mqdiag.capture.folder import CaptureFolder, Tell, default_folder
from mqdiag.capture.guess import guess, thread_names
from mqdiag.capture.heap_dump import HeapPlan, plan_heap_dump, take_heap_dump
from mqdiag.capture.jdk import Tool, ToolFailed, ask, find_tools
from mqdiag.capture.logs import copy_logs, find_logs
from mqdiag.capture.recording import RecordingPlan, take_recording
from mqdiag.capture.resources import resources
from mqdiag.capture.samples import Sampler, console_of
from mqdiag.capture.sockets import FILE, sockets_of
from mqdiag.capture.target import Target, TargetError, find_target, is_stopped, shown_command
from mqdiag.capture.watch import OnThisHost, condition
from mqdiag.errors import OutputError, UsageError
from mqdiag.files import free_bytes
from mqdiag.language import english
from mqdiag.text import Text, say

LEAST_FREE_BYTES = 32 << 20
"""what thread dumps need; with less free disk, nothing is begun"""
FEW_SAMPLES = 3
FEW_SECONDS = 5.0
ASKED = ("VM.version", "VM.uptime", "VM.flags", "GC.heap_info")


Agrees = Callable[[int, HeapPlan], bool]
"""asked before a heap dump of a process, with its cost"""


@dataclass(frozen=True, kw_only=True)
class CaptureOptions:
    """What to take."""

    samples: int = 5
    interval_seconds: float = 3.0
    recording: RecordingPlan | None = None
    heap: bool = False
    console: Path | None = None
    folder: Path | None = None
    most_log_bytes: int = 64 << 20
    watch: tuple[str, ...] = ()
    """conditions that end the taking of samples, see `watch.condition`; none: they are taken at once"""
    until_deadlock: bool = False
    """end with the first thread dump in which the JVM found a deadlock"""


@dataclass(frozen=True, kw_only=True)
class CaptureResult:
    """What was taken."""

    folder: Path
    samples: int
    logs: int
    recording: Path | None
    heap: Path | None


def capture(pid: int, options: CaptureOptions, tell: Tell, agrees: Agrees) -> CaptureResult:
    """Take the evidence of a process.

    Args:
        pid: which.
        options: what to take.
        tell: hears of each step before it is taken.
        agrees: see `Agrees`.

    Raises:
        TargetError: no such JVM, or no way to get a thread dump of it.
        UsageError: the folder or the console's file is not usable.
        OutputError: the disk is full.
    """
    target = find_target(pid)
    if options.console is not None and not is_readable_file(options.console):
        raise UsageError(say("--console-log {path}: is not a readable file", path=str(options.console)))
    tools = find_tools(target)
    if not tools and options.console is None:
        raise TargetError(pid, say("there is no jcmd and no jstack here"), hint=way_out(target))
    watched = OnThisHost(target, tools.get("jcmd"))
    conditions = [condition(text, watched) for text in options.watch]
    where = options.folder or default_folder(pid)
    folder = CaptureFolder(where, _facts(target, tools))
    check_space(where)
    tell(
        say(
            "process {pid}: {guess} of user {user}; everything goes into {path}",
            pid=pid,
            guess=guess(target.command, thread_names(target.pid)),
            user=target.user,
            path=str(where),
        )
    )
    tell_if_few(options, tell)
    sampler = Sampler(target, tools, options.console, tell)
    _resources(folder, target, 1)
    if conditions:
        taken = sampler.watch(folder, options.samples, options.interval_seconds, conditions)
    else:
        taken = sampler.take(
            folder, options.samples, options.interval_seconds, until_deadlock=options.until_deadlock
        )
    with folder.step("connections") as note, folder.new_file(FILE) as file:
        note["file"] = FILE
        file.write(sockets_of(target))
    jcmd = tools.get("jcmd") if taken else None
    heap_info = _about(folder, target, jcmd, tell) if jcmd is not None else ""
    _resources(folder, target, 2, heap_info)
    logs = copy_logs(folder, target, find_logs(target, jcmd), options.most_log_bytes, tell)
    recording = None
    if options.recording is not None:
        recording = _recording(folder, target, jcmd, options.recording, tell)
    heap = _heap(folder, target, jcmd, tell, agrees) if options.heap else None
    if not taken:
        raise _without_samples(target, where)
    folder.finish()
    return CaptureResult(folder=where, samples=taken, logs=logs, recording=recording, heap=heap)


def _without_samples(target: Target, where: Path) -> TargetError:
    if is_stopped(target.pid):
        return TargetError(
            target.pid,
            say("it gave no thread dump, as it is stopped; {path} has the rest", path=str(where)),
            hint=say("kill -CONT {pid} lets it go on", pid=target.pid),
        )
    problem = say("it gave no thread dump; {path} has the rest", path=str(where))
    return TargetError(target.pid, problem, hint=way_out(target))


def check_space(folder: Path) -> None:
    """Refuse a disk that has no room for thread dumps.

    Raises:
        OutputError: it has not.
    """
    free = free_bytes(folder)
    if free < LEAST_FREE_BYTES:
        raise OutputError(
            say(
                "{path}: only {free_bytes:bytes} are free there, too few for thread dumps; name a folder with -o",
                path=str(folder),
                free_bytes=free,
            )
        )


def tell_if_few(options: CaptureOptions, tell: Tell) -> None:
    """Say that so few samples, or so short a series, will not tell much."""
    if options.samples < FEW_SAMPLES or (options.samples - 1) * options.interval_seconds < FEW_SECONDS:
        tell(
            say(
                "fewer than {samples} samples over {duration_s:seconds} cannot tell a stuck thread from a slow one",
                samples=FEW_SAMPLES,
                duration_s=FEW_SECONDS,
            )
        )


def way_out(target: Target) -> Text:
    """What to do if no tool on this host reaches the JVM."""
    if target.container is not None or target.own_files:
        name = target.container[:12] if target.container else "CONTAINER"
        inside = f"kill -QUIT {target.inner_pid}"
        reach = f"kubectl exec POD -- {inside}" if target.in_pod else f"docker exec {name} {inside}"
        logs = "kubectl logs POD" if target.in_pod else f"docker logs {name}"
        return say(
            "it runs in a container: {command} writes a dump to its console, which {logs} shows; or give the file of"
            " the console with --console-log",
            command=reach,
            logs=logs,
        )
    seen = console_of(target)
    console = str(seen) if seen is not None else "FILE"
    return say(
        "install a JDK (openjdk-17-jdk-headless), or give the JVM's console with --console-log {path}",
        path=console,
    )


def _facts(target: Target, tools: dict[str, Tool]) -> dict[str, object]:
    return {
        "pid": target.pid,
        "inner_pid": target.inner_pid,
        "guess": english()(guess(target.command, thread_names(target.pid))),
        "user": target.user,
        "program": target.program,
        "command": shown_command(target.command),
        "container": target.container,
        "tools": {name: tool.path for name, tool in tools.items()},
    }


def _resources(folder: CaptureFolder, target: Target, number: int, heap_info: str = "") -> None:
    """What the kernel says of its processors and memory; between two readings lie the thread dumps."""
    name = f"resources/{number:02d}.txt"
    with folder.step("resources", "read the control groups and the status of the process") as note:
        note["file"] = name
        with folder.new_file(name) as file:
            file.write(resources(target.pid, heap_info))


def _about(folder: CaptureFolder, target: Target, jcmd: Tool, tell: Tell) -> str:
    """What the JVM knows of itself at no cost: version, uptime, flags, heap; returns the last."""
    answer = ""
    tell(say("asking the JVM for {commands}", commands=ASKED))
    for word in ASKED:
        try:
            with folder.step(word, f"jcmd {target.pid} {word}") as note:
                answer = ask(jcmd, target, word)
                note["answer"] = shown_command(tuple(answer.splitlines()[1:200]))
        except ToolFailed:
            answer = ""
    return answer


def _recording(
    folder: CaptureFolder, target: Target, jcmd: Tool | None, plan: RecordingPlan, tell: Tell
) -> Path | None:
    try:
        if jcmd is None:
            raise ToolFailed(say("there is no jcmd that reaches the JVM"))
        return take_recording(folder, target, jcmd, plan, tell)
    except (ToolFailed, OSError) as error:
        reason = error.reason if isinstance(error, ToolFailed) else say("{reason}", reason=str(error))
        tell(say("no flight recording: {reason}", reason=reason))
        folder.not_done("flight recording", reason)
        return None


def _heap(
    folder: CaptureFolder,
    target: Target,
    jcmd: Tool | None,
    tell: Tell,
    agrees: Agrees,
) -> Path | None:
    try:
        if jcmd is None:
            raise ToolFailed(say("there is no jcmd that reaches the JVM"))
        plan = plan_heap_dump(target, jcmd, folder.path)
        if not plan.fits:
            raise ToolFailed(
                say(
                    "it needs about {bytes_needed:bytes}, and {free_bytes:bytes} are free where the JVM would write"
                    " it ({path})",
                    plan,
                    path=plan.written_to,
                )
            )
        if not agrees(target.pid, plan):
            raise ToolFailed(say("you declined it"))
        return take_heap_dump(folder, target, jcmd, plan, tell)
    except ToolFailed as error:
        tell(say("no heap dump: {reason}", reason=error.reason))
        folder.not_done("heap dump", error.reason)
        return None
