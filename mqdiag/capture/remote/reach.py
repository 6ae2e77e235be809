"""Shell scripts run in a pod or on another host, with their output streamed here.

No value of the user and none from the other side is put into a script: scripts are constants, and values are their
arguments. kubectl takes them as they are; ssh hands one line to the login shell, so `shlex` quotes them.
"""

from __future__ import annotations

import io
import os
import selectors
import shlex
import subprocess
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from mqdiag.capture.jdk import MOST_ANSWER_BYTES, ToolFailed, last_line
from mqdiag.errors import UsageError
from mqdiag.text import Text, say

CHUNK = 1 << 16
MOST_ERROR_BYTES = 1 << 16
ASK_SECONDS = 60.0
LOOK_S = 0.1
_END = "mqdiag: ended with "
_WRAPPED = "export LC_ALL=C\n({script}\n)\necho '" + _END + "'$? >&2\n"
_CONNECT = (
    "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=15",
    "-o", "ServerAliveInterval=10", "-o", "ServerAliveCountMax=3",
)  # fmt: skip


class ConnectionLost(ToolFailed):
    """The script did not end over there: the way to it is gone, or there never was one."""


class Sink(Protocol):
    """Takes what is streamed."""

    def write(self, data: bytes, /) -> object:
        """Take the next bytes."""


class Reach(Protocol):
    """A way to the other side."""

    @property
    def name(self) -> str:
        """Pod or host, as the user named it."""

    def command(self, script: str, *words: str) -> list[str]:
        """The command of this host that runs a script over there."""


@dataclass(frozen=True, kw_only=True)
class Pod:
    """By kubectl exec."""

    name: str
    container: str | None = None
    namespace: str | None = None

    def command(self, script: str, *words: str) -> list[str]:
        """The command of this host that runs a script in the container."""
        namespace = () if self.namespace is None else (f"--namespace={self.namespace}",)
        container = () if self.container is None else (f"--container={self.container}",)
        return ["kubectl", "exec", *namespace, self.name, *container, "--", "sh", "-c", script, "sh", *words]


@dataclass(frozen=True, kw_only=True)
class Host:
    """By ssh, with keys or an agent: nobody is asked for a password."""

    name: str

    def command(self, script: str, *words: str) -> list[str]:
        """The command of this host that runs a script on the other one."""
        return ["ssh", *_CONNECT, "--", self.name, shlex.join(["sh", "-c", script, "sh", *words])]


def pod(text: str, namespace: str | None) -> Pod:
    """POD or POD/CONTAINER.

    Raises:
        UsageError: it is neither.
    """
    name, slash, container = text.partition("/")
    if not name or name.startswith("-") or (slash and not container) or "/" in container:
        raise UsageError(say("--kube {text} is not POD or POD/CONTAINER", text=repr(text)))
    return Pod(name=name, container=container or None, namespace=namespace)


def host(text: str) -> Host:
    """HOST, USER@HOST or a name of ~/.ssh/config.

    Raises:
        UsageError: ssh would take it as an option.
    """
    if not text or text.startswith("-"):
        raise UsageError(say("--ssh {text} is no host", text=repr(text)))
    return Host(name=text)


def answer(reach: Reach, script: str, *words: str) -> str:
    """What a script prints; errors as in `stream`."""
    out = io.BytesIO()
    stream(reach, script, *words, out=out, most_bytes=MOST_ANSWER_BYTES)
    return out.getvalue().decode("utf-8", "replace")


def stream(
    reach: Reach, script: str, *words: str, out: Sink, most_bytes: int, seconds: float = ASK_SECONDS
) -> int:
    """Write what a script prints to a file, and return the number of bytes.

    Args:
        reach: the way to the other side.
        script: for a POSIX shell.
        words: its arguments.
        out: where to.
        most_bytes: the script is ended when it prints more.
        seconds: it is ended when it takes longer.

    Raises:
        ConnectionLost: it did not end by itself.
        ToolFailed: it failed.
        OSError: kubectl or ssh is not there, or `out` takes no more.
    """
    command = reach.command(_WRAPPED.replace("{script}", script), *words)
    # A session of its own keeps Ctrl-C, which is for mqdiag, away from the tool.
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
        start_new_session=True,
    )  # fmt: skip
    in_time = threading.Timer(seconds, process.kill)
    taken, errors = 0, b""
    try:
        in_time.start()
        for chunk, is_error in _chunks(process):
            if is_error:
                # The last word is at the end, and the other side may print errors without one.
                errors = (errors + chunk)[-MOST_ERROR_BYTES:]
                continue
            taken += len(chunk)
            if taken > most_bytes:
                raise ToolFailed(say("it printed more than {limit:bytes}", limit=most_bytes))
            out.write(chunk)
    finally:
        in_time.cancel()
        process.kill()
        with process:
            pass  # closes the pipes, and waits for the end
    _check_end(command[0], errors.decode("utf-8", "replace"))
    return taken


def _chunks(process: subprocess.Popen[bytes]) -> Iterator[tuple[bytes, bool]]:
    """What a process prints, until it has ended: (bytes, whether they are of its errors)."""
    assert process.stdout is not None
    assert process.stderr is not None
    out, errors = process.stdout.fileno(), process.stderr.fileno()
    os.set_blocking(errors, False)
    with selectors.DefaultSelector() as ready:
        ready.register(out, selectors.EVENT_READ)
        ready.register(errors, selectors.EVENT_READ)
        # The errors may stay open for longer: an ssh that shares its connection leaves a process behind.
        while out in ready.get_map() or process.poll() is None:
            for key, _ in ready.select(LOOK_S):
                if chunk := os.read(key.fd, CHUNK):
                    yield chunk, key.fd == errors
                else:
                    ready.unregister(key.fd)
            if not ready.get_map():
                process.wait()
    with suppress(BlockingIOError):
        yield os.read(errors, CHUNK), True


def _check_end(tool: str, said: str) -> None:
    """The script's last word is its exit code: kubectl's own code does not tell a lost connection from a failure."""
    before, end, code = said.rpartition(_END)
    if not end:
        reason: Text | str = last_line(said) or say("the connection ended")
        raise ConnectionLost(say("{tool}: {reason}", tool=tool, reason=reason))
    if code.strip() != "0":
        raise ToolFailed(last_line(before) or say("it printed no reason"))
