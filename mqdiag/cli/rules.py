"""`mqdiag rules`: the catalogue of rules, or one rule's card."""

from __future__ import annotations

import difflib
from collections.abc import Collection

import click

from mqdiag.cli.common import commands
from mqdiag.cli.common.completion import complete_rules
from mqdiag.cli.common.options import LANG_OPTION
from mqdiag.errors import UsageError
from mqdiag.text import say

MOST_HINTS = 4

EXAMPLES = """\b
Examples:
  mqdiag rules
  mqdiag rules consumer-cache-exceeds-heap
"""


@commands.command("rules", short_help="List the rules, or explain one.", epilog=EXAMPLES)
@click.argument("name", required=False, shell_complete=complete_rules)
@LANG_OPTION
@commands.option("--debug", is_flag=True, help="Show the traceback of an internal fault.")
def command(name: str | None, lang: str | None, debug: bool) -> int:
    """List all rules, or explain the rule NAME: what it means, what to do, on what it rests."""
    from mqdiag.cli.common.language import language_of_run
    from mqdiag.cli.common.options import CommonOptions
    from mqdiag.cli.common.output import Target
    from mqdiag.cli.common.session import view
    from mqdiag.render.text.cards import render_card, render_catalogue
    from mqdiag.rules import all_rules

    cards = {rule.card.name: rule.card for rule in all_rules()}
    shown = view(CommonOptions(), language_of_run(lang, {"text"}))
    if name is None:
        Target("-").write(render_catalogue(tuple(cards.values()), shown))
    elif name in cards:
        Target("-").write(render_card(cards[name], shown))
    else:
        raise UsageError(
            say(
                "there is no rule {name}{near}; mqdiag rules lists them all",
                name=repr(name),
                near=_near(name, cards),
            )
        )
    return 0


def _near(name: str, known: Collection[str]) -> str:
    """A hint: rules that hold the word, then those that look alike, then those that hold a word alike."""
    from mqdiag.config import nearest

    word = name.strip().lower().replace("_", "-")
    hint = nearest(word, known)
    parts = difflib.get_close_matches(word, {part for rule in known for part in rule.split("-")}, n=1)
    for wanted in filter(None, (word, "" if hint else "".join(parts))):
        holding = [rule for rule in known if wanted in rule]
        if holding:
            more = f" or {len(holding) - MOST_HINTS} more" if len(holding) > MOST_HINTS else ""
            return f"; did you mean {' or '.join(holding[:MOST_HINTS])}{more}?"
    return hint
