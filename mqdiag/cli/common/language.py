"""The language of a run: `--lang`, or the locale where only people read what is written."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence

import click

from mqdiag.language import ENGLISH, LANGUAGES, writer
from mqdiag.text import Text

FOR_PEOPLE = frozenset({"text", "html", "markdown"})
"""Formats that follow the locale; machines get texts that do not change with the user who starts the run."""
LOCALE_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")


def language_of_arguments(arguments: Sequence[str], environment: Mapping[str, str] = os.environ) -> str:
    """The language of what is said to the user beside the report: `--lang` where it is given, else the locale's."""
    for place, argument in enumerate(arguments):
        given = arguments[place + 1 : place + 2] if argument == "--lang" else [argument.removeprefix("--lang=")]
        if argument.startswith("--lang") and given and given[0] in LANGUAGES:
            return given[0]
    return _locale(environment)


def reader_language() -> str:
    """That language, inside a command."""
    context = click.get_current_context(silent=True)
    known = None if context is None else context.find_root().obj
    return known if isinstance(known, str) else _locale(os.environ)


def in_reader_language(text: Text) -> str:
    """What is said to the user, inside a command."""
    return writer(reader_language())(text)


def language_of_run(
    given: str | None, formats: Collection[str], environment: Mapping[str, str] = os.environ
) -> str:
    """What the report is written in.

    Args:
        given: `--lang`, which goes before everything.
        formats: all formats that are written; one of them for machines keeps all of them English.
        environment: variables of the process.
    """
    if given is not None:
        return given
    if not FOR_PEOPLE.issuperset(formats):
        return ENGLISH
    return _locale(environment)


def _locale(environment: Mapping[str, str]) -> str:
    locale = next((environment[name] for name in LOCALE_VARIABLES if environment.get(name)), "")
    spoken = locale.replace("-", "_").partition("_")[0].partition(".")[0].lower()
    return spoken if spoken in LANGUAGES else ENGLISH
