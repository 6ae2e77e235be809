"""Finds the commands in the package and imports only the one that is called."""

from __future__ import annotations

import importlib
import os
import sys
from functools import cache
from pathlib import Path

import click

from mqdiag.cli.common.commands import Command
from mqdiag.cli.common.language import in_reader_language
from mqdiag.errors import UsageError
from mqdiag.text import say

COMMANDS = str(Path(__file__).parents[1])
"""the folder of the package `mqdiag.cli`"""
_COMMANDS = say("Commands")


class CommandFolder(Command, click.Group):
    """A click group whose commands are the modules of `mqdiag.cli`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All modules; packages are shared code. The module `fleet_compact` is the command `fleet compact`."""
        return list(_names())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command's module."""
        if cmd_name not in self.list_commands(ctx):
            return None
        module = f"mqdiag.cli.{cmd_name.replace(' ', '_')}"
        command = importlib.import_module(module).command
        if not isinstance(command, click.Command):
            raise TypeError(f"{module} has no click command named command")
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The words of the command line; a terminal without any gets what is here in place of the help."""
        if not args and not ctx.resilient_parsing and sys.stdout is not None and sys.stdout.isatty():
            from mqdiag.cli.common.here import show_here

            ctx.exit(show_here())
        return super().parse_args(
            ctx, ["diagnose", *args] if self._has_options_before_evidence(ctx, args) else args
        )

    def _has_options_before_evidence(self, ctx: click.Context, args: list[str]) -> bool:
        """Whether the words begin with an option of a command, name evidence and no command: `--lang zh FILE`."""
        own = {name for one in self.get_params(ctx) for name in one.opts}
        return (
            bool(args)
            and args[0].startswith("-")
            and args[0] != "-"
            and not own.intersection(args)
            and not set(args).intersection(self.list_commands(ctx))
            and any(not word.startswith("--") and _is_evidence(word) for word in args)
        )

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command of the first word, or of the first two; evidence without a command is diagnosed.

        For a mistyped command the nearest is named.
        """
        name = args[0]
        if (of_two := " ".join(args[:2])) in self.list_commands(ctx):
            return of_two, self.get_command(ctx, of_two), args[2:]
        if not name.startswith("-") and name not in (known := self.list_commands(ctx)):
            if _is_evidence(name):
                return "diagnose", self.get_command(ctx, "diagnose"), args
            # The nearest name is heap, which would mislead.
            if name == "help":
                raise UsageError(say("no such command {name}; see mqdiag --help", name=repr(name)))
            from mqdiag.spelling import did_you_mean, nearest

            close = nearest(name, known)[:1]
            if close:
                raise UsageError(did_you_mean(say("no command, file or folder {name}", name=repr(name)), close))
            raise UsageError(
                say(
                    "no command, file or folder {name}; commands are: {known}",
                    name=repr(name),
                    known=tuple(known),
                )
            )
        return super().resolve_command(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options, and the commands below them."""
        Command.format_options(self, ctx, formatter)
        rows = [
            (name, found.get_short_help_str())
            for name in self.list_commands(ctx)
            if (found := self.get_command(ctx, name)) is not None
        ]
        with formatter.section(in_reader_language(_COMMANDS)):
            formatter.write_dl(rows)


@cache
def _names() -> tuple[str, ...]:
    files = (name for name in os.listdir(COMMANDS) if name.endswith(".py") and name != "__init__.py")
    return tuple(sorted(name.removesuffix(".py").replace("_", " ") for name in files))


def _is_evidence(word: str) -> bool:
    """Whether a word in the place of a command is a file, a folder, standard input or the number of a process."""
    return (
        word == "-" or word.isdecimal() or os.path.exists(word) or os.path.basename(word) != word or "." in word
    )
