"""What reports say in Chinese: every rule's example, all formats for people, and columns that stay in line."""

from __future__ import annotations

import re
import sys

import jsonschema
import pytest
from rich.cells import cell_len

from mqdiag.config import Settings
from mqdiag.diagnose.judge import judge
from mqdiag.findings import Finding
from mqdiag.language import LANGUAGES, chosen, say, speaking
from mqdiag.render import View, renderer
from mqdiag.render.json.schema import report_schema
from mqdiag.render.text.cards import render_card, render_catalogue
from mqdiag.rules import Rule, all_rules
from mqdiag.rules.engine import run_rules

CHINESE = re.compile(r"[\u4e00-\u9fff]")
QUOTED = re.compile(
    r"`[^`]*`|\[[^\]]*\]|[^\s\u4e00-\u9fff，。；：（）]*[./_=$<>|-][^\s\u4e00-\u9fff，。；：（）]*"
)
"""commands, frames, settings, paths: what stays as it is"""
ENGLISH = re.compile(r"(?:\b[A-Za-z][a-z']+[ ,]+){3,}[a-z]+")
RULES = all_rules()


def findings(rule: Rule) -> tuple[Finding, ...]:
    return run_rules([rule], sys.modules[rule.check.__module__].fires()).findings


def own_words(rule: Rule) -> str:
    """What the example itself puts into the facts, such as a library's name or the title of another finding."""
    return repr(sys.modules[rule.check.__module__].fires())


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.card.name)
def test_every_rule_speaks_chinese(rule: Rule) -> None:
    with speaking("zh"):
        found = findings(rule)
        given = own_words(rule)
    for finding in found:
        for text in (finding.title, finding.confidence_reason, *finding.explanation, *finding.remedy):
            if not text or text in given:
                continue
            english = ENGLISH.search(QUOTED.sub("", text))
            assert english is None or english[0].strip() in given, text
        assert CHINESE.search(finding.title) or finding.title in given


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.card.name)
def test_a_finding_is_the_same_in_every_language(rule: Rule) -> None:
    english = findings(rule)
    with speaking("zh"):
        chinese = findings(rule)
    for one, other in zip(english, chinese, strict=True):
        assert (one.fingerprint, one.rule, one.cause, one.severity, one.subject) == (
            other.fingerprint,
            other.rule,
            other.cause,
            other.severity,
            other.subject,
        )
        assert one.evidence == other.evidence


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.card.name)
def test_every_card_is_translated(rule: Rule) -> None:
    with speaking("zh"):
        for text in (rule.card.title, rule.card.why, *rule.card.remedy, rule.card.proven_on):
            assert not text or say(text) != text
        assert CHINESE.search(render_card(rule.card, View()))


@pytest.mark.parametrize("name", ["consumer-cache-exceeds-heap", "stuck-socket-read", "page-cache-busy"])
def test_reports_for_people(name: str) -> None:
    rule = next(rule for rule in RULES if rule.card.name == name)
    facts = sys.modules[rule.check.__module__].fires()
    with speaking("zh"):
        report = judge(facts, Settings()).report
        text, html, markdown, json = (
            renderer(format_)(report, View()) for format_ in ("text", "html", "markdown", "json")
        )
    assert "如何处理" in text
    assert '<html lang="zh-Hans">' in html
    assert "如何处理" in html
    assert "如何处理" in markdown
    jsonschema.validate(_loads(json), report_schema())
    with speaking("en"):
        english = renderer("html")(judge(facts, Settings()).report, View())
    assert '<html lang="en">' in english
    assert not CHINESE.search(english)


def _loads(text: str) -> object:
    import json

    return json.loads(text)


def test_no_line_is_wider_than_the_page() -> None:
    cards = tuple(rule.card for rule in RULES)
    with speaking("zh"):
        pages = [render_catalogue(cards, View()), *(render_card(card, View()) for card in cards)]
    for page in pages:
        for line in page.splitlines():
            assert cell_len(line) <= 80, line


def test_columns_stand_below_each_other_in_cells() -> None:
    with speaking("zh"):
        head, rule_line, *rows = render_catalogue(tuple(rule.card for rule in RULES), View()).splitlines()
    starts = [cell_len(head[: head.index(word)]) for word in ("所需证据", "最高级别", "发现什么")]
    assert cell_len(rule_line) == 80
    for row in rows:
        if not row or row.startswith("mqdiag rules"):
            break
        for start in starts:
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
    with speaking("zh"):
        for rule in RULES:
            for line in render_card(rule.card, View(width=60)).splitlines():
                assert not line.strip().startswith(tuple("，。；：、）")), line
                assert not line.strip().endswith("（"), line


def test_english_is_spoken_again_afterwards() -> None:
    with speaking("zh"):
        assert chosen() == "zh"
    assert chosen() == "en"
    with pytest.raises(ValueError, match="no language 'de'"), speaking("de"):
        pass
    assert LANGUAGES[0] == "en"


def test_a_blank_stands_between_chinese_and_latin_letters_of_values() -> None:
    with speaking("zh"):
        assert say("{word} {says}", word="因此", says="orders 停止") == "因此 orders 停止"
        assert say("{word} {says}", word="因此", says="其队列") == "因此其队列"
        assert say("no {what} was given", what="mqadmin 输出") == "未提供 mqadmin 输出"
    assert say("{word} {says}", word="so", says="it ends") == "so it ends"
