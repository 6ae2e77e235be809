"""Cards of rules: how their words are filled, and what holds for each card."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from mqdiag.cli import run
from mqdiag.errors import EXIT_CLEAN
from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts, LogSubject
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.knowledge import card_files as cards
from mqdiag.knowledge import packed
from mqdiag.knowledge.card_files import read_card
from mqdiag.knowledge.rule_card import Card, Case, Line
from mqdiag.language import english
from mqdiag.logs.catalogue import entries
from mqdiag.rules.card_names import wrong_cards
from mqdiag.rules.draft import Draft
from mqdiag.rules.engine import run_rules
from mqdiag.rules.rule import Rule
from mqdiag.text import say
from tests.layers import one_in_each_run

ROOT = Path(cards.__file__).parents[1]
NAMES = sorted(packed.read(cards.FOLDER))


def rule_of(case: Case, **others: object) -> Rule:
    """A rule whose card has one case."""
    rule = Rule("some-rule")
    values = {
        "title": "Some fault",
        "why": "So.",
        "references": (),
        "actions": ("Act.",),
        "case": {"one": case},
    }
    rule.texts = Card(**values | others)  # type: ignore[arg-type]
    rule.limits = {}
    return rule


def case_of(*explanation: object, **others: object) -> Case:
    return msgspec.convert(
        {"severity": "warning", "title": "It is so", "explanation": explanation, **others}, Case
    )


def written(draft: Draft) -> list[str]:
    return [english()(line.filled(draft.evidence)) for line in draft.explanation]


def test_a_sentence_with_an_unknown_value_is_left_out() -> None:
    rule = rule_of(case_of("{first:count} came.", ["{second:count} went.", "Nobody stayed."], "To {places}."))
    evidence = {"first": 1200, "second": None, "places": ()}
    assert written(rule.case("one", evidence=evidence)) == ["1,200 came.", "Nobody stayed."]


def test_zero_is_known() -> None:
    assert written(rule_of(case_of("{came:count} came.")).case("one", evidence={"came": 0})) == ["0 came."]


def test_the_first_sentence_whose_values_are_known() -> None:
    rule = rule_of(case_of({"first_of": ["{name} hangs.", "{count:count} hang.", "Something hangs."]}))
    assert written(rule.case("one", evidence={"name": "a", "count": 2})) == ["a hangs."]
    assert written(rule.case("one", evidence={"name": None, "count": 2})) == ["2 hang."]
    assert written(rule.case("one", evidence={"name": None, "count": None})) == ["Something hangs."]


def test_a_title_is_chosen_in_the_same_way() -> None:
    case = case_of("So.", title=[{"if": "full", "say": "It is full"}, "{called} is nearly full"])
    rule = rule_of(case)
    assert english()(rule.case("one", words={"full": True}).title) == "It is full"
    half = rule.case("one", subject=Subject(broker="broker-a"), words={"full": False})
    assert english()(half.title) == "broker broker-a is nearly full"


def test_flags() -> None:
    rule = rule_of(case_of({"if": "held_up", "say": "Some wait."}, {"unless": "held_up", "say": "None waits."}))
    assert written(rule.case("one", evidence={"held_up": 3})) == ["Some wait."]
    assert written(rule.case("one", evidence={"held_up": 0})) == ["None waits."]


def test_a_name_that_nobody_gave_is_a_fault_of_the_rule() -> None:
    for line in ("{nmae} hangs.", {"if": "nmae", "say": "So."}):
        with pytest.raises(KeyError, match="rule some-rule, case one: nmae was not given"):
            rule_of(case_of(line)).case("one", evidence={"name": "a"})
    with pytest.raises(KeyError, match="evidence nmae was not given"):
        rule_of(case_of("So.", evidence=["nmae"])).case("one", Subject(), evidence={"name": "a"})


def test_evidence_is_taken_from_objects_in_the_order_of_the_card() -> None:
    event = LogEvent(kind="disk-marked-full", count=3)
    rule = rule_of(case_of("So.", evidence=["limit", "kind", "count"]))
    draft = rule.case("one", event, evidence={"limit": 5, "more": True})
    assert list(draft.evidence.items()) == [
        ("limit", 5),
        ("kind", "disk-marked-full"),
        ("count", 3),
        ("more", True),
    ]


EVENTS = (
    LogEvent(kind="marked", count=2, values={"percent": 93}, files=("store.log",)),
    LogEvent(
        kind="refused",
        count=1,
        files=("client.log",),
        subjects=(LogSubject(broker="broker-b", count=1),),
    ),
)


def test_a_line_for_each_event() -> None:
    lines = (
        {"for_each_event": "marked", "say": ["{lines:count} {lines:line|lines}.", "Up to {percent} %."]},
        {"for_each_event": "*", "say": ["{lines:count} {lines:line|lines}.", "Up to {percent} %."]},
    )
    rule = rule_of(case_of(*lines, evidence=["lines", "event_lines", "subject_lines"]))
    draft = rule.case("one", logs=LogsFacts(lines=400), events=EVENTS)
    assert written(draft) == ["2 lines. Up to 93 %.", "2 lines. Up to 93 %.", "1 line."]
    assert draft.evidence == {"lines": 3, "event_lines": (2, 1), "subject_lines": (1,)}
    assert draft.rests_on == ("store.log", "client.log")
    assert draft.subject == Subject(broker="broker-b")
    assert draft.confidence is Confidence.HIGH


@pytest.mark.parametrize(
    ("marks", "facts", "confidence"),
    [
        ({}, Facts(logs=LogsFacts(lines=3)), Confidence.MEDIUM),
        ({}, Facts(logs=LogsFacts(lines=30)), Confidence.HIGH),
        ({"sure_in_excerpt": True}, Facts(logs=LogsFacts(lines=3)), Confidence.HIGH),
        ({"confidence": "low", "because": "So."}, Facts(logs=LogsFacts(lines=3)), Confidence.LOW),
    ],
)
def test_an_excerpt_is_not_sure_unless_the_card_says_so(
    marks: dict[str, object], facts: Facts, confidence: Confidence
) -> None:
    rule = rule_of(case_of("So.", **marks))
    rule.sees("logs")(lambda facts, limits: iter([rule.case("one")]))
    (found,) = run_rules([rule], facts).findings
    assert found.confidence is confidence


def test_a_line_for_each_row_and_texts_of_the_facts() -> None:
    rule = rule_of(
        case_of({"for_each": "consumers", "say": "{group} has {queues:count}."}, {"given": "remedies"})
    )
    draft = rule.case(
        "one",
        rows={"consumers": ({"group": "a", "queues": 1}, {"group": "b", "queues": None})},
        given={"remedies": (say("Restart it."),)},
    )
    assert written(draft) == ["a has 1.", "Restart it."]


def test_lists_are_those_of_the_card_or_of_all_cards() -> None:
    case = case_of("So.", actions=[{"use": "own"}, {"use": "async_flush"}])
    draft = rule_of(case, lists={"own": ("Do {what}.",)}).case("one", words={"what": "this"})
    first, second = (english()(step.texts[0]) for step in draft.then)
    assert first == "Do this."
    assert second.startswith("ASYNC_FLUSH takes")


def test_addresses_and_names_in_commands_are_filled_in_later() -> None:
    draft = rule_of(case_of("Ask {name_server:arg NAMESRV} of {topic:arg TOPIC}.")).case("one")
    filled = draft.explanation[0].filled({"name_server": "10.0.0.1:9876", "topic": None})
    assert english()(filled) == "Ask 10.0.0.1:9876 of TOPIC."


def test_a_case_has_what_it_leaves_out_from_the_one_that_it_extends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (
        'title = "A"\nwhy = "B"\nreferences = []\nactions = ["C"]\n'
        '[case.one]\nseverity = "error"\ntitle = "One"\nexplanation = ["So."]\nweight = 0.5\n'
        '[case.two]\nextends = "one"\ntitle = "Two"\n[case.three]\nextends = "two"\nseverity = "info"\n'
    )
    (tmp_path / "good-rule.toml").write_text(text)
    more = '[case.four]\nextends = "one"\nexplanation = ["First.", { lines_of = "one" }]\n'
    (tmp_path / "longer-rule.toml").write_text(text + more)
    (tmp_path / "turning-rule.toml").write_text(text + more.replace('lines_of = "one"', 'lines_of = "four"'))
    (tmp_path / "round-rule.toml").write_text(text.replace('"One"\n', '"One"\nextends = "three"\n'))
    (tmp_path / "typing-rule.toml").write_text(text.replace("weight", "wieght"))
    monkeypatch.setattr(cards, "FOLDER", str(tmp_path))
    three = read_card("good-rule").case["three"]
    assert (three.title, three.severity, three.weight) == ("Two", Severity.INFO, 0.5)
    assert read_card("longer-rule").case["four"].explanation == ("First.", "So.")
    with pytest.raises(packed.KnowledgeError, match=r"turning-rule\.toml: case 'four' has the lines of 'four'"):
        read_card("turning-rule")
    with pytest.raises(packed.KnowledgeError, match=r"round-rule\.toml: case 'two' extends 'one'"):
        read_card("round-rule")
    with pytest.raises(packed.KnowledgeError, match=r"typing-rule\.toml, line 5: one: .*unknown field wieght"):
        read_card("typing-rule")
    with pytest.raises(packed.KnowledgeError, match=r"none-rule\.toml: there is no such file"):
        read_card("none-rule")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('"{count:cuont} came."]', "case one: a value has no kind 'cuont'"),
        ('"{count came."]', "case one: expected '}'"),
        ('{ use = "bring bak" }]', "there is no list 'bring bak'"),
        ('"So."]\nconfidence = "hihg"', "line 9: one.confidence: Invalid enum value 'hihg'"),
        ('"So."]\nconfidence = "hihg"', "expected one of high, medium, low"),
    ],
)
def test_a_sentence_that_would_be_written_wrongly_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, says: str
) -> None:
    text = 'title = "A"\nwhy = "B"\nreferences = []\nactions = ["C"]\n[case.one]\nseverity = "error"\ntitle = "One"\n'
    (tmp_path / "typing-rule.toml").write_text(f"{text}explanation = [{line}\n")
    monkeypatch.setattr(cards, "FOLDER", str(tmp_path))
    with pytest.raises(packed.KnowledgeError, match=re.escape(says)):
        read_card("typing-rule")


@pytest.mark.parametrize(
    ("detect", "says"),
    [
        ('[[detect.lines]]\nlines = ["map-failed"]\ncase = "gone"', "names the case 'gone'"),
        ('[[detect.lines]]\nlines = ["map-failed"]\ncase = "one"\nat_least = "gone"', "names the limit 'gone'"),
        ('[[detect.rows]]\nof = "heap.consumers"\ncase = "one"\nleast = 3', "unknown field least"),
    ],
)
def test_a_wrong_name_of_a_detector_is_told(
    detect: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = 'title = "A"\nwhy = "B"\nreferences = []\nactions = []\n' + detect
    card += '\n[case.one]\nseverity = "info"\ntitle = "C"\nexplanation = []\n'
    (tmp_path / "wrong-detector.toml").write_text(card)
    monkeypatch.setattr(cards, "FOLDER", str(tmp_path))
    with pytest.raises(packed.KnowledgeError, match=re.escape(says)):
        read_card("wrong-detector")


# what holds for every card


def _lines(card: Card) -> list[Line]:
    found: list[Line] = []
    for case in card.case.values():
        for part in (case.explanation, case.actions, case.title, case.because, case.consequence, case.in_chain):
            for entry in filter(None, (part,) if isinstance(part, str) else part):
                found += [
                    one if isinstance(one, Line) else Line(say=one)
                    for one in (entry if isinstance(entry, tuple) else (entry,))
                ]
    return found + [entry if isinstance(entry, Line) else Line(say=entry) for entry in card.actions]


def test_each_line_has_one_thing_to_say() -> None:
    for name in NAMES:
        for line in _lines(read_card(name)):
            there = [bool(line.say), bool(line.first_of), bool(line.use), bool(line.given)]
            assert sum(there) == 1, (name, line)


def test_each_word_of_a_card_is_used() -> None:
    rules = ROOT / "rules"
    by_all = [
        rules / "rule.py",
        *(path for part in ("shared", "detectors") for path in (rules / part).glob("*.py")),
    ]
    shared = "".join(path.read_text() for path in by_all)
    reasons = {entry.reason for entry in entries()}
    for name in NAMES:
        card = read_card(name)
        source = _source(name) + shared + msgspec.json.encode((card.detect, card.meaning)).decode()
        lists = {line.use for line in _lines(card)}
        unused = {
            one
            for part in (card.case, card.words, card.skips, card.margins, card.names, card.meaning)
            for one in part
            if f'"{one}"' not in source
        }
        extended = {case.extends for case in card.case.values()}
        used = (
            extended | ({name} if card.detect.drifts else set()) | (reasons if ".reported" in source else set())
        )
        assert not unused - used, (name, unused)
        assert not {*card.lists} - lists, name


def test_sentences_stand_on_the_cards_alone() -> None:
    """A converted rule has no sentence: what people read is reviewed by people of the field."""
    for name in NAMES:
        source = _source(name)
        assert not re.search(r"\bsay\(|\bDraft\(", source), name


def _source(name: str) -> str:
    """The decision of a rule; empty where its card describes it."""
    path = ROOT / "rules" / f"{name.replace('-', '_')}.py"
    return path.read_text() if path.is_file() else ""


def test_each_rule_has_a_card_and_each_card_a_rule() -> None:
    for name in NAMES:
        assert _source(name) or read_card(name).detect.evidence, f"{name}: nothing shows it"
        assert read_card(name).example, f"{name}: say in `example` what the example of its page shows"


def test_texts_do_not_end_in_blanks() -> None:
    for name in NAMES:
        for line in _lines(read_card(name)):
            for text in (*((line.say,) if isinstance(line.say, str) else line.say), *line.first_of):
                assert text == text.strip(), (name, text)


@one_in_each_run(3)
@pytest.mark.parametrize(
    ("right", "wrong", "at", "says"),
    [
        (
            "is {behind_bytes:bytes} behind",
            "is {behnd_bytes:bytes} behind",
            "{behnd_bytes",
            ": slow-slave: nothing gives 'behnd_bytes'; did you mean behind_bytes",
        ),
        (
            'if = "sync_master"',
            'if = "synk_master"',
            "synk_master",
            ": slow-slave: nothing gives 'synk_master'",
        ),
        ('evidence = ["slave", "b', 'evidence = ["slav", "b', '"slav",', ": slow-slave: nothing gives 'slav'"),
        (
            "lines_of_epochs = 3",
            "lines_of_epoch = 3",
            "lines_of_epoch = 3",
            ": limits: no check asks for the limit 'lines_of_epoch'; they ask for entries_of_overflow, ",
        ),
        (
            "lines_of_epochs = 3",
            "",
            "[limits]",
            ": limits: a check asks for the limit 'lines_of_epochs', which the card does not have",
        ),
        (
            "offset-reset-to-zero =",
            "offset-reset-to-nil =",
            "offset-reset-to-nil =",
            ": rule: there is no rule 'offset-reset-to-nil'; expected the name of one, such as offset-reset",
        ),
        ("severity =", "sverity =", "[case.slow-slave]", ": slow-slave: "),
    ],
)
def test_a_wrong_name_on_a_card_is_one_line_with_the_names_that_may_stand_there(
    right: str, wrong: str, at: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = (Path(cards.FOLDER) / "slave-behind.toml").read_text()
    assert right in card
    card = card.replace(right, wrong, 1)
    line = card[: card.index(at)].count("\n") + 1
    (tmp_path / "slave-behind.toml").write_text(card)
    monkeypatch.setattr(cards, "FOLDER", str(tmp_path))
    read_card.cache_clear()
    try:
        told = [*wrong_cards()]
    finally:
        read_card.cache_clear()
    assert told[0].startswith(f"{tmp_path / 'slave-behind.toml'}, line {line}{says}")


def test_the_cards_of_mqdiag_name_what_is_given(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["knowledge", "check"]) == EXIT_CLEAN
    assert capsys.readouterr().out == "The knowledge of mqdiag is in order.\n"
