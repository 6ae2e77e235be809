"""Which rules there are, and the card of each for catalogues and renderers, without importing a rule."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from functools import cache

import msgspec

from mqdiag.findings import Action, RuleCard, RuleTraits
from mqdiag.knowledge.card_files import read_card
from mqdiag.knowledge.case_words import CaseWords
from mqdiag.knowledge.rule_card import Card, Entry, Line, texts_of
from mqdiag.rules.index import read_index
from mqdiag.text import ARGUMENT, NOTHING, Text, placeholders, say, sentences


class RuleFile(msgspec.Struct, frozen=True):
    """A rule that is not imported."""

    name: str
    module: str
    """its file, without ending; a rule of which the card describes all checks has none"""
    evidence: tuple[tuple[str, ...], ...]
    """for each check the kinds of evidence that it needs, as in `Rule.sees`"""

    @property
    def texts(self) -> Card:
        """The rule's card as its file has it."""
        return read_card(self.name)

    @property
    def card(self) -> RuleCard:
        """The rule for catalogues and renderers: what its card says of it, and the evidence that its checks need."""
        card, first = self.texts, self.evidence[0]
        needs = tuple(kind for kind in first if all(kind in kinds for kinds in self.evidence))
        return RuleCard(
            name=self.name,
            title=say(card.title),
            why=say(" ".join(card.why.split())),
            causes=card.all_causes,
            severities=card.all_severities,
            now=tuple(_in_general(line, self.name) for entry in card.now for line in card.steps_of(entry)),
            remedy=tuple(
                _with_placeholders(say(text)) for entry in card.actions for text in card.sentences_of(entry)
            ),
            needs=needs,
            any_of=tuple(dict.fromkeys(kind for kinds in self.evidence for kind in kinds if kind not in needs)),
            leads_to={name: say(word) for name, word in card.leads_to.items()},
            proven_on=say(card.proven_on) if card.proven_on else NOTHING,
            **{name: getattr(card, name) for name in RuleTraits.__struct_fields__},
        )

    @property
    def cases(self) -> tuple[CaseWords, ...]:
        """The ways in which the fault shows, for the rule's page on a terminal."""
        return tuple(
            CaseWords(
                name=name,
                severity=case.severity,
                confidence=case.confidence,
                titles=tuple(map(say, self.texts.sentences_in(case.title))),
                explanation=tuple(map(say, self.texts.sentences_in(case.explanation))),
                now=tuple(_steps(self.texts, case.now or ())),
                then=tuple(_steps(self.texts, case.actions)),
            )
            for name, case in self.texts.case.items()
        )


def _steps(card: Card, part: tuple[Entry, ...]) -> Iterator[Text]:
    """What stands for the actions of a case: all sentences, commands and prices, each as reports have it."""
    for entry in part:
        for line in card.steps_of(entry):
            yield from map(say, texts_of(line.say, line.first_of))
            yield from (say("Run `{command}`.", command=say(command)) for command in texts_of(line.command))
            yield from map(say, texts_of(line.then))
            yield from (say("The price: {risk}.", risk=say(risk)) for risk in texts_of(line.risk))


@cache
def rule_files() -> tuple[RuleFile, ...]:
    """All rules of this package, by name."""
    files = (
        RuleFile(module.replace("_", "-"), module, tuple(tuple(kinds) for kinds in checks))
        for module, checks in read_index(os.path.dirname(__file__))
    )
    return tuple(sorted(files, key=lambda file: file.name))


def cards_of(names: Collection[str]) -> dict[str, RuleCard]:
    """The cards of some rules, by name."""
    return {file.name: file.card for file in rule_files() if file.name in names}


def _in_general(line: Line, rule: str) -> Action:
    """An action as a page has it that knows no evidence: the last of several ways to say something holds always."""
    say_all = (line.say,) if isinstance(line.say, str) else line.say or line.first_of[-1:]
    command, risk, then = (
        (one,) if isinstance(one, str) else one[-1:] for one in (line.command, line.risk, line.then)
    )
    text, how, price = (
        sentences(*(_with_placeholders(say(text)) for text in part if text))
        for part in ((*say_all, *then), command, risk)
    )
    return Action(text=text, command=how, risk=price, rule=rule)


def _with_placeholders(remedy: Text) -> Text:
    """A remedy as a card has it, which knows no values: the name of each, or the word that a command has for it."""
    named = {
        name: None if kind.startswith(ARGUMENT) else f"<{name}>" for name, kind in placeholders(remedy.template)
    }
    return remedy.filled(named)
