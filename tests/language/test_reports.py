"""What reports say in Chinese: the examples of rules, all formats for people, and columns that stay aligned."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from rich.cells import cell_len

from mqdiag.config import Settings
from mqdiag.diagnose.judge import judge
from mqdiag.findings import RuleCard
from mqdiag.language import LANGUAGES, Writer, writer
from mqdiag.language.update import read
from mqdiag.render import View, renderer
from mqdiag.render.text.cards import render_card, render_catalogue
from mqdiag.rules.catalogue import RuleFile, rule_files
from mqdiag.rules.engine import run_rules
from mqdiag.text import Text, Value, say, sentences
from tests.folded import folded
from tests.layers import CHECK
from tests.report_schema import validate_report
from tests.rules.examples import example_of

CHINESE = re.compile(r"[\u4e00-\u9fff]")
QUOTED = re.compile(
    r"`[^`]*`|“[!-~ ]*”|'[!-~ ]*'|\[[^\]]*\]|[^\s\u4e00-\u9fff，。；：（）]*[./_=$<>|-][^\s\u4e00-\u9fff，。；：（）]*"
)
"""commands, frames, settings, paths, log messages in quotation marks: what stays as it is"""
ENGLISH = re.compile(r"(?:\b[A-Za-z][a-z']+[ ,]+){3,}[a-z]+")
ZH = View(language="zh")
RULES = {rule.name: rule for rule in rule_files()}
TRANSLATED = {str(message.id) for message in read("zh") if message.id and message.string}
"""the templates that the catalogue has; `make translations-check` finds the others"""


def cards() -> tuple[RuleCard, ...]:
    return tuple(rule.card for rule in RULES.values())


def translated(text: Value) -> bool:
    """Whether the catalogue has the text and all texts inside of it."""
    if isinstance(text, tuple):
        return all(map(translated, text))
    if not isinstance(text, Text):
        return True
    known = text.template in TRANSLATED or not has_words(text)
    return known and all(map(translated, text.values.values()))


def has_words(text: Text) -> bool:
    """Whether it is more than placeholders and punctuation."""
    return re.search(r"[a-z]", re.sub(r"\{[^}]*\}", "", text.template)) is not None


def texts_of(rule: RuleFile) -> Iterator[Text]:
    for finding in run_rules([rule], example_of(rule).fires()).findings:
        yield from (finding.title, finding.confidence_reason, *finding.explanation, *finding.remedy)
    card = rule.card
    yield from (card.title, card.why, *card.remedy, card.proven_on)


@folded("rule", RULES.values(), lambda rule: rule.name)
def test_what_is_translated_has_no_english_sentence_left(rule: RuleFile) -> None:
    given = repr(example_of(rule).fires())  # names and titles that the example itself puts into the facts
    for text in texts_of(rule):
        if text and translated(text):
            said = writer("zh")(text)
            left = ENGLISH.search(QUOTED.sub("", said))
            assert left is None or left[0].strip() in given, said
            assert CHINESE.search(said) or not has_words(text)


@pytest.mark.parametrize("name", ["consumer-cache-exceeds-heap", "stuck-socket-read", "page-cache-busy"])
def test_reports_for_people(name: str) -> None:
    report = judge(example_of(RULES[name]).fires(), Settings()).report
    text, html, markdown = (renderer(format_)(report, ZH) for format_ in ("text", "html", "markdown"))
    assert "立即" in text
    assert '<html lang="zh-Hans">' in html
    assert "立即" in html
    assert "立即" in markdown
    validate_report(json.loads(renderer("json")(report, ZH)))
    page = renderer("html")(report, View())
    assert '<html lang="en">' in page
    assert not CHINESE.search(page)


@CHECK
def test_no_line_is_wider_than_the_page() -> None:
    for page in (
        render_catalogue(cards(), ZH),
        *(render_card(rule.card, rule.cases, ZH) for rule in RULES.values()),
    ):
        for line in page.splitlines():
            # a command has a line of its own, as wide as it is
            assert cell_len(line) <= 80 or (line.startswith("     ") and CHINESE.search(line) is None), line


def test_columns_stay_below_their_heads() -> None:
    head, rule_line, *rows = render_catalogue(cards(), ZH).splitlines()
    start = cell_len(head[: head.index("发现什么")])
    assert cell_len(rule_line) == 80
    for row in rows[: rows.index("")] if "" in rows else rows[:-1]:
        assert _at(row, start - 1) in ("", " "), row


def _at(line: str, cell: int) -> str:
    """The character that covers a cell."""
    seen = 0
    for char in line:
        seen += cell_len(char)
        if seen > cell:
            return char
    return ""


def test_no_line_begins_with_a_closing_mark() -> None:
    for rule in RULES.values():
        for line in render_card(rule.card, rule.cases, View(language="zh", width=60)).splitlines():
            assert not line.strip().startswith(tuple("，。；：、）")), line
            assert not line.strip().endswith("（"), line


def test_there_is_no_other_language() -> None:
    with pytest.raises(ValueError, match="no language 'de'"):
        Writer("de")
    assert LANGUAGES[0] == "en"


def test_a_space_stands_between_chinese_and_latin_letters_of_values() -> None:
    chinese = writer("zh")
    story = say("{story}; {word} {says}", story="甲", word="因此")
    assert chinese(story.filled({"says": "orders 停止"})) == "甲；因此 orders 停止"
    assert chinese(story.filled({"says": "其队列"})) == "甲；因此其队列"


def test_no_space_stands_behind_a_chinese_sentence() -> None:
    both = sentences(say("{one}", one="队列满了。"), say("{two}", two="请重启。"))
    assert writer("zh")(both) == "队列满了。请重启。"
