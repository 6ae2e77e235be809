"""Commands whose help is in the user's language: click's own classes, with every text looked up where it is shown.

Help texts stay plain English strings in the decorators; `mqdiag.language.extract` finds them there.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import click

from mqdiag.cli.common.language import in_reader_language
from mqdiag.text import Text, say

_USAGE, _OPTIONS = say("Usage: "), say("Options")
_HELP = say("Show this message and exit.")


def written(text: str) -> str:
    """A help text in the user's language."""
    return in_reader_language(Text(text))


class Option(click.Option):
    """An option with a translated help text."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """The option's two columns."""
        english, self.help = self.help, written(self.help or "")
        try:
            return super().get_help_record(ctx)
        finally:
            self.help = english


class Command(click.Command):
    """A command with a translated help page."""

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The first line."""
        pieces = " ".join(self.collect_usage_pieces(ctx))
        formatter.write_usage(ctx.command_path, pieces, prefix=in_reader_language(_USAGE))

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """What the command does."""
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(written(inspect.cleandoc(self.help or "")))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options with their help texts."""
        options = [one for one in self.get_params(ctx) if isinstance(one, click.Option)]
        rows = [row for one in options if (row := one.get_help_record(ctx)) is not None]
        if rows:
            with formatter.section(in_reader_language(_OPTIONS)):
                formatter.write_dl(rows)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Examples and what to mind."""
        if self.epilog:
            formatter.write_paragraph()
            formatter.write_text(written(inspect.cleandoc(self.epilog)))

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """`--help`, in the user's language too."""
        option = super().get_help_option(ctx)
        if option is not None:
            option.help = in_reader_language(_HELP)
        return option

    def get_short_help_str(self, limit: int = 45) -> str:
        """The line in the list of commands."""
        return written(self.short_help or "")


option = functools.partial(click.option, cls=Option)


def command(name: str, **settings: Any) -> Callable[[Callable[..., Any]], Command]:
    """As `click.command`, with a translated help page."""
    return click.command(name, cls=Command, **settings)
