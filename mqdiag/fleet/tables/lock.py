"""One run at a time in one output."""

from __future__ import annotations

import fcntl
import os
import secrets
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import msgspec

from mqdiag.errors import UsageError
from mqdiag.fleet.files.storage import without_options
from mqdiag.fleet.tables.layout import Layout
from mqdiag.text import say

NAME = "_lock"
BEAT_S = 60.0
"""how often a run tells an object store that it lives"""
STALE_S = 600.0
"""a run that has told nothing for so long was killed; more than clocks of machines differ"""
SETTLE_S = 3.0
"""after so long a run looks whether another one has taken the output at the same moment: stores have no locks"""


class BusyError(UsageError):
    """Another run holds the output."""


class _Held(msgspec.Struct, frozen=True, kw_only=True):
    """What the object says."""

    token: str
    by: str
    """machine and process"""
    beat_at: float
    """seconds since 1970"""


@contextmanager
def output_lock(layout: Layout) -> Iterator[None]:
    """Hold the output.

    Raises:
        BusyError: another run holds it.
        UsageError: it cannot be written.
    """
    if not layout.store.is_local:
        with _object_lock(layout):
            yield
        return
    try:
        os.makedirs(layout.root, exist_ok=True)
        descriptor = os.open(f"{layout.root}/{NAME}", os.O_WRONLY | os.O_CREAT, 0o666)
    except OSError as error:
        raise UsageError(say("--out {root}: {reason}", root=layout.root, reason=error.strerror)) from error
    with os.fdopen(descriptor, "w"):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise BusyError(say("--out {root}: another run is at work there", root=layout.root)) from None
        yield


@contextmanager
def _object_lock(layout: Layout) -> Iterator[None]:
    """Hold an output in an object store: by an object with a token, which is written again as long as the run lives."""
    path = f"{layout.root}/{NAME}"
    token = secrets.token_hex(8)

    def beat() -> None:
        told = _Held(token=token, by=f"{socket.gethostname()}/{os.getpid()}", beat_at=time.time())
        layout.store.write(path, msgspec.json.encode(told))

    _refuse(layout, path, token)
    beat()
    time.sleep(SETTLE_S)
    _refuse(layout, path, token)
    ended = threading.Event()

    def beats() -> None:
        while not ended.wait(BEAT_S):
            with suppress(OSError):  # the next one may succeed
                beat()

    thread = threading.Thread(target=beats, name="output lock", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        held = _held(layout, path)
        if held is not None and held.token == token:
            layout.store.remove_file(path)


def _refuse(layout: Layout, path: str, token: str) -> None:
    held = _held(layout, path)
    if held is None or held.token == token or abs(time.time() - held.beat_at) > STALE_S:
        return
    raise BusyError(
        say(
            "--out {root}: another run is at work there ({by}); if it was killed, wait {stale_s:seconds} or delete"
            " {name}",
            root=without_options(layout.uri),
            by=held.by,
            stale_s=STALE_S,
            name=NAME,
        )
    )


def _held(layout: Layout, path: str) -> _Held | None:
    """Who holds it; None where nobody does, or what is there is damaged."""
    try:
        return msgspec.json.decode(layout.store.read(path), type=_Held)
    except (FileNotFoundError, msgspec.MsgspecError):
        return None
