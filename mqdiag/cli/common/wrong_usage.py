"""What click says of a command line that it cannot take, in words of our own, which have translations."""

from __future__ import annotations

from typing import Any

import click

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.spelling import did_you_mean
from mqdiag.text import Text, say

_IN_BRACKETS = lazy_pattern(r"\((.*)\)")


def usage_problem(error: click.ClickException) -> Text:
    """The problem in one line, with the place to read more."""
    problem = _problem(error)
    context = getattr(error, "ctx", None)
    if context is None:
        return problem
    return say("{problem}; see {command} --help", problem=problem, command=context.command_path)


def refused(parameter: click.Parameter, value: Any, reason: str) -> Text:
    """Why a parameter does not take a value.

    Args:
        parameter: the option or argument.
        value: as it was typed.
        reason: click's own, for types that nothing better is known of.
    """
    name = _name(parameter)
    match parameter.type:
        case click.Choice(choices=choices):
            known = tuple(repr(choice) for choice in choices)
            return say("{name}: {value} is not one of {known}", name=name, value=repr(value), known=known)
        case click.IntRange(min=least, max=None) | click.FloatRange(min=least, max=None):
            return say(
                "{name}: {value} is not a number from {least:count} up",
                name=name,
                value=repr(value),
                least=least,
            )
        case click.IntRange(min=least, max=most) | click.FloatRange(min=least, max=most):
            return say(
                "{name}: {value} is not a number from {least:decimal} to {most:decimal}",
                name=name,
                value=repr(value),
                least=least,
                most=most,
            )
        case _:
            return say("{name}: {reason}", name=name, reason=reason)


def _problem(error: click.ClickException) -> Text:
    message = error.format_message().rstrip(".")
    match error:
        case click.MissingParameter(param=click.Option() as option):
            return say("option {name} is missing", name=_name(option))
        case click.MissingParameter(param=click.Argument() as argument):
            return say("argument {name} is missing", name=_name(argument))
        case click.NoSuchOption(option_name=name, ctx=click.Context(command=click.Group())):
            return say("no such option {name} before the command; options of a command follow it", name=name)
        case click.NoSuchOption(option_name=name, ctx=click.Context() as context) if _is_format(name, context):
            return say("no such option {name}; write --format {format}", name=name, format=name[2:])
        case click.NoSuchOption(option_name=name, possibilities=near):
            problem = say("no such option {name}", name=name)
            return did_you_mean(problem, near) if near else problem
        case click.BadOptionUsage(option_name=name):
            if "does not take" in message:
                return say("option {name} takes no value", name=name)
            return say("option {name} needs a value", name=name)
        case click.UsageError() if "unexpected extra argument" in message:
            further = _IN_BRACKETS.search(message)
            return say("too many arguments: {further}", further=further[1] if further else message)
        case _:
            return say("{message}", message=message)


def _is_format(name: str, context: click.Context) -> bool:
    """Whether an option is named as a format of the command's reports."""
    return any(
        "--format" in one.opts and isinstance(one.type, click.Choice) and name[2:] in one.type.choices
        for one in context.command.params
    )


def _name(parameter: click.Parameter) -> str:
    """An option's longest name, an argument as the help page has it."""
    if isinstance(parameter, click.Argument):
        return parameter.human_readable_name
    return max(parameter.opts, key=len)
