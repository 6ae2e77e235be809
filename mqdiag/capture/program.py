"""Runs a program that is not trusted: its time and its output are limited.

What jcmd prints comes from the process that it asks, and a process can answer whatever it likes, without an end.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

CHUNK = 1 << 16
MOST_ERROR_BYTES = 1 << 16
"""bytes of what it prints as errors; the last ones are kept"""
LOOK_S = 0.1


class Sink(Protocol):
    """Takes what is streamed."""

    def write(self, data: bytes, /) -> object:
        """Take the next bytes."""


@dataclass(frozen=True, kw_only=True)
class User:
    """Whose rights a program gets, where they are not those of this process."""

    uid: int
    gid: int
    groups: list[int]


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How a program ended."""

    code: int
    """exit code; minus the number of the signal that ended it"""
    taken: int
    """bytes of its output"""
    errors: str
    too_long: bool
    """it was ended because its time was up"""
    too_much: bool
    """it was ended because it printed more than it may"""


def run_program(
    command: Sequence[str],
    *,
    out: Sink,
    most_bytes: int,
    seconds: float,
    folder: str | None = None,
    user: User | None = None,
    environment: Mapping[str, str] | None = None,
) -> Ended:
    """Run a program, and write what it prints to a file.

    Args:
        command: the program and its arguments.
        out: where to.
        most_bytes: of its output; it is ended when it prints more.
        seconds: it is ended when it takes longer.
        folder: in which it runs; None for that of this process.
        user: as whom it runs; only root can name somebody else.
        environment: its variables; None for those of this process.

    Raises:
        OSError: it cannot be started, or `out` takes no more.
    """
    # A session of its own keeps Ctrl-C, which is for mqdiag, away from the program, so that it is ended in one place.
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        cwd=folder,
        env=environment,
        start_new_session=True,
        user=None if user is None else user.uid,
        group=None if user is None else user.gid,
        extra_groups=None if user is None else user.groups,
    )
    up = threading.Event()

    def end() -> None:
        up.set()
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)

    in_time = threading.Timer(seconds, end)
    taken, errors, too_much = 0, b"", False
    try:
        in_time.start()
        for chunk, is_error in _chunks(process, up):
            if is_error:
                # The last word is at the end, and it may print errors without one.
                errors = (errors + chunk)[-MOST_ERROR_BYTES:]
                continue
            taken += len(chunk)
            if taken > most_bytes:
                too_much = True
                break
            out.write(chunk)
    finally:
        in_time.cancel()
        process.kill()
        with process:
            pass  # closes the pipes, and waits for the end
    return Ended(
        code=process.returncode,
        taken=taken,
        errors=errors.decode("utf-8", "replace"),
        too_long=up.is_set(),
        too_much=too_much,
    )


def _chunks(process: subprocess.Popen[bytes], up: threading.Event) -> Iterator[tuple[bytes, bool]]:
    """What a process prints, until it has ended or its time is up: (bytes, whether they are of its errors)."""
    assert process.stdout is not None
    assert process.stderr is not None
    out, errors = process.stdout.fileno(), process.stderr.fileno()
    os.set_blocking(errors, False)
    with selectors.DefaultSelector() as ready:
        ready.register(out, selectors.EVENT_READ)
        ready.register(errors, selectors.EVENT_READ)
        while ready.get_map() and not up.is_set():
            ended = process.poll() is not None
            found = ready.select(LOOK_S)
            # Processes that it left behind keep the pipes open, as an ssh that shares its connection does.
            if ended and not found:
                break
            for key, _ in found:
                if chunk := os.read(key.fd, CHUNK):
                    yield chunk, key.fd == errors
                else:
                    ready.unregister(key.fd)
    while process.poll() is None and not up.is_set():  # it has closed its pipes and goes on
        with suppress(subprocess.TimeoutExpired):
            process.wait(LOOK_S)
    with suppress(BlockingIOError):
        yield os.read(errors, CHUNK), True
