"""The logs of a process: files it has open for writing, files its options name, and the folders of RocketMQ."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from mqdiag.capture.folder import CaptureFolder, Tell
from mqdiag.capture.inside import open_file, opened_folder
from mqdiag.capture.jdk import Tool, ToolFailed, ask
from mqdiag.capture.target import PROC, Target
from mqdiag.files import free_bytes
from mqdiag.language import english
from mqdiag.text import Text, say

MOST_LOGS = 200
MOST_ROTATED = 10
"""rotated files of one log, the newest first"""
MOST_OPEN_FILES = 100_000
HEAD_BYTES = 4096
CHUNK = 1 << 20
_GC_LOG = re.compile(r"-X(?:loggc:|log:[^:]*:file=)\"?([^:\",]+)")
_PROPERTY = re.compile(r"-D([\w.]+)=(.*)")
_FROM_JCMD = re.compile(r"^([\w.]+)=(.*)$", re.MULTILINE)
_ROOTS = ("rocketmq.client.logRoot", "rocketmq.log.root.dir")
_WANTED = ("user.home", *_ROOTS)
_OWN_LOGS = (
    "rocketmq_client.log", "broker.log", "store.log", "storeerror.log", "watermark.log", "remoting.log",
)  # fmt: skip
_ROTATION = re.compile(r"\d|\.(?:old|bak|gz)\b")
"""what an older log has in its name and another file does not: a number, a date, an ending"""
_FLAGS = re.compile(r"flags:\s*([0-7]+)")
_LOG_NAME = re.compile(r"(?i)(?:^|[._-])(?:log|logs|out|console|gc|stdout|stderr)(?:[._-]|\d|$)")


@dataclass(frozen=True, kw_only=True)
class FoundLog:
    """A log, by its path inside the process's file system."""

    path: str
    why: Text


def find_logs(target: Target, jcmd: Tool | None) -> list[FoundLog]:
    """The logs, each once, with what led to it."""
    found: dict[str, FoundLog] = {}
    named = named_logs(
        target.command, target.inner_pid, _working_folder(target), _system_properties(target, jcmd)
    )
    for one in (*_open_files(target), *named):
        try:
            with target.with_its_rights():
                for path in (one.path, *_rotated(target, one.path)):
                    if len(found) < MOST_LOGS and path not in found and _is_text(target, path):
                        rotated = say("rotated from {path}", path=os.path.basename(one.path))
                        found[path] = FoundLog(path=path, why=one.why if path == one.path else rotated)
        except PermissionError:
            found[one.path] = one  # whoever copies it tells why it cannot be read
    return list(found.values())


def copy_logs(folder: CaptureFolder, target: Target, logs: list[FoundLog], most_bytes: int, tell: Tell) -> int:
    """Copy the end of each log, and return how many were copied.

    Args:
        folder: where to.
        target: whose logs they are.
        logs: what was found.
        most_bytes: of each file; all together no more than half of the free disk.
        tell: hears of each log.
    """
    budget = free_bytes(folder.path) // 2
    names: set[str] = set()
    copied = 0
    for log in logs:
        name = free_name(log.path, names)
        limit = min(most_bytes, budget)
        try:
            with target.with_its_rights():
                opened = open_file(target.root, log.path)
            source = os.fdopen(opened, "rb")
        except OSError as error:
            tell(say("{path}: cannot be read: {reason}", path=log.path, reason=error.strerror))
            continue
        with (
            source,
            folder.step("log", f"copy {log.path}") as note,
            folder.new_file(f"logs/{name}") as file,
        ):
            size, taken = _copy_end(source, file, limit)
            note |= {"file": f"logs/{name}", "why": english()(log.why), "bytes": size, "copied_bytes": taken}
        budget -= taken
        copied += 1
        if taken == size:
            tell(say("log {path} ({why})", log))
        else:
            tell(
                say(
                    "log {path}, its last {copied_bytes:count} of {bytes:count} bytes ({why})",
                    log,
                    copied_bytes=taken,
                    bytes=size,
                )
            )
    return copied


def _copy_end(source: BinaryIO, out: BinaryIO, limit: int) -> tuple[int, int]:
    """Copy the last bytes of a file from the start of a line; return its size and the number of copied bytes."""
    size = os.fstat(source.fileno()).st_size
    # the end of a packed file cannot be read without its beginning
    packed = source.read(2) == b"\x1f\x8b"
    source.seek(0)
    if size > limit and not packed:
        source.seek(size - limit)
        source.readline(HEAD_BYTES)
    left, taken = min(limit, size), 0
    while left > 0 and (chunk := source.read(min(CHUNK, left))):
        out.write(chunk)
        taken += len(chunk)
        left -= len(chunk)
    out.flush()
    return size, taken


def _working_folder(target: Target) -> str:
    try:
        return os.readlink(PROC / str(target.pid) / "cwd")
    except OSError:
        return "/"


def _system_properties(target: Target, jcmd: Tool | None) -> str:
    try:
        return "" if jcmd is None else ask(jcmd, target, "VM.system_properties")
    except (ToolFailed, OSError):
        return ""


def _open_files(target: Target) -> Iterator[FoundLog]:
    """Regular files that are open for writing and named like logs, so neither stores nor sockets."""
    folder = PROC / str(target.pid) / "fd"
    try:
        entries = os.listdir(folder)[:MOST_OPEN_FILES]
    except OSError:
        return
    for entry in entries:
        try:
            path = os.readlink(folder / entry)
            flags = _FLAGS.search((folder.parent / "fdinfo" / entry).read_text())
        except OSError:
            continue
        if flags and is_open_log(path, flags[1]):
            yield FoundLog(path=path, why=say("open for writing"))


def is_open_log(path: str, flags: str) -> bool:
    """Whether an open file may be a log: named like one and open for writing.

    Args:
        path: of the file.
        flags: of the descriptor, as fdinfo has them.
    """
    if not path.startswith("/") or not _LOG_NAME.search(os.path.basename(path)):
        return False
    return int(flags, 8) & os.O_ACCMODE != os.O_RDONLY


def named_logs(
    command: tuple[str, ...], inner_pid: int, folder: str, system_properties: str
) -> Iterator[FoundLog]:
    """The logs that a command line names, and those of RocketMQ's client and broker, whatever library they log with.

    Args:
        command: of the process.
        inner_pid: its number in its own pid namespace.
        folder: its working folder, where relative paths begin.
        system_properties: what the JVM answers to VM.system_properties; "" if it does not answer.
    """
    for part in command:
        match = _GC_LOG.match(part)
        if match:
            path = match[1].replace("%p", str(inner_pid)).partition("%t")[0]
            yield FoundLog(path=_absolute(folder, path), why=say("option {option}", option=part[:60]))
    properties = _properties(command, system_properties)
    home = properties.get("user.home")
    roots = [properties.get(name) for name in _ROOTS]
    roots.append(os.path.join(home, "logs", "rocketmqlogs") if home else None)
    for root in dict.fromkeys(filter(None, roots)):
        for name in _OWN_LOGS:
            if _written_by(command, name):
                path = os.path.join(_absolute(folder, root), name)
                yield FoundLog(path=path, why=say("RocketMQ's own log"))


def _written_by(command: tuple[str, ...], name: str) -> bool:
    """Whether this process writes the log: the home of a consumer may hold the logs of a broker on the same host."""
    is_broker = any(part.endswith("BrokerStartup") for part in command)
    return is_broker or name == "rocketmq_client.log"


def _properties(command: tuple[str, ...], answer: str) -> dict[str, str]:
    """System properties: of the command line, and of the JVM itself where it answers."""
    found = {name: value for name, value in _FROM_JCMD.findall(answer) if name in _WANTED}
    found = {name: re.sub(r"\\(.)", r"\1", value).strip() for name, value in found.items()}
    for part in command:
        match = _PROPERTY.match(part)
        if match and match[1] in _WANTED:
            found[match[1]] = match[2]
    return found


def _absolute(folder: str, path: str) -> str:
    return path if path.startswith("/") else os.path.normpath(os.path.join(folder, path))


def is_rotated(name: str, other: str) -> bool:
    """Whether a file beside a log is an older one of it: gc.log.0, app.log.2026-11-21.gz, app-1.log."""
    stem = name.removesuffix(".log")
    return (
        other.startswith((f"{name}.", f"{stem}-", f"{stem}."))
        and _ROTATION.search(other, len(stem)) is not None
    )


def _rotated(target: Target, path: str) -> list[str]:
    """The newest of the older files of a log."""
    folder, name = os.path.split(path)
    try:
        with opened_folder(target.root, folder) as opened, os.scandir(opened) as entries:
            beside = [
                (entry.stat(follow_symlinks=False).st_mtime, entry.name)
                for entry in entries
                if is_rotated(name, entry.name) and not entry.is_dir(follow_symlinks=False)
            ]
    except OSError:
        return []
    return [os.path.join(folder, other) for _, other in sorted(beside, reverse=True)[:MOST_ROTATED]]


def _is_text(target: Target, path: str) -> bool:
    """A regular file with content that may be a log, packed ones included."""
    try:
        with os.fdopen(open_file(target.root, path), "rb") as file:
            head = file.read(HEAD_BYTES)
    except OSError:
        return False
    return bool(head) and (head.startswith(b"\x1f\x8b") or b"\0" not in head.lstrip(b"\0"))


def free_name(path: str, names: set[str]) -> str:
    """A name in the folder that no other log has."""
    base = os.path.basename(path)
    name, number = base, 1
    while name in names:
        number += 1
        name = f"{number}-{base}"
    names.add(name)
    return name
