"""A flight recording of a running JVM: one of our own for so many seconds, or what the ones that run already hold."""

from __future__ import annotations

import os
import re
import shlex
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from mqdiag.capture.folder import CaptureFolder, Tell
from mqdiag.capture.inside import opened_folder
from mqdiag.capture.jdk import Tool, ToolFailed, ask, last_line
from mqdiag.capture.taken_over import move_written
from mqdiag.capture.target import Target
from mqdiag.errors import OutputError, UsageError
from mqdiag.files import RESERVE_BYTES, free_bytes
from mqdiag.text import Text, say

RUNNING = "running"
MOST_SECONDS = 3600
MOST_BYTES = 128 << 20
"""what the JVM may keep of a recording; the oldest part goes first"""
SPARE_SECONDS = 60
"""so much later a recording ends by itself, where nobody was left to stop it"""
ANSWER_SECONDS = 120.0
"""for the JVM to write a recording of `MOST_BYTES`"""
PLACE = "/tmp"
_ASKED = re.compile(r"([1-9]\d{0,4})(s|m)?")


@dataclass(frozen=True, kw_only=True)
class RecordingPlan:
    """Which recording is wanted, and what it needs of the disk."""

    seconds: int | None
    """for how long; None: what the recordings that run already hold"""

    @property
    def bytes_needed(self) -> int:
        """What is written at most: the JVM's own files, and the copy that it makes of them."""
        return MOST_BYTES if self.seconds is None else 2 * MOST_BYTES

    @property
    def options(self) -> tuple[str, ...]:
        """What is said to JFR.start or JFR.dump besides names and files."""
        most = f"maxsize={MOST_BYTES >> 20}M"
        return (most,) if self.seconds is None else (f"duration={self.seconds + SPARE_SECONDS}s", most)

    def check_space(self, free: int) -> None:
        """Refuse a disk that has no room for it.

        Raises:
            ToolFailed: it has not.
        """
        if free < self.bytes_needed + RESERVE_BYTES:
            raise ToolFailed(
                say(
                    "it needs up to {bytes_needed:bytes}, and {free_bytes:bytes} are free where the JVM would"
                    " write it ({path})",
                    bytes_needed=self.bytes_needed,
                    free_bytes=free,
                    path=PLACE,
                )
            )

    def cost(self, pid: int) -> Text:
        """What it does to the process."""
        if self.seconds is None:
            return say(
                "flight recording: process {pid} writes what its running recordings hold, up to {most:bytes}",
                pid=pid,
                most=MOST_BYTES,
            )
        return say(
            "flight recording: for {duration_s:seconds}, process {pid} takes about 2 % more processor time (before JDK"
            " 25 another 2 % of one processor for each 10,000 exceptions a second) and up to {most:bytes} of disk, and"
            " writes its threads down each 5 s",
            pid=pid,
            duration_s=self.seconds,
            most=self.bytes_needed,
        )


def recording_plan(asked: str) -> RecordingPlan:
    """Read what `--recording` asks for: 60s, 2m or running.

    Raises:
        UsageError: it is none of these.
    """
    if asked == RUNNING:
        return RecordingPlan(seconds=None)
    found = _ASKED.fullmatch(asked)
    seconds = int(found[1]) * (60 if found[2] == "m" else 1) if found else 0
    if not 1 <= seconds <= MOST_SECONDS:
        raise UsageError(
            say(
                "--recording {text} is not a time from 1s to {most_s:seconds}, and not {running}",
                text=repr(asked),
                most_s=MOST_SECONDS,
                running=RUNNING,
            )
        )
    return RecordingPlan(seconds=seconds)


def settings_text() -> bytes:
    """The settings with which mqdiag records."""
    return files("mqdiag.knowledge").joinpath("recordings", "mqdiag.jfc").read_bytes()


def recording_file(pid: int) -> str:
    """The name of the recording in the folder of the capture."""
    return f"recording/recording-{pid}.jfr"


def take_recording(folder: CaptureFolder, target: Target, jcmd: Tool, plan: RecordingPlan, tell: Tell) -> Path:
    """Take it, and move it into the folder; a recording that was interrupted is kept as far as it came.

    Raises:
        ToolFailed: the JVM did not write it.
        OutputError: it cannot be moved.
    """
    name = f"mqdiag-{os.getpid()}-{target.pid}"
    kept = folder.path / recording_file(target.pid)
    written = f"{PLACE}/{name}.jfr"
    with opened_folder(target.root, PLACE) as there:
        plan.check_space(free_bytes(there))
        tell(plan.cost(target.pid))
        words = ["JFR.dump", f"filename={written}", *plan.options]
        if plan.seconds is not None:
            words[:1] = ["JFR.start", f"name={name}", f"settings={PLACE}/{name}.jfc"]
        with folder.step("flight recording", shlex.join(jcmd.command(target, *words))) as note:
            note["file"] = recording_file(target.pid)
            try:
                if plan.seconds is None:
                    answer = ask(jcmd, target, *words, seconds=ANSWER_SECONDS)
                else:
                    answer = _record(there, target, jcmd, name, words, plan.seconds)
            finally:
                moved = _moved(there, target, written, kept)
            if not moved:
                raise ToolFailed(last_line(answer) or say("the JVM wrote no file"))
            note["bytes"] = kept.stat().st_size
    return kept


def _record(there: int, target: Target, jcmd: Tool, name: str, words: list[str], seconds: int) -> str:
    """Start the recording, wait, and stop it, which writes its file; the answer of the last step."""
    with _settings(there, f"{name}.jfc"):
        answer = ask(jcmd, target, *words)
    if "Started recording" not in answer:
        raise ToolFailed(last_line(answer) or say("the JVM wrote no file"))
    try:
        end = time.monotonic() + seconds
        while target.runs and (left := end - time.monotonic()) > 0:
            time.sleep(min(left, 1.0))
    finally:
        answer = ask(jcmd, target, "JFR.stop", f"name={name}", seconds=ANSWER_SECONDS) if target.runs else ""
    return answer


@contextmanager
def _settings(there: int, name: str) -> Iterator[None]:
    """The file of settings while the JVM reads it; a link in its place is not followed."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    try:
        with os.fdopen(os.open(name, flags, 0o600, dir_fd=there), "wb") as file:
            os.fchmod(file.fileno(), 0o644)
            file.write(settings_text())
    except OSError as error:
        problem = say("{path}: cannot be written: {reason}", path=f"{PLACE}/{name}", reason=error.strerror)
        raise ToolFailed(problem) from None
    try:
        yield
    finally:
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=there)


def _moved(there: int, target: Target, written: str, kept: Path) -> bool:
    """Whether the JVM wrote the file, which is in the folder of the capture now."""
    try:
        if not move_written(there, target.root + written, kept, target):
            return False
    except OSError as error:
        raise OutputError(
            say(
                "{path}: cannot be written: {reason}; the recording is {written}",
                path=str(kept),
                reason=error.strerror,
                written=target.root + written,
            )
        ) from error
    if kept.stat().st_size:
        return True
    kept.unlink()
    return False
