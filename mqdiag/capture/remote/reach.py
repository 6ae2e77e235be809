"""Shell scripts run in a pod or on another host, with their output streamed here.

No value of the user and none from the other side is put into a script: scripts are constants, and values are their
arguments. kubectl takes them as they are; ssh hands one line to the login shell, so `shlex` quotes them.
"""

from __future__ import annotations

import io
import re
import shlex
from dataclasses import dataclass
from typing import Protocol

from mqdiag.capture.jdk import MOST_ANSWER_BYTES, ToolFailed, last_line
from mqdiag.capture.program import Sink, run_program
from mqdiag.errors import UsageError
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.text import Text, say

ASK_SECONDS = 60.0
_END = "mqdiag: ended with "
_WRAPPED = "export LC_ALL=C\n({script}\n)\necho '" + _END + "'$? >&2\n"
_CONNECT = (
    "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=15",
    "-o", "ServerAliveInterval=10", "-o", "ServerAliveCountMax=3",
)  # fmt: skip


_KUBE_NAME = lazy_pattern(r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?")
"""a name of an object of Kubernetes (RFC 1123)"""
_HOST = lazy_pattern(r"(?!-)[\w.@:%+/\[\]-]{1,1024}", re.ASCII)
"""a host, with a user, a port or as an address, also as a URL of ssh"""


class ConnectionLost(ToolFailed):
    """The script did not end over there: the way to it is gone, or there never was one."""


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
    if not _KUBE_NAME.fullmatch(name) or (slash and not _KUBE_NAME.fullmatch(container)):
        raise UsageError(say("--kube {text} is not POD or POD/CONTAINER", text=repr(text)))
    if namespace is not None and not _KUBE_NAME.fullmatch(namespace):
        raise UsageError(say("--namespace {text} is not the name of a namespace", text=repr(namespace)))
    return Pod(name=name, container=container or None, namespace=namespace)


def host(text: str) -> Host:
    """HOST, USER@HOST or a name of ~/.ssh/config.

    Raises:
        UsageError: it has characters that no host's name has, or ssh would take it as an option.
    """
    if not _HOST.fullmatch(text):
        raise UsageError(say("--ssh {text} is not a host", text=repr(text)))
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
    ended = run_program(command, out=out, most_bytes=most_bytes, seconds=seconds)
    if ended.too_much:
        raise ToolFailed(say("it printed more than {limit:bytes}", limit=most_bytes))
    _check_end(command[0], ended.errors)
    return ended.taken


def _check_end(tool: str, said: str) -> None:
    """The script's last word is its exit code: kubectl's own code does not tell a lost connection from a failure."""
    before, end, code = said.rpartition(_END)
    if not end:
        reason: Text | str = last_line(said) or say("the connection ended")
        raise ConnectionLost(say("{tool}: {reason}", tool=tool, reason=reason))
    if code.strip() != "0":
        raise ToolFailed(last_line(before) or say("it printed no reason"))
