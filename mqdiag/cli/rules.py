"""`mqdiag rules`: the catalogue of rules, or one rule's card."""

from __future__ import annotations

import difflib
from collections.abc import Collection

from mqdiag.cli.common import commands
from mqdiag.cli.common.completion import complete_rules
from mqdiag.cli.common.options import LANG_OPTION
from mqdiag.errors import UsageError
from mqdiag.spelling import did_you_mean, nearest
from mqdiag.text import Text, say

MOST_HINTS = 4

EXAMPLES = """\b
Examples:
  mqdiag rules
  mqdiag rules consumer-cache-exceeds-heap
"""


@commands.command("rules", short_help="List the rules, or explain one.", epilog=EXAMPLES)
@commands.argument("name", required=False, shell_complete=complete_rules)
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
        raise UsageError(say("{problem}; mqdiag rules lists them all", problem=_no_such_rule(name, cards)))
    return 0


def _no_such_rule(name: str, known: Collection[str]) -> Text:
    """The message, with the rules that hold the word, else those that look alike, else those that hold a word alike."""
    problem = say("there is no rule {name}", name=repr(name))
    word = name.strip().lower().replace("_", "-")
    near = nearest(word, known)
    parts = difflib.get_close_matches(word, {part for rule in known for part in rule.split("-")}, n=1)
    for wanted in filter(None, (word, "" if near else "".join(parts))):
        holding = [rule for rule in known if wanted in rule]
        if holding:
            return did_you_mean(problem, holding[:MOST_HINTS], more=max(0, len(holding) - MOST_HINTS))
    return did_you_mean(problem, near)
