"""`mqdiag rules`: the catalogue of rules, or one rule's card."""

from __future__ import annotations

import difflib
from collections.abc import Collection
from typing import TYPE_CHECKING

from mqdiag.cli.common import commands
from mqdiag.cli.common.completion import complete_rules
from mqdiag.cli.common.language import language_of_run
from mqdiag.cli.common.options import DEBUG_OPTION, LANG_OPTION, CommonOptions
from mqdiag.cli.common.output import Target
from mqdiag.errors import UsageError
from mqdiag.language import Writer, english
from mqdiag.spelling import did_you_mean, nearest
from mqdiag.text import Text, say

if TYPE_CHECKING:
    from mqdiag.findings import RuleCard

MOST_HINTS = 4


@commands.command("rules", short_help="List the rules, or explain one.")
@commands.argument("name", required=False, shell_complete=complete_rules)
@commands.option(
    "--search", metavar="WORD", help="List the rules that have WORD in their name, texts or causes."
)
@LANG_OPTION
@DEBUG_OPTION
def command(name: str | None, search: str | None, lang: str | None, debug: bool) -> int:
    """List all rules, one line each, or explain the rule NAME: what it means, what to do, on what it rests."""
    from mqdiag.cli.common.session import view
    from mqdiag.render.text.cards import render_card, render_catalogue
    from mqdiag.rules.catalogue import rule_files

    rules = {rule.name: rule for rule in rule_files()}
    shown = view(CommonOptions(), language_of_run(lang, {"text"}))
    if name is None or search is not None:
        if name is not None:
            raise UsageError(say("--search lists rules; it takes no NAME beside it"))
        cards = (rule.card for rule in rules.values())
        found = tuple(card for card in cards if search is None or _has(card, search, shown.write))
        if not found:
            raise UsageError(say("no rule has {word}; mqdiag rules lists them all", word=repr(search)))
        Target("-").write(render_catalogue(found, shown))
    elif name in rules:
        Target("-").write(render_card(rules[name].card, rules[name].cases, shown))
    else:
        raise UsageError(say("{problem}; mqdiag rules lists them all", problem=_no_such_rule(name, rules)))
    return 0


def _has(card: RuleCard, word: str, write: Writer) -> bool:
    """Whether a text of the card has the word, in English or in the reader's language; case does not count."""
    texts = (card.title, card.why, *card.remedy)
    told = [card.name, card.name.replace("-", " "), *card.causes]
    told += [each(text) for text in texts for each in (write, english())]
    return any(word.casefold() in one.casefold() for one in told)


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
