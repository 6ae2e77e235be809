"""One capture in a pod or on another host. Each step has a connection of its own, and what it brought is kept."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import BinaryIO

from mqdiag.capture.folder import CaptureFolder, Tell, default_folder, sample_file, times_file
from mqdiag.capture.heap_dump import LEAST_BYTES, LONGEST_SECONDS, HeapPlan, used_heap_bytes
from mqdiag.capture.jdk import MOST_DUMP_BYTES, ToolFailed
from mqdiag.capture.recording import (
    ANSWER_SECONDS,
    RUNNING,
    RecordingPlan,
    recording_file,
    settings_text,
)
from mqdiag.capture.remote.fetched import fetch_file
from mqdiag.capture.remote.jvms import RemoteError, RemoteJvm
from mqdiag.capture.remote.logs import copy_remote_logs
from mqdiag.capture.remote.reach import ConnectionLost, Reach, answer, stream
from mqdiag.capture.remote.scripts import END_OF_TIMES, FREE_KIB, HEAP_DUMP, JCMD, RECORDING, THREAD_DUMP
from mqdiag.capture.remote.watched import OnOtherSide
from mqdiag.capture.run import ASKED, Agrees, CaptureOptions, CaptureResult, check_space, tell_if_few
from mqdiag.capture.target import shown_command
from mqdiag.capture.watch import Condition, condition, keep_last
from mqdiag.files import free_bytes
from mqdiag.language import english
from mqdiag.text import Text, say


def capture_remote(
    reach: Reach, host: str, jvm: RemoteJvm, options: CaptureOptions, tell: Tell, agrees: Agrees
) -> CaptureResult:
    """Take the evidence of a JVM on the other side.

    Args:
        reach: the way there.
        host: the name of the other side's host.
        jvm: which.
        options: what to take; its console is not used.
        tell: hears of each step before it is taken.
        agrees: see `run.Agrees`.

    Raises:
        RemoteError: nothing could be taken.
        UsageError: the folder is not usable, or a condition to wait for is not one.
        MqdiagError: the disk here is full.
    """
    conditions = _conditions(reach, jvm, options, tell)
    where = options.folder or default_folder(jvm.pid, reach.name)
    folder = CaptureFolder(where, _facts(reach, jvm), host)
    check_space(where)
    tell(
        say(
            "process {pid} of {name}: {guess} of user {user}; everything goes into {path}",
            jvm,
            name=reach.name,
            path=str(where),
        )
    )
    tell_if_few(options, tell)
    samples = logs = 0
    recording = heap = None
    problem: Text | None = None
    try:
        samples, problem = _samples(folder, reach, jvm, options, conditions, tell)
        if samples:
            _about(folder, reach, jvm, tell)
        for _ in copy_remote_logs(folder, reach, jvm, options.most_log_bytes, tell):
            logs += 1
        if options.recording is not None:
            recording = _recording(folder, reach, jvm, options.recording, tell)
        if options.heap:
            heap = _heap(folder, reach, jvm, tell, agrees)
    except ConnectionLost as error:
        problem = error.reason
        tell(say("the connection to {name} is lost: {reason}", name=reach.name, reason=problem))
    if not samples and not logs and recording is None and heap is None:
        raise RemoteError(
            say(
                "{name}: nothing could be taken: {reason}",
                name=reach.name,
                reason=problem or say("it has no logs"),
            )
        )
    if problem is None:
        folder.finish()
    return CaptureResult(folder=where, samples=samples, logs=logs, recording=recording, heap=heap)


def _facts(reach: Reach, jvm: RemoteJvm) -> dict[str, object]:
    return {
        "pid": jvm.pid,
        "inner_pid": jvm.pid,
        "reached_as": reach.name,
        "guess": english()(jvm.guess),
        "user": jvm.user,
        "command": shown_command(jvm.command),
    }


def _conditions(reach: Reach, jvm: RemoteJvm, options: CaptureOptions, tell: Tell) -> list[Condition]:
    watched = OnOtherSide(reach, jvm, tell)
    try:
        return [condition(text, watched) for text in options.watch]
    except ConnectionLost as error:
        raise RemoteError(say("{name}: {reason}", name=reach.name, reason=error.reason)) from None


def _samples(
    folder: CaptureFolder,
    reach: Reach,
    jvm: RemoteJvm,
    options: CaptureOptions,
    conditions: list[Condition],
    tell: Tell,
) -> tuple[int, Text | None]:
    """Take thread dumps; how many there are, and why they end early."""
    problem: Text | None = None

    def take(number: int) -> bool:
        nonlocal problem
        if conditions:
            tell(say("thread dump {number}", number=number))
        else:
            tell(say("thread dump {number} of {samples}", number=number, samples=options.samples))
        try:
            _dump_threads(folder, reach, jvm, number)
        except ToolFailed as error:
            if isinstance(error, ConnectionLost) and number == 1:
                raise
            tell(say("no thread dump: {reason}", reason=error.reason))
            problem = error.reason
        return problem is None

    if conditions:
        return keep_last(folder, options.samples, options.interval_seconds, conditions, take, tell), problem
    due = time.monotonic()
    for number in range(1, options.samples + 1):
        time.sleep(max(0.0, due - time.monotonic()))
        due = time.monotonic() + options.interval_seconds
        if not take(number):
            return number - 1, problem
    return options.samples, None


def _dump_threads(folder: CaptureFolder, reach: Reach, jvm: RemoteJvm, number: int) -> None:
    name = sample_file(number)
    try:
        with folder.step(f"thread dump {number}", f"jcmd {jvm.pid} Thread.print -l") as note:
            with folder.new_file(name) as file, folder.new_file(times_file(number)) as times:
                parted = _TimesFirst(times, file)
                stream(reach, THREAD_DUMP, str(jvm.pid), out=parted, most_bytes=MOST_DUMP_BYTES)
            note["file"] = name
    except ToolFailed:
        # a dump that was cut short would be read as a whole one
        for part in (name, times_file(number)):
            (folder.path / part).unlink(missing_ok=True)
        raise


class _TimesFirst:
    """Takes CPU times for one file, and what follows the line that ends them for another one."""

    def __init__(self, times: BinaryIO, dump: BinaryIO) -> None:
        self._times, self._dump = times, dump
        self._head: bytes | None = b""
        """what came before that line; None behind it"""

    def write(self, data: bytes, /) -> None:
        """Take the next bytes."""
        if self._head is None:
            self._dump.write(data)
            return
        times, end, dump = (self._head + data).partition(END_OF_TIMES)
        if not end:
            self._head = times
            return
        self._head = None
        self._times.write(times)
        self._dump.write(dump)


def _about(folder: CaptureFolder, reach: Reach, jvm: RemoteJvm, tell: Tell) -> None:
    """What the JVM knows of itself at no cost."""
    tell(say("asking the JVM for {commands}", commands=ASKED))
    for word in ASKED:
        try:
            with folder.step(word, f"jcmd {jvm.pid} {word}") as note:
                told = answer(reach, JCMD, str(jvm.pid), word)
                note["answer"] = shown_command(tuple(told.splitlines()[1:200]))
        except ConnectionLost:
            raise
        except ToolFailed:
            continue


def _heap(folder: CaptureFolder, reach: Reach, jvm: RemoteJvm, tell: Tell, agrees: Agrees) -> Path | None:
    try:
        plan = _plan(folder, reach, jvm)
        if not plan.fits:
            raise ToolFailed(
                say("it needs about {bytes_needed:bytes}, and {free_bytes:bytes} are free there or here", plan)
            )
        if not agrees(jvm.pid, plan):
            raise ToolFailed(say("you declined it"))
        return _dump(folder, reach, jvm, plan, tell)
    except ConnectionLost:
        raise
    except ToolFailed as error:
        tell(say("no heap dump: {reason}", reason=error.reason))
        folder.not_done("heap dump", error.reason)
        return None


def _plan(folder: CaptureFolder, reach: Reach, jvm: RemoteJvm) -> HeapPlan:
    used = used_heap_bytes(answer(reach, JCMD, str(jvm.pid), "GC.heap_info"))
    if not used:
        raise ToolFailed(say("the JVM does not report how much heap is in use"))
    packed = "-gz" in answer(reach, JCMD, str(jvm.pid), "help", "GC.heap_dump")
    there = _free_there(reach)
    # as in `heap_dump.plan_heap_dump`
    whole = used + used // 4 + LEAST_BYTES
    return HeapPlan(
        bytes_needed=whole // 2 if packed else whole,
        free_bytes=min(there, free_bytes(folder.path)),
        written_to=f"{reach.name}:/tmp",
        packed=packed,
        options=("-all", "-gz=1") if packed else ("-all",),
    )


def _dump(folder: CaptureFolder, reach: Reach, jvm: RemoteJvm, plan: HeapPlan, tell: Tell) -> Path:
    """Have the dump written there, stream it here and remove it there; a part that came is kept."""
    name = f"heap/heap-{jvm.pid}.hprof{'.gz' if plan.packed else ''}"
    tell(say("heap dump: it is written to /tmp of {name}, copied, and removed there", name=reach.name))
    with folder.step("heap dump", f"jcmd {jvm.pid} GC.heap_dump {' '.join(plan.options)}") as note:
        words = (str(jvm.pid), os.urandom(6).hex(), *plan.options)
        return fetch_file(folder, note, name, reach, HEAP_DUMP, *words, seconds=LONGEST_SECONDS)


def _recording(
    folder: CaptureFolder, reach: Reach, jvm: RemoteJvm, plan: RecordingPlan, tell: Tell
) -> Path | None:
    """Have it written there, stream it here and remove it there; a part that came is kept."""
    try:
        plan.check_space(min(_free_there(reach), free_bytes(folder.path)))
        tell(plan.cost(jvm.pid))
        how = RUNNING if plan.seconds is None else str(plan.seconds)
        words = (str(jvm.pid), os.urandom(6).hex(), how, settings_text().decode(), *plan.options)
        seconds = (plan.seconds or 0) + ANSWER_SECONDS
        with folder.step("flight recording", f"jcmd {jvm.pid} JFR, {how}") as note:
            name = recording_file(jvm.pid)
            return fetch_file(folder, note, name, reach, RECORDING, *words, seconds=seconds)
    except ConnectionLost:
        raise
    except ToolFailed as error:
        tell(say("no flight recording: {reason}", reason=error.reason))
        folder.not_done("flight recording", error.reason)
        return None


def _free_there(reach: Reach) -> int:
    columns = answer(reach, FREE_KIB).split()
    return int(columns[3]) << 10 if len(columns) > 3 and columns[3].isdecimal() else 0
