"""What `mqdiag` alone shows in a terminal: the JVMs and the evidence that are here, each with its command."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator

import click

from mqdiag.cli.common.language import in_reader_language
from mqdiag.render.wording.safe import safe
from mqdiag.text import Text, say

MOST_FILES = 200
"""files whose beginning is read"""
_COMMANDS = {"heap": "heap", "stacks": "stacks", "log": "logs"}
"""command for a file of one kind; `diagnose` reads the others"""


def show_here() -> int:
    """Print the commands that fit what is here, and return the exit code."""
    rows = [*_jvms(), *_evidence()]
    if not rows:
        _line(say("No JVM runs here that this user may look at, and no evidence lies in this folder."))
    width = max((len(command) for command, _ in rows), default=0)
    for command, what in rows:
        click.echo(f"  {safe(command, limit=None):<{width}}  {safe(in_reader_language(what))}")
    _line(say("`mqdiag --help` lists all commands."))
    return 0


def _line(text: Text) -> None:
    click.echo(in_reader_language(text))


def _jvms() -> Iterator[tuple[str, Text]]:
    from mqdiag.capture.guess import guess_with_groups
    from mqdiag.capture.target import running_jvms
    from mqdiag.read.command_line import main_class

    for target in running_jvms():
        yield (
            f"mqdiag {target.pid}",
            say(
                "{guess}: {program}",
                guess=guess_with_groups(target),
                program=main_class(target.command) or target.program,
            ),
        )


def _evidence() -> Iterator[tuple[str, Text]]:
    """The files of each kind in this folder, and the folder as a whole where there are several."""
    from mqdiag.diagnose.sort.kind import all_kinds
    from mqdiag.diagnose.sort.piece import KEPT_HEAD, Piece

    found: dict[str, list[str]] = {}
    with os.scandir(".") as entries:
        files = sorted(entry.name for entry in entries if entry.is_file() and not entry.name.startswith("."))
    for name in files[:MOST_FILES]:
        try:
            with open(name, "rb") as file:
                head = file.read(KEPT_HEAD)
            piece = Piece(name=name, path=name, size_bytes=os.path.getsize(name), head=head)
            kind = next((kind.name for kind in all_kinds() if kind.recognise(piece)), None)
        except OSError:
            continue
        if kind is not None:
            found.setdefault(kind, []).append(name)
    for known, names in found.items():
        command = _COMMANDS.get(known, "diagnose")
        if known == "heap":
            for name in names:
                yield shlex.join(("mqdiag", "heap", name)), say("a heap dump")
            continue
        what = say("{files:count} {files:file|files} of the kind {kind}", files=len(names), kind=known)
        yield f"mqdiag {command} {shlex.join(names)}", what
    if sum(map(len, found.values())) > 1:
        yield "mqdiag .", say("all of it, joined into one verdict")
