"""The logs of a process: files it has open for writing, files its options name, and the folders of RocketMQ."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from mqdiag.capture.folder import CaptureFolder, Tell
from mqdiag.capture.jdk import Tool, ToolFailed, ask
from mqdiag.capture.target import PROC, Target
from mqdiag.files import free_bytes
from mqdiag.language import english
from mqdiag.text import Text, say

MOST_LOGS = 200
MOST_ROTATED = 10
"""of one log, the newest first"""
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
    for one in (*_open_files(target), *_from_options(target), *_rocketmq(target, _properties(target, jcmd))):
        for path in (one.path, *_rotated(target, one.path)):
            if len(found) < MOST_LOGS and path not in found and _is_text(target.seen_from_here(path)):
                why = (
                    one.why if path == one.path else say("rotated from {path}", path=os.path.basename(one.path))
                )
                found[path] = FoundLog(path=path, why=why)
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
        name = _free_name(log.path, names)
        limit = min(most_bytes, budget)
        try:
            source = os.fdopen(os.open(target.seen_from_here(log.path), os.O_RDONLY | os.O_NONBLOCK), "rb")
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
            tell(say("log {path} ({why})", path=log.path, why=log.why))
        else:
            tell(
                say(
                    "log {path}, its last {copied_bytes:count} of {bytes:count} bytes ({why})",
                    path=log.path,
                    copied_bytes=taken,
                    bytes=size,
                    why=log.why,
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
            if not path.startswith("/") or not _LOG_NAME.search(os.path.basename(path)):
                continue
            flags = _FLAGS.search((folder.parent / "fdinfo" / entry).read_text())
        except OSError:
            continue
        if flags and int(flags[1], 8) & os.O_ACCMODE != os.O_RDONLY:
            yield FoundLog(path=path, why=say("open for writing"))


def _from_options(target: Target) -> Iterator[FoundLog]:
    for part in target.command:
        match = _GC_LOG.match(part)
        if match:
            path = match[1].replace("%p", str(target.inner_pid))
            yield FoundLog(
                path=_absolute(target, path.partition("%t")[0]), why=say("option {option}", option=part[:60])
            )


def _rocketmq(target: Target, properties: dict[str, str]) -> Iterator[FoundLog]:
    """The folders in which client and broker log, whatever logging library the application uses."""
    home = properties.get("user.home")
    roots = [properties.get(name) for name in _ROOTS]
    roots.append(os.path.join(home, "logs", "rocketmqlogs") if home else None)
    for root in dict.fromkeys(filter(None, roots)):
        base = _absolute(target, root)
        for name in _OWN_LOGS:
            if _written_by(target, name):
                yield FoundLog(path=os.path.join(base, name), why=say("RocketMQ's own log"))


def _written_by(target: Target, name: str) -> bool:
    """Whether this process writes the log: the home of a consumer may hold the logs of a broker on the same host."""
    is_broker = any(part.endswith("BrokerStartup") for part in target.command)
    return is_broker or name == "rocketmq_client.log"


def _properties(target: Target, jcmd: Tool | None) -> dict[str, str]:
    """System properties: of the command line, and of the JVM itself where it answers."""
    found: dict[str, str] = {}
    if jcmd is not None:
        try:
            answer = ask(jcmd, target, "VM.system_properties")
        except (ToolFailed, OSError):
            answer = ""
        found = {name: value for name, value in _FROM_JCMD.findall(answer) if name in _WANTED}
        found = {name: re.sub(r"\\(.)", r"\1", value).strip() for name, value in found.items()}
    for part in target.command:
        match = _PROPERTY.match(part)
        if match and match[1] in _WANTED:
            found[match[1]] = match[2]
    return found


def _absolute(target: Target, path: str) -> str:
    """A path as the process means it: a relative path begins at its working folder."""
    if path.startswith("/"):
        return path
    try:
        folder = os.readlink(PROC / str(target.pid) / "cwd")
    except OSError:
        folder = "/"
    return os.path.normpath(os.path.join(folder, path))


def _rotated(target: Target, path: str) -> list[str]:
    """Files beside a log whose names begin as its own: gc.log.0, app.log.2026-11-21.gz, app-1.log."""
    folder, name = os.path.split(path)
    seen = target.seen_from_here(folder)
    stem = name.removesuffix(".log")
    try:
        beside = [
            (entry.stat().st_mtime, entry.name)
            for entry in os.scandir(seen)
            if entry.name.startswith((f"{name}.", f"{stem}-", f"{stem}."))
            and _ROTATION.search(entry.name, len(stem))
            and entry.is_file()
        ]
    except OSError:
        return []
    return [os.path.join(folder, other) for _, other in sorted(beside, reverse=True)[:MOST_ROTATED]]


def _is_text(path: str) -> bool:
    """A regular file with content that may be a log, packed ones included."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return False
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            head = os.read(descriptor, HEAD_BYTES)
        finally:
            os.close(descriptor)
    except OSError:
        return False
    return bool(head) and (head.startswith(b"\x1f\x8b") or b"\0" not in head.lstrip(b"\0"))


def _free_name(path: str, names: set[str]) -> str:
    """A name in the folder that no other log has."""
    base = os.path.basename(path)
    name, number = base, 1
    while name in names:
        number += 1
        name = f"{number}-{base}"
    names.add(name)
    return name
