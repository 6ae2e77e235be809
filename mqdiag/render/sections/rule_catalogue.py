"""The rules in their own words: all in a table, or one whole."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mqdiag.findings import RuleCard
from mqdiag.knowledge.case_words import CaseWords
from mqdiag.language import Writer
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.render.parts import Actions, Bullets, Doing, Pairs, Paragraph, Section, Steps
from mqdiag.render.tables import Tables
from mqdiag.render.wording.actions import NOW, THEN
from mqdiag.render.wording.words import word
from mqdiag.text import Text, Value, say

TABLES = Tables("rule_catalogue")

_ALL = 1 << 30
_PLACEHOLDER = lazy_pattern(r"\{\{|\}\}|\{([^{}]*)\}")


def catalogue_section(cards: tuple[RuleCard, ...]) -> Section:
    """All rules, one row each."""
    table = TABLES.table(
        "rules", cards, shown=(_ALL, _ALL), needs=_needs, worst=lambda one: word(one.severities[0].value)
    )
    return Section(
        name="rules",
        title=say("Rules"),
        headed=False,
        parts=(
            table,
            Paragraph(
                say("`mqdiag rules NAME` explains one, `mqdiag rules --search WORD` finds some."), soft=True
            ),
        ),
    )


def card_sections(card: RuleCard, cases: tuple[CaseWords, ...], write: Writer) -> Iterator[Section]:
    """What the rule means, what to do, how reports name it, the cases that it tells apart, and its sources."""
    title = say("{name}: {title}", card)
    yield Section(name="rule", title=title, parts=(Paragraph(card.why),))
    if card.now:
        doings = [Doing(one.with_price, one.command) for one in card.now]
        yield Section(name="now", title=NOW, parts=(Actions(doings),))
    yield Section(name="remedy", title=THEN, parts=(Steps(card.remedy),))
    rows: list[tuple[Text, Value]] = [
        (say("cause"), card.causes),
        (say("severity"), tuple(word(severity.value) for severity in card.severities)),
        (say("needs"), _needs(card)),
        (say("since"), card.since),
    ]
    if card.proven_on:
        rows.append((say("tried on"), card.proven_on))
    yield Section(name="reports", title=say("In reports"), parts=(Pairs(rows),))
    yield Section(name="cases", title=say("Cases"), parts=tuple(_case_parts(cases, write)))
    if card.limits:
        yield Section(
            name="limits",
            title=say("Limits, set in mqdiag.toml under [rules.{name}.limits]", name=card.name),
            parts=(Pairs(list(card.limits.items())),),
        )
    if card.references:
        yield Section(name="sources", title=say("Sources"), parts=(Bullets(card.references),))


def _needs(card: RuleCard) -> Value:
    """All of the first kinds of evidence, and one of the others."""
    needs = tuple(map(word, card.needs))
    if not card.any_of:
        return needs or word("any")
    either = _either(card.any_of)
    return (*needs, either)


def _either(kinds: tuple[str, ...]) -> Value:
    if len(kinds) == 1:
        return word(kinds[0])
    return say("{kinds} or {last}", kinds=tuple(map(word, kinds[:-1])), last=word(kinds[-1]))


def _case_parts(cases: tuple[CaseWords, ...], write: Writer) -> Iterator[Bullets]:
    """The sentences of each case, with <name> for each value; those that a case above has too stand there alone."""
    told: set[Text] = set()
    first: dict[tuple[Text, tuple[Text, ...]], str] = {}
    for case in cases:
        title = say(
            "{name}: {severity}, {confidence} confidence",
            name=case.name,
            severity=word(case.severity.value),
            confidence=word(case.confidence.value),
        )
        texts = (*case.titles, *(text for text in dict.fromkeys(case.explanation) if text not in told))
        told.update(case.explanation)
        for part, head in ((texts, title), (case.now, NOW), (case.then, THEN)):
            above = first.setdefault((head, part), case.name)
            if part and above != case.name:
                yield Bullets([say("as for {name} above", name=above)], title=head)
            elif part:
                yield Bullets([_PLACEHOLDER.sub(_named, write(text)) for text in part], title=head)


def _named(found: re.Match[str]) -> str:
    if found[1] is None:
        return found[0][0]  # a brace of the text itself
    name, _, kind = found[1].partition(":")
    return kind.rpartition("|")[2] if "|" in kind else f"<{name}>"
