"""What a shell offers for an argument or option when Tab is pressed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mqdiag.fail_on import WORDS
from mqdiag.language import english

if TYPE_CHECKING:
    from click import Context, Parameter
    from click.shell_completion import CompletionItem


def complete_files(ctx: Context, param: Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of files, which the shell itself looks up.

    `click.Path` would do so too, but refuses what cannot be read as wrong usage, and that is an unreadable input.
    """
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


def complete_fail_on(ctx: Context, param: Parameter, incomplete: str) -> list[CompletionItem]:
    """What fails the run."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(word) for word in (*WORDS, "error,undecided") if word.startswith(incomplete)]


def complete_folders(ctx: Context, param: Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of folders, which the shell itself looks up."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="dir")]


def complete_rules(ctx: Context, param: Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of rules, with their titles where the shell shows them."""
    from click.shell_completion import CompletionItem

    from mqdiag.rules.catalogue import rule_files

    return [
        CompletionItem(rule.name, help=english()(rule.card.title))
        for rule in rule_files()
        if rule.name.startswith(incomplete)
    ]


def complete_recipes(ctx: Context, param: Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of ready queries, with what they answer where the shell shows it."""
    from click.shell_completion import CompletionItem

    from mqdiag.query.recipes import recipes

    return [
        CompletionItem(one.name, help=one.answers)
        for one in recipes().values()
        if one.name.startswith(incomplete)
    ]
