"""The command line of this run, as the head of its report repeats it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click
from click.core import ParameterSource

HIDDEN = "(hidden)"


def run_command(*, redact: bool) -> tuple[str, ...]:
    """The words of the command line: the command, the options that were given, then the arguments.

    Args:
        redact: hide the values of options that are free text, such as settings. Names of files stay, as they do in a
            redacted report.
    """
    context = click.get_current_context()
    given = [
        (one, context.params[one.name])
        for one in context.command.params
        if one.name in context.params and context.get_parameter_source(one.name) is ParameterSource.COMMANDLINE
    ]
    words = context.command_path.split()
    for one, value in given:
        if isinstance(one, click.Option):
            words += _option(one, value, hidden=redact and _is_free_text(one))
    for one, value in given:
        if isinstance(one, click.Argument):
            words += map(str, value if isinstance(value, tuple) else (value,))
    return tuple(words)


def _option(option: click.Option, value: object, *, hidden: bool) -> Iterator[str]:
    name = max(option.opts, key=len)
    if option.is_flag:
        yield name
        return
    values: Sequence[object] = value if isinstance(value, tuple) else (value,)
    for each in values:
        yield name
        yield HIDDEN if hidden else str(each)


def _is_free_text(option: click.Option) -> bool:
    return isinstance(option.type, click.types.StringParamType) and option.metavar != "FILE"
