"""Finds the commands in the package and imports only the one that is called."""

from __future__ import annotations

import difflib
import importlib
import pkgutil

import click

from mqdiag.errors import UsageError
from mqdiag.text import say


class CommandFolder(click.Group):
    """A click group whose commands are the modules of `mqdiag.cli`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All modules; packages are shared code."""
        import mqdiag.cli as package

        return sorted(found.name for found in pkgutil.iter_modules(package.__path__) if not found.ispkg)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command's module."""
        if cmd_name not in self.list_commands(ctx):
            return None
        command = importlib.import_module(f"mqdiag.cli.{cmd_name}").command
        if not isinstance(command, click.Command):
            raise TypeError(f"mqdiag.cli.{cmd_name} has no click command named command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Name the nearest command for a mistyped one."""
        name = args[0]
        if not name.startswith("-") and name not in (known := self.list_commands(ctx)):
            close = difflib.get_close_matches(name, known, n=1)
            if close:
                raise UsageError(
                    say("no such command {name}; did you mean {close}?", name=repr(name), close=close[0])
                )
            raise UsageError(
                say("no such command {name}; there are {known}", name=repr(name), known=tuple(known))
            )
        return super().resolve_command(ctx, args)
