"""Where the report goes: standard output, or a file that is written whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from mqdiag.errors import OutputError, UsageError
from mqdiag.files import fits, whole_file, write_whole
from mqdiag.text import Text, say

KEPT_IN_MEMORY = 16 << 20
"""bytes of a long answer on its way to a pipe; the rest waits in a temporary file"""
_CHECK_EVERY = 64 << 20


class Target:
    """A place for the report, checked before the work begins so that no analysis is lost to a typing error.

    Args:
        name: the file; "-" is standard output.
        option: that named it.
        inputs: files and folders that the run reads, over which nothing is written.

    Raises:
        UsageError: nothing can be written there, or it is evidence.
    """

    def __init__(self, name: str, option: str = "--output", inputs: Iterable[str] = ()) -> None:
        if not name:
            raise UsageError(say("{option} '' is not a file name", option=option))
        if name.endswith("/") and not Path(name).exists():
            raise UsageError(
                say("{option} {path}: there is no folder {folder}", option=option, path=name, folder=name)
            )
        self.path = None if name == "-" else Path(name)
        if self.path is not None:
            _check(self.path, option, inputs)

    def write(self, text: str) -> None:
        """Write the report; a reader of a pipe that has gone away is no error."""
        if self.path is None:
            _to_stdout(text)
            return
        self.write_file(self.path, text.encode())

    def write_file(self, path: Path, content: bytes) -> None:
        """Write bytes into the file, for formats that no terminal shows."""
        try:
            if _is_replaceable(path):
                path = path.resolve()
                write_whole(path, content, mode=_permissions(path), durable=True)
            else:
                path.write_bytes(content)
        except OSError as error:
            raise _not_written_to(path, error) from error

    def write_lines(self, lines: Iterable[str]) -> None:
        """Write what may be larger than the memory: all of it, or nothing where the lines end with an error."""
        encoding = "utf-8" if self.path is not None or sys.stdout is None else sys.stdout.encoding or "utf-8"
        with self.whole() as file:
            unchecked = 0
            for line in lines:
                unchecked += file.write(line.encode(encoding, errors="replace"))
                if unchecked >= _CHECK_EVERY:
                    unchecked = 0
                    _refuse_full_disk(self.path)

    @contextmanager
    def whole(self) -> Iterator[IO[bytes]]:
        """A file for a report of any length. What is in it reaches its place when the block ends without an error."""
        path = self.path
        try:
            if path is not None and _is_replaceable(path):
                path = path.resolve()
                with whole_file(path, mode=_permissions(path), durable=True) as file:
                    yield file
                return
        except OSError as error:
            raise _not_written_to(path, error) from error
        import tempfile  # takes half of the standard library along

        with tempfile.SpooledTemporaryFile(KEPT_IN_MEMORY, prefix="mqdiag-") as kept:
            try:
                yield kept
                kept.seek(0)
            except OSError as error:
                raise _not_written_to(Path(tempfile.gettempdir()), error) from error
            if path is None:
                _copy_to_stdout(kept)
                return
            try:
                with path.open("wb") as other:
                    _copy(kept, other)
            except OSError as error:
                raise _not_written_to(path, error) from error


def _is_replaceable(path: Path) -> bool:
    """Whether a new file may take its place; a device, a pipe or /dev/stdout is written into instead."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return True


def _check(path: Path, option: str, inputs: Iterable[str]) -> None:
    try:
        if path.is_dir():
            raise UsageError(
                say("{option} {path}: is a folder; name a file in it", option=option, path=str(path))
            )
        folder = path.resolve().parent
        if not folder.is_dir():
            raise UsageError(
                say(
                    "{option} {path}: there is no folder {folder}",
                    option=option,
                    path=str(path),
                    folder=str(folder),
                )
            )
        if _is_replaceable(path) and not os.access(folder, os.W_OK | os.X_OK):
            raise UsageError(
                say(
                    "{option} {path}: no permission to write in {folder}",
                    option=option,
                    path=str(path),
                    folder=str(folder),
                )
            )
    except OSError as error:
        raise _not_looked_at(path, option, error) from error
    refuse_irreplaceable(path, option, inputs)


def refuse_irreplaceable(path: Path, option: str, inputs: Iterable[str], *, may_be_log: bool = False) -> None:
    """Refuse a file that the run reads, or that holds evidence.

    Args:
        path: the file to be written.
        option: that named it.
        inputs: files and folders that the run reads.
        may_be_log: whether lines are added to a log.

    Raises:
        UsageError: it is one, or it cannot be read.
    """
    try:
        if not path.is_file():
            return
        # Here, not above: most reports go to a new file or to standard output.
        from mqdiag.read.irreplaceable import refuse_evidence, refuse_input

        refuse_input(path, f"{option} {path}", inputs)
        refuse_evidence(path, f"{option} {path}", may_be_log=may_be_log)
    except OSError as error:
        raise _not_looked_at(path, option, error) from error


def _not_looked_at(path: Path, option: str, error: OSError) -> UsageError:
    return UsageError(say("{option} {path}: {reason}", option=option, path=str(path), reason=error.strerror))


def _permissions(path: Path) -> int | None:
    """Those of the report that is replaced; None where there is none."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return None


def _to_stdout(text: str) -> None:
    with _to_open_stdout() as stdout:
        # Bytes: a report in UTF-8 must not fail on a terminal of another encoding.
        _write_all(stdout, text.encode(sys.stdout.encoding or "utf-8", errors="replace"))


def _copy_to_stdout(kept: IO[bytes]) -> None:
    with _to_open_stdout() as stdout:
        _copy(kept, stdout)


@contextmanager
def _to_open_stdout() -> Iterator[IO[bytes]]:
    if sys.stdout is None:
        raise OutputError(say("standard output is closed; name a file with --output"))
    try:
        yield sys.stdout.buffer
        sys.stdout.flush()
    except OSError as error:
        give_up_stdout()
        if not isinstance(error, BrokenPipeError):
            raise OutputError(not_written(error)) from error


def _copy(kept: IO[bytes], other: IO[bytes]) -> None:
    while chunk := kept.read(1 << 20):
        _write_all(other, chunk)


def _write_all(out: IO[bytes], data: bytes) -> None:
    """Write all bytes: without a buffer (PYTHONUNBUFFERED) one call takes at most 2 GiB."""
    left = memoryview(data)
    while left:
        taken: int | None = out.write(left)
        if taken is None:
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        left = left[taken:]


def _refuse_full_disk(path: Path | None) -> None:
    """Leave room for other programs on the disk of the report, or of temporary files."""
    import tempfile

    folder = Path(tempfile.gettempdir()) if path is None else path.resolve().parent
    if not fits(folder, _CHECK_EVERY):
        raise OutputError(say("there is no room for the report in {folder}", folder=str(folder)))


def _not_written_to(path: Path | None, error: OSError) -> OutputError:
    return OutputError(say("{path}: could not be written: {strerror}", path=str(path), strerror=error.strerror))


def give_up_stdout() -> None:
    """Python flushes standard output once more at exit; give it something that takes the bytes."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def not_written(error: OSError) -> Text:
    """Why standard output took nothing."""
    return say("standard output could not be written: {reason}", reason=error.strerror)
