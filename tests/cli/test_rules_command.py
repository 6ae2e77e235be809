"""`mqdiag rules`: every rule is listed, every card is whole."""

from __future__ import annotations

import pytest

from mqdiag.cli import run
from mqdiag.language import english
from mqdiag.rules import Rule, all_rules


@pytest.fixture(autouse=True)
def _width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def test_every_rule_is_listed(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["rules"]) == 0
    out = capsysbinary.readouterr().out.decode()
    for rule in all_rules():
        assert rule.card.name in out
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.card.name)
def test_a_card_says_all_that_the_rule_has(rule: Rule, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["rules", rule.card.name]) == 0
    out = capsysbinary.readouterr().out.decode()
    flat = " ".join(out.split())
    card = rule.card
    texts = map(english(), (card.title, card.why, *card.remedy))
    for part in (*texts, *card.causes, *card.severities, *card.limits, card.since):
        assert " ".join(part.split()) in flat
    assert max(map(len, out.splitlines())) <= 80
