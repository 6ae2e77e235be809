"""`mqdiag rules`: every rule is listed, every card is whole."""

from __future__ import annotations

import pytest

from mqdiag.cli import run
from mqdiag.errors import EXIT_USAGE
from mqdiag.language import english
from mqdiag.rules.catalogue import RuleFile, rule_files
from tests.folded import folded
from tests.layers import CHECK


@pytest.fixture(autouse=True)
def _width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


@CHECK
def test_every_rule_is_listed(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["rules"]) == 0
    out = capsysbinary.readouterr().out.decode()
    for rule in rule_files():
        assert rule.card.name in out
    lines = out.splitlines()
    assert max(map(len, lines)) <= 80
    assert sum(line.split()[:1] == [rule.card.name] for line in lines for rule in rule_files()) == len(
        rule_files()
    )
    assert len(lines) <= len(rule_files()) + 4, "a rule takes one line"


def test_rules_are_searched_in_all_their_texts(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["rules", "--search", "Page Cache"]) == 0
    out = capsysbinary.readouterr().out.decode()
    assert "page-cache-busy" in out
    assert "duplicate-strings" not in out
    assert run(["rules", "--search", "no such word"]) == EXIT_USAGE
    assert run(["rules", "page-cache-busy", "--search", "x"]) == EXIT_USAGE


@folded("rule", rule_files(), lambda rule: rule.card.name)
def test_a_card_says_all_that_the_rule_has(rule: RuleFile, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["rules", rule.card.name]) == 0
    out = capsysbinary.readouterr().out.decode()
    flat = " ".join(out.split())
    card = rule.card
    texts = map(english(), (card.title, card.why, *card.remedy))
    for part in (
        *texts,
        *(one.name for one in rule.cases),
        *card.causes,
        *card.severities,
        *card.limits,
        card.since,
    ):
        assert " ".join(part.split()) in flat
    commands = {english()(action.command) for action in card.now}
    assert max(len(line) for line in out.splitlines() if line.strip() not in commands) <= 80


def test_a_card_shows_the_sentences_of_its_cases(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["rules", "disk-full"]) == 0
    out = capsysbinary.readouterr().out.decode()
    assert "disk-nearly-full: warning, high confidence" in out
    assert "The disk of <called> is <disk_ratio> full" in out
    assert out.count("Above 0.85 the broker") == 1, "cases that have it from another one leave it out"


def test_a_card_says_once_what_several_cases_have(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["rules", "consumer-cache-exceeds-heap"]) == 0
    flat = " ".join(capsysbinary.readouterr().out.decode().split())
    assert flat.count("Start the process again") == 1
    assert flat.count("With rocketmq-spring") == 1
    assert "may-not-fit: warning, medium confidence" in flat
    assert flat.count("as for does-not-fit above") == 6
    assert "Run `kill <pid>`." in flat
    assert "The price: each thread dump stops the JVM for a moment." in flat


def test_a_card_names_values_that_it_does_not_know(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["rules", "stuck-socket-read"]) == 0
    flat = " ".join(capsysbinary.readouterr().out.decode().split())
    assert "messages of <consumer_groups> in hand are delivered again" in flat
    assert "of unknown" not in flat


def test_a_card_keeps_the_braces_of_a_command(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["rules", "downstream-failing"]) == 0
    assert "-w '%{http_code}' http" in capsysbinary.readouterr().out.decode()
