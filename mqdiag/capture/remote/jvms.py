"""The JVMs on the other side."""

from __future__ import annotations

from dataclasses import dataclass, field

from mqdiag.capture.guess import guess
from mqdiag.capture.jdk import ToolFailed
from mqdiag.capture.remote.reach import Reach, answer
from mqdiag.capture.remote.scripts import LIST_JVMS
from mqdiag.errors import EXIT_INPUT, MqdiagError, UsageError
from mqdiag.text import Text, say

MOST_JVMS = 1000


class RemoteError(MqdiagError):
    """Nothing can be taken there."""

    exit_code = EXIT_INPUT


@dataclass(kw_only=True)
class RemoteJvm:
    """A JVM in a pod or on another host."""

    pid: int
    user: str
    denied: bool
    """this user may not look into it"""
    arguments: list[str] = field(default_factory=list)
    threads: set[str] = field(default_factory=set)

    @property
    def command(self) -> tuple[str, ...]:
        """Its command line."""
        return tuple(self.arguments)

    @property
    def guess(self) -> Text:
        """What it seems to be."""
        return guess(self.command, self.threads)


def remote_jvms(reach: Reach) -> tuple[str, list[RemoteJvm]]:
    """The name of the other side's host, and its JVMs.

    Raises:
        RemoteError: there is no way to it.
        UsageError: kubectl or ssh is not on the PATH.
    """
    try:
        lines = answer(reach, LIST_JVMS).splitlines()
    except FileNotFoundError:
        raise UsageError(say("{tool} is not on the PATH", tool=reach.command("")[0])) from None
    except ToolFailed as error:
        raise RemoteError(say("{name}: {reason}", name=reach.name, reason=error.reason)) from None
    host, found = reach.name, list[RemoteJvm]()
    for line in lines:
        kind, _, value = line.partition(" ")
        if kind == "host" and value:
            host = value
        elif kind in ("jvm", "denied") and len(found) < MOST_JVMS:
            pid, _, user = value.partition(" ")
            if pid.isdecimal():
                found.append(RemoteJvm(pid=int(pid), user=user, denied=kind == "denied"))
        elif kind == "argument" and found:
            found[-1].arguments.append(value)
        elif kind == "thread" and found:
            found[-1].threads.add(value)
    return host, found


def pick(reach: Reach, jvms: list[RemoteJvm], pid: int | None) -> RemoteJvm | None:
    """The JVM of that number, or the only one; None where there are several to choose from.

    Raises:
        RemoteError: there is none, or it belongs to another user.
    """
    wanted = [jvm for jvm in jvms if pid in (None, jvm.pid)]
    if not wanted:
        problem = say("no JVM runs there") if pid is None else say("process {pid} is not a JVM there", pid=pid)
        raise RemoteError(say("{name}: {problem}", name=reach.name, problem=problem))
    allowed = [jvm for jvm in wanted if not jvm.denied]
    if not allowed:
        owner = wanted[0].user
        who = say("{user}", user=owner) if owner == "root" else say("{user} or root", user=owner)
        raise RemoteError(
            say(
                "{name}: process {pid} belongs to user {user}, and only {who} may look into it",
                name=reach.name,
                pid=wanted[0].pid,
                user=owner,
                who=who,
            )
        )
    return allowed[0] if len(allowed) == 1 else None
