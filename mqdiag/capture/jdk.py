"""The tools that speak to a JVM: jcmd and jstack of its own JDK, or of another JDK on this host."""

from __future__ import annotations

import io
import os
import shutil
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from mqdiag.capture.program import Ended, Sink, User, run_program
from mqdiag.capture.target import Target
from mqdiag.language import english
from mqdiag.text import Text, say

ATTACH_SECONDS = 30.0
MOST_ANSWER_BYTES = 8 << 20
MOST_DUMP_BYTES = 256 << 20
"""size of one thread dump"""
_MOST_SHOWN = 300
_OPTIONS = frozenset({"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"})


class ToolFailed(Exception):
    """A tool did not do what it was asked.

    Args:
        reason: why, in one line; a `str` is what the tool printed.
    """

    def __init__(self, reason: Text | str) -> None:
        self.reason = reason if isinstance(reason, Text) else say("{printed}", printed=reason)
        super().__init__(reason)

    def __str__(self) -> str:
        return english()(self.reason)


class NoAnswer(ToolFailed):
    """The JVM did not answer in time; it will not answer another tool either."""


@dataclass(frozen=True, kw_only=True)
class Tool:
    """jcmd or jstack."""

    name: str
    path: str

    def command(self, target: Target, *words: str) -> list[str]:
        """The command line for a target."""
        return (
            [self.path, str(target.pid), *words]
            if self.name == "jcmd"
            else [self.path, *words, str(target.pid)]
        )


def find_tools(target: Target, environment: Mapping[str, str] | None = None) -> dict[str, Tool]:
    """The tools by name: beside the target's own java program, in JAVA_HOME, then on the PATH."""
    environment = os.environ if environment is None else environment
    folders = []
    if target.program is not None and not target.own_files:
        own = Path(target.program).parent
        # a JDK 8 has its java program in jre/bin
        folders += [own, own.parent.parent / "bin"]
    if environment.get("JAVA_HOME"):
        folders.append(Path(environment["JAVA_HOME"]) / "bin")
    found = {}
    for name in ("jcmd", "jstack"):
        beside = next((str(folder / name) for folder in folders if os.access(folder / name, os.X_OK)), None)
        path = beside or shutil.which(name, path=environment.get("PATH"))
        if path is not None:
            found[name] = Tool(name=name, path=path)
    return found


def ask(tool: Tool, target: Target, *words: str, seconds: float = ATTACH_SECONDS) -> str:
    """What a tool answers, as text.

    Raises:
        ToolFailed: it failed or took too long.
    """
    out = io.BytesIO()
    ended = _run(tool, target, words, out, MOST_ANSWER_BYTES, seconds)
    text = out.getvalue().decode("utf-8", "replace")
    if ended.code:
        raise ToolFailed(_why(ended.errors or text))
    return text


def write_answer(
    tool: Tool, target: Target, file: BinaryIO, *words: str, seconds: float = ATTACH_SECONDS
) -> None:
    """Let a tool write its answer to a file.

    Raises:
        ToolFailed: it failed or took too long.
    """
    ended = _run(tool, target, words, file, MOST_DUMP_BYTES, seconds)
    if ended.code or not ended.taken:
        raise ToolFailed(_why(ended.errors))


def _run(
    tool: Tool, target: Target, words: tuple[str, ...], out: Sink, most_bytes: int, seconds: float
) -> Ended:
    """Run the tool as the user of the JVM: old JVMs answer nobody else, and root can become that user."""
    other = target.is_another_users
    ended = run_program(
        tool.command(target, *words),
        out=out,
        most_bytes=most_bytes,
        seconds=seconds,
        user=User(uid=target.uid, gid=target.gid, groups=target.groups) if other else None,
        folder="/",
        environment=_environment(other),
    )
    if ended.too_long:
        raise NoAnswer(
            say(
                "no answer within {limit_s:seconds}; the JVM is stopped, or too busy to answer", limit_s=seconds
            )
        )
    if ended.too_much:
        raise ToolFailed(say("it printed more than {limit:bytes}", limit=most_bytes))
    return ended


def _environment(other: bool) -> dict[str, str]:
    """The variables of a tool.

    Args:
        other: it runs as another user, who may have put the tool there: what root's variables say is not for them.
    """
    # Options that are meant for the application must not reach its tools.
    given = os.environ.items()
    kept = {name: value for name, value in given if name == "PATH" or not (other or name in _OPTIONS)}
    return kept | {"LC_ALL": "C.UTF-8"}


def last_line(answer: str) -> str:
    """The last line of an answer, cut to one that can be shown; "" if there is none."""
    lines = answer.strip().splitlines()
    return lines[-1][:_MOST_SHOWN] if lines else ""


def _why(text: str) -> Text | str:
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith(("\t", " "))]
    told = next((line for line in lines if "Exception" in line or "rror" in line), lines[0] if lines else "")
    return told.removeprefix("com.sun.tools.attach.")[:_MOST_SHOWN] or say("it printed no reason")


def quit_signal(target: Target) -> None:
    """Ask the JVM for a thread dump on its own console.

    Raises:
        ToolFailed: it does not catch the signal, and would end.
    """
    if not target.catches_sigquit:
        raise ToolFailed(
            say("the process does not catch SIGQUIT (-Xrs?) and would be ended by it; nothing was sent")
        )
    try:
        process = os.pidfd_open(target.pid)
    except ProcessLookupError:
        raise _gone(target) from None
    except (AttributeError, OSError):  # Linux before 5.3, or a container that forbids it
        if not target.runs:
            raise _gone(target) from None
        os.kill(target.pid, signal.SIGQUIT)
        return
    try:
        # A new process with this number may not catch it. What was opened stays this process.
        if not target.runs:
            raise _gone(target)
        signal.pidfd_send_signal(process, signal.SIGQUIT)
    finally:
        os.close(process)


def _gone(target: Target) -> ToolFailed:
    return ToolFailed(say("process {pid} is gone", pid=target.pid))
