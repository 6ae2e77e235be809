"""The folder for all evidence, with a manifest that is whole after each step."""

from __future__ import annotations

import json
import re
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from mqdiag import __version__
from mqdiag.errors import OutputError, UsageError
from mqdiag.files import write_whole
from mqdiag.language import english
from mqdiag.read.capture_manifest import MANIFEST
from mqdiag.text import Text, say

_UNFIT = re.compile(r"[^\w.-]+")

Tell = Callable[[Text], None]
"""hears of each step before it is taken"""


class CaptureFolder:
    """A folder of evidence in the making.

    Args:
        path: where; a folder that is there must be empty.
        facts: what the manifest says of the process.
        host: the name of the process's host; None if it is this one.
    """

    def __init__(self, path: Path, facts: dict[str, object], host: str | None = None) -> None:
        self.path = path
        try:
            path.mkdir(parents=True, exist_ok=True, mode=0o700)
            if any(path.iterdir()):
                raise UsageError(say("{path}: is not empty; name a new folder with -o", path=str(path)))
        except OSError as error:
            raise UsageError(
                say("{path}: cannot be made: {reason}", path=str(path), reason=error.strerror)
            ) from None
        self._steps: list[dict[str, object]] = []
        self._manifest: dict[str, object] = {
            "mqdiag_capture": 1,
            "mqdiag": __version__,
            "complete": False,
            "started_at": now(),
            "ended_at": None,
            "host": host or socket.gethostname(),
            "time_zone": time.strftime("%Z"),
            "process": facts,
            "steps": self._steps,
        }
        self.save()

    @contextmanager
    def step(self, what: str, command: str | None = None) -> Iterator[dict[str, object]]:
        """Note a step: when, with which command, how it ended. The manifest keeps what the caller adds to the note."""
        note: dict[str, object] = {"what": what, "command": command, "at": now()}
        self._steps.append(note)
        began = time.monotonic()
        try:
            yield note
            note.setdefault("result", "done")
        except BaseException as error:
            note["result"] = "interrupted" if isinstance(error, KeyboardInterrupt) else f"failed: {error}"
            raise
        finally:
            note["took_ms"] = round((time.monotonic() - began) * 1000)
            self.save()

    def done(self, what: str, result: Text) -> None:
        """Note a step that is over, with what it brought."""
        self._note(what, english()(result))

    def not_done(self, what: str, why: Text) -> None:
        """Note a step that the user asked for and that was not taken."""
        self._note(what, f"not done: {english()(why)}")

    def _note(self, what: str, result: str) -> None:
        self._steps.append({"what": what, "command": None, "at": now(), "result": result})
        self.save()

    def forget(self, number: int) -> None:
        """Remove a thread dump with its CPU times, and the notes of the steps that made it."""
        self._steps[:] = [step for step in self._steps if step.get("file") != sample_file(number)]
        for name in (sample_file(number), times_file(number)):
            (self.path / name).unlink(missing_ok=True)
        self.save()

    @contextmanager
    def new_file(self, name: str) -> Iterator[BinaryIO]:
        """A file of the folder to write to; it is removed again if it stays empty."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with path.open("wb") as file:
                yield file
        except OSError as error:
            raise not_written(path, error) from error
        finally:
            if path.exists() and path.stat().st_size == 0:
                path.unlink()

    def finish(self) -> None:
        """Note that the capture is complete."""
        self._manifest |= {"complete": True, "ended_at": now()}
        self.save()

    def save(self) -> None:
        """Write the manifest, whole or not at all."""
        text = json.dumps(self._manifest, indent=1, ensure_ascii=False) + "\n"
        try:
            write_whole(self.path / MANIFEST, text.encode(errors="replace"), mode=0o600)
        except OSError as error:
            raise not_written(self.path / MANIFEST, error) from error


def sample_file(number: int) -> str:
    """The name of the file of a thread dump, by its number in the series."""
    return f"stacks/{number:02d}.txt"


def times_file(number: int) -> str:
    """The name of the file with the CPU times of the threads of a dump."""
    return f"cpu-times/{number:02d}.txt"


def not_written(path: Path, error: OSError) -> OutputError:
    """The error for a file of the folder that the disk does not take."""
    return OutputError(say("{path}: cannot be written: {reason}", path=str(path), reason=error.strerror))


def now() -> str:
    """This instant on the host's clock, with its zone."""
    return datetime.now().astimezone().isoformat(timespec="milliseconds")


def default_folder(pid: int, host: str | None = None) -> Path:
    """mqdiag-HOST-PID-TIME in the working folder."""
    name = _UNFIT.sub("-", host or socket.gethostname()) or "host"
    return Path(f"mqdiag-{name}-{pid}-{datetime.now():%Y%m%d-%H%M%S}")
