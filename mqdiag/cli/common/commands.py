"""Commands whose help is in the user's language: click's own classes, with every text looked up where it is shown.

Help texts stay plain English strings in the decorators; `mqdiag.language.extract` finds them there.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import click
import msgspec

from mqdiag.cli.common.language import in_reader_language
from mqdiag.errors import UsageError
from mqdiag.text import Text, say

_USAGE, _OPTIONS = say("Usage: "), say("Options")
_HELP = say("Show this message and exit.")
_DEFAULT, _REQUIRED = say("default: {value}"), say("required")


def written(text: str) -> str:
    """A help text in the user's language."""
    return in_reader_language(Text(text))


class Typed(click.Parameter):
    """A parameter that says in the user's language why it does not take a value."""

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        """The value in its type.

        Raises:
            UsageError: it does not fit.
        """
        try:
            return super().type_cast_value(ctx, value)
        except click.BadParameter as error:
            from mqdiag.cli.common.wrong_usage import refused

            problem = refused(self, value, error.message)
            raise UsageError(
                say("{problem}; see {command} --help", problem=problem, command=ctx.command_path)
            ) from None


class Argument(Typed, click.Argument):
    """An argument of a command."""


class Option(Typed, click.Option):
    """An option with a translated help text."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """The option's two columns, with its default and its limits."""
        record = super().get_help_record(ctx)
        if record is None:  # of a hidden one
            return None
        extra = super().get_help_extra(ctx)
        notes = [in_reader_language(_DEFAULT.filled({"value": extra["default"]}))] if "default" in extra else []
        notes += [extra["range"]] if "range" in extra else []
        notes += [in_reader_language(_REQUIRED)] if "required" in extra else []
        text = written(self.help or "")
        return record[0], f"{text}  [{'; '.join(notes)}]" if notes else text


class _HelpPages(msgspec.Struct, forbid_unknown_fields=True):
    examples: dict[str, str]
    """by the name of the command"""


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

    @property
    def examples(self) -> str:
        """Examples and what to mind, the end of the page."""
        if self.epilog:
            return self.epilog
        from mqdiag.knowledge import packed

        return packed.decode(packed.ROOT, "help_pages", _HelpPages).examples.get(self.name or "", "")

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The end of the page."""
        if self.examples:
            formatter.write_paragraph()
            formatter.write_text(written(inspect.cleandoc(self.examples)))

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
argument = functools.partial(click.argument, cls=Argument)


def command(name: str, **settings: Any) -> Callable[[Callable[..., Any]], Command]:
    """As `click.command`, with a translated help page."""
    return click.command(name, cls=Command, **settings)
