"""Where the report goes: standard output, or a file that is written whole or not at all."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from pathlib import Path

from mqdiag.errors import MqdiagError, UsageError


class Target:
    """A place for the report, checked before the work begins so that no analysis is lost to a typing error."""

    def __init__(self, name: str) -> None:
        self.path = None if name == "-" else Path(name)
        if self.path is not None:
            _check(self.path)

    def write(self, text: str) -> None:
        """Write the report; a reader of a pipe that has gone away is no error."""
        if self.path is None:
            _to_stdout(text)
            return
        try:
            if _is_replaceable(self.path):
                _replace(self.path.resolve(), text.encode())
            else:
                self.path.write_bytes(text.encode())
        except OSError as error:
            raise MqdiagError(f"{self.path}: the report could not be written: {error.strerror}") from error


def _is_replaceable(path: Path) -> bool:
    """Whether a new file may take its place; a device, a pipe or /dev/stdout is written into instead."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return True


def _check(path: Path) -> None:
    try:
        if path.is_dir():
            raise UsageError(f"--output {path}: is a folder; name a file in it")
        folder = path.resolve().parent
        if not folder.is_dir():
            raise UsageError(f"--output {path}: there is no folder {folder}")
        if _is_replaceable(path) and not os.access(folder, os.W_OK | os.X_OK):
            raise UsageError(f"--output {path}: no permission to write in {folder}")
    except OSError as error:
        raise UsageError(f"--output {path}: {error.strerror}") from error


def _replace(path: Path, data: bytes) -> None:
    """Write beside the target and rename: a reader sees the old report or the new one, never half of one."""
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        mode = 0o666 & ~mask
    handle, name = tempfile.mkstemp(prefix=f".{path.name[:100]}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def _to_stdout(text: str) -> None:
    if sys.stdout is None:
        raise MqdiagError("standard output is closed; name a file with --output")
    try:
        # Bytes: a report in UTF-8 must not fail on a terminal of another encoding.
        sys.stdout.buffer.write(text.encode(sys.stdout.encoding or "utf-8", errors="replace"))
        sys.stdout.flush()
    except OSError as error:
        # Python flushes stdout once more at exit; give it something that takes the bytes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            message = f"standard output: the report could not be written: {error.strerror}"
            raise MqdiagError(message) from error
