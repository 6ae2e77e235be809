"""Checks of a card: what would be left out or written wrongly without a word."""

from mqdiag.knowledge.rule_card import Card, Line, lines_of, shared_actions
from mqdiag.text import ARGUMENT, KINDS, placeholders


def check_card(card: Card) -> None:
    """Refuse what would be left out or written wrongly without a word, and names of what the card does not have.

    Raises:
        ValueError: the place, and what is wrong there.
    """
    _check_sentences(card)
    _check_names(card)


def _check_sentences(card: Card) -> None:
    """Refuse what would be left out or written wrongly without a word.

    Raises:
        ValueError: a brace that is not closed, a kind of value that does not exist, a list that is not there.
    """
    for name, case in card.case.items():
        for line in case.lines:
            _check_line(card, f"case {name}", line)
    for line in lines_of(card.now):
        _check_line(card, "now", line)
    for place, texts in (
        ("lists", [text for some in card.lists.values() for text in some]),
        ("words", [*card.words.values()]),
    ):
        for text in texts:
            _check_sentence(place, text)


def _check_names(card: Card) -> None:
    """Refuse names of what the card does not have.

    Raises:
        ValueError: a case, a limit or a cause is not there, or a list has the name of a shared action.
    """
    for name in card.lists:
        if name in shared_actions():
            raise ValueError(f"[lists] has {name!r}, which is the name of an action of actions.toml")
    for part, what, names, there in (
        ("[detect]", "case", card.detect.cases, card.case),
        ("[detect]", "limit", card.detect.limits, card.limits),
        ("ranges", "limit", card.ranges, card.limits),
        ("explained_causes", "cause", card.explained_causes, card.all_causes),
    ):
        for name in names:
            if name not in there:
                raise ValueError(f"{part} names the {what} {name!r}, which the card does not have")


def _check_line(card: Card, place: str, line: Line) -> None:
    if line.use and line.use not in shared_actions():
        _check_list(card, line.use)
    if (line.command or line.risk) and not (line.say or line.first_of):
        raise ValueError(f"{place}: a command or a risk stands without what to do")
    for text in line.sentences:
        _check_sentence(place, text)


def _check_list(card: Card, name: str) -> None:
    try:
        card.listed(name)
    except KeyError:
        raise ValueError(f"there is no list {name!r} in [lists], in remedies.toml or in actions.toml") from None


def _check_sentence(place: str, text: str) -> None:
    try:
        kinds = [kind for _, kind in placeholders(text)]
    except ValueError as error:
        raise ValueError(f"{place}: {error} in the sentence {text!r}") from None
    for kind in kinds:
        if kind not in KINDS and "|" not in kind and not kind.startswith(ARGUMENT):
            raise ValueError(f"{place}: a value has no kind {kind!r}, in the sentence {text!r}")
