"""The logs of a JVM on the other side: found as those of this host are, and the end of each streamed here."""

from __future__ import annotations

import os
from collections.abc import Iterator

from mqdiag.capture.folder import CaptureFolder, Tell
from mqdiag.capture.jdk import ToolFailed
from mqdiag.capture.logs import (
    MOST_LOGS,
    MOST_ROTATED,
    FoundLog,
    free_name,
    is_open_log,
    is_rotated,
    named_logs,
)
from mqdiag.capture.remote.jvms import RemoteJvm
from mqdiag.capture.remote.reach import ConnectionLost, Reach, answer, stream
from mqdiag.capture.remote.scripts import END_OF_FILE, FILES, JCMD, OPEN_FILES
from mqdiag.files import free_bytes
from mqdiag.language import english
from mqdiag.text import say

LONGEST_SECONDS = 600.0
"""for one log"""
LONGEST_PATH = 4096
"""bytes, as Linux has it"""


def copy_remote_logs(
    folder: CaptureFolder, reach: Reach, jvm: RemoteJvm, most_bytes: int, tell: Tell
) -> Iterator[FoundLog]:
    """Copy the end of each log, and give each that was copied.

    Args:
        folder: where to.
        reach: the way to the other side.
        jvm: whose logs they are.
        most_bytes: of each file; all together no more than half of the free disk here.
        tell: hears of each log.

    Raises:
        ConnectionLost: the way is gone.
        MqdiagError: the disk here is full.
    """
    budget = free_bytes(folder.path) // 2
    names: set[str] = set()
    for log, size in find_remote_logs(reach, jvm, tell):
        if not size:
            continue
        limit = min(most_bytes, budget)
        if limit < size and log.path.endswith(".gz"):
            tell(
                say(
                    "log {path} is left out: it has {bytes:bytes}, and its end alone cannot be read",
                    path=log.path,
                    bytes=size,
                )
            )
            continue
        name = f"logs/{free_name(log.path, names)}"
        tell(say("log {path} ({why})", log))
        words = (log.path, str(limit), "cut" if size > limit else "whole")
        try:
            with folder.step("log", f"copy {log.path}") as note, folder.new_file(name) as file:
                note |= {"file": name, "why": english()(log.why), "bytes": size}
                taken = stream(reach, END_OF_FILE, *words, out=file, most_bytes=limit, seconds=LONGEST_SECONDS)
                note["copied_bytes"] = taken
        except ConnectionLost:
            raise
        except ToolFailed as error:
            tell(say("{path}: cannot be read: {reason}", path=log.path, reason=error.reason))
            continue
        budget -= taken
        yield log


def find_remote_logs(reach: Reach, jvm: RemoteJvm, tell: Tell) -> list[tuple[FoundLog, int]]:
    """The logs with their sizes in bytes.

    Args:
        reach: the way to the other side.
        jvm: whose logs they are.
        tell: hears what cannot be looked at.

    Raises:
        ConnectionLost: the way is gone.
    """
    folder, candidates = "/", list[FoundLog]()
    try:
        for line in answer(reach, OPEN_FILES, str(jvm.pid)).splitlines():
            kind, _, value = line.partition(" ")
            flags, _, path = value.partition(" ")
            if kind == "folder":
                folder = value
            elif kind == "file" and flags.isdecimal() and is_open_log(path, flags):
                candidates.append(FoundLog(path=path, why=say("open for writing")))
    except ConnectionLost:
        raise
    except (ToolFailed, ValueError) as error:
        reason = error.reason if isinstance(error, ToolFailed) else str(error)
        tell(say("the open files of process {pid} cannot be read: {reason}", pid=jvm.pid, reason=reason))
    try:
        properties = answer(reach, JCMD, str(jvm.pid), "VM.system_properties")
    except ConnectionLost:
        raise
    except ToolFailed:
        properties = ""
    candidates += named_logs(jvm.command, jvm.pid, folder, properties)
    # The other side can say anything, and a command takes only so much.
    candidates = [log for log in candidates if _is_path(log.path)][:MOST_LOGS]
    try:
        there = _files(reach, list(dict.fromkeys(log.path for log in candidates)))
    except ConnectionLost:
        raise
    except ToolFailed as error:
        tell(say("the folders of the logs cannot be listed: {reason}", reason=error.reason))
        return []
    found: dict[str, FoundLog] = {}
    for log in candidates:
        beside = sorted((there[path][1], path) for path in there if _rotated_from(log.path, path))
        found.setdefault(log.path, log)
        for _, path in reversed(beside[-MOST_ROTATED:]):
            why = say("rotated from {path}", path=os.path.basename(log.path))
            found.setdefault(path, FoundLog(path=path, why=why))
    # The other side says what its paths are; a name here must be one of a file in the folder of logs.
    named = ((path, log) for path, log in found.items() if os.path.basename(path) not in ("", ".", ".."))
    return [(log, there[path][0]) for path, log in named if path in there][:MOST_LOGS]


def _rotated_from(log: str, path: str) -> bool:
    folder, name = os.path.split(log)
    other_folder, other = os.path.split(path)
    return folder == other_folder and is_rotated(name, other)


def _is_path(text: str) -> bool:
    return "\0" not in text and len(os.fsencode(text)) <= LONGEST_PATH


def _files(reach: Reach, logs: list[str]) -> dict[str, tuple[int, int]]:
    """Size and time of these files, and of those beside them with such names, if they are regular."""
    found = {}
    for line in answer(reach, FILES, *logs).split("\n"):
        time, *rest = line.split("|", 3)
        is_file = len(rest) == 3 and rest[0] in ("regular file", "regular empty file")
        if is_file and time.isdecimal() and rest[1].isdecimal():
            found[rest[2]] = int(rest[1]), int(time)
    return found
