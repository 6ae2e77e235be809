"""The tools that speak to a JVM: jcmd and jstack of its own JDK, or of another JDK on this host."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from mqdiag.capture.target import Target
from mqdiag.language import english
from mqdiag.text import Text, say

ATTACH_SECONDS = 30.0
MOST_ANSWER_BYTES = 8 << 20
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
    code, out, errors = _run(tool, target, words, subprocess.PIPE, seconds)
    text = out[:MOST_ANSWER_BYTES].decode("utf-8", "replace")
    if code:
        raise ToolFailed(_why(errors.decode("utf-8", "replace") or text))
    return text


def write_answer(
    tool: Tool, target: Target, file: BinaryIO, *words: str, seconds: float = ATTACH_SECONDS
) -> None:
    """Let a tool write its answer to a file.

    Raises:
        ToolFailed: it failed or took too long.
    """
    code, _, errors = _run(tool, target, words, file.fileno(), seconds)
    if code or os.fstat(file.fileno()).st_size == 0:
        raise ToolFailed(_why(errors.decode("utf-8", "replace")))


def _run(
    tool: Tool, target: Target, words: tuple[str, ...], out: int, seconds: float
) -> tuple[int, bytes, bytes]:
    """Run the tool as the user of the JVM: old JVMs answer nobody else, and root can become that user."""
    other = os.geteuid() == 0 and target.uid != 0
    # Options that are meant for the application must not reach its tools; a session of its own keeps Ctrl-C, which is
    # for mqdiag, away from the tool, so that it is ended in one place.
    environment = {name: value for name, value in os.environ.items() if name not in _OPTIONS}
    with subprocess.Popen(
        tool.command(target, *words),
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=subprocess.PIPE,
        cwd="/",
        env=environment | {"LC_ALL": "C.UTF-8"},
        start_new_session=True,
        user=target.uid if other else None,
        group=target.gid if other else None,
        extra_groups=_groups(target) if other else None,
    ) as process:
        try:
            answer, errors = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise NoAnswer(
                say(
                    "no answer within {limit_s:seconds}; the JVM is stopped, or too busy to answer",
                    limit_s=seconds,
                )
            ) from None
        except BaseException:
            process.kill()
            raise
    return process.returncode, answer or b"", errors


def _groups(target: Target) -> list[int]:
    try:
        return os.getgrouplist(pwd.getpwuid(target.uid).pw_name, target.gid)
    except KeyError:
        return [target.gid]


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
    os.kill(target.pid, signal.SIGQUIT)
