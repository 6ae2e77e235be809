"""Checks that a card describes by itself: which lines and rows show a case, and with which numbers."""

from __future__ import annotations

import re
import tomllib

import msgspec

from mqdiag.facts import Facts
from mqdiag.facts.logs import BrokerLogs, LogEvent, LogGroup, LogsFacts, LogSubject
from mqdiag.facts.offset_logs import OffsetReset
from mqdiag.findings import Margin, Subject
from mqdiag.knowledge.card_files import FOLDER
from mqdiag.knowledge.detect import Detect
from mqdiag.knowledge.rule_card import Card
from mqdiag.rules.detectors import checks_of
from mqdiag.rules.draft import Draft, Result, Skip
from mqdiag.rules.rule import Rule
from tests.docs.copied_tree import ROOT
from tests.folded import folded
from tests.rules.checks import with_heap
from tests.rules.examples import proxy_handles_kept
from tests.rules.examples.consumer import example

MANY = 100
"""lines of a log that is no excerpt"""


def said(detect: str, facts: Facts, **limits: float) -> list[Result]:
    """What the checks of a card with two cases say, of which "few" says less."""
    case = {"severity": "warning", "title": "It is so", "explanation": [], "evidence": ["lines"]}
    card = {
        "title": "Some fault",
        "why": "So.",
        "references": [],
        "actions": ["Act."],
        "case": {"one": case, "few": case, "other": case, "row": {**case, "evidence": ["count"]}},
        "margins": {"near": {"label": "times"}},
    }
    rule = Rule("some-rule")
    rule.texts = msgspec.convert(card, Card)
    described = msgspec.convert(tomllib.loads(detect), Detect)
    return [one for _, check in checks_of(rule, described) for one in check(facts, limits)]


def drafts(detect: str, facts: Facts, **limits: float) -> list[Draft]:
    return [one for one in said(detect, facts, **limits) if isinstance(one, Draft)]


def event(kind: str = "map-failed", count: int = 5, **more: object) -> LogEvent:
    return msgspec.convert({"kind": kind, "count": count, **more}, LogEvent)


def logs(*events: LogEvent, lines: int = MANY, **more: object) -> Facts:
    return Facts(logs=LogsFacts(events=events, lines=lines, **more))  # type: ignore[arg-type]


ANY = '[[lines]]\nlines = ["map-failed"]\ncase = "one"\n'


def test_one_line_is_enough_without_a_limit_and_in_an_excerpt() -> None:
    assert len(drafts(ANY, logs(event(count=1)))) == 1
    assert drafts(ANY, logs(event("pool-low"))) == []
    limited = ANY + 'at_least = "lines"'
    assert drafts(limited, logs(event(count=4)), lines=5) == []
    assert len(drafts(limited, logs(event(count=5)), lines=5)) == 1
    assert len(drafts(limited, logs(event(count=1), lines=3), lines=5)) == 1


def test_the_first_case_that_is_meant() -> None:
    detect = """
[[lines]]
lines = ["map-failed"]
flags = { windows = "windows", other = "pool-low" }
values = { clients = { largest = "client_number" } }
case = [
  { if = "windows", case = "few" },
  { at_least = { clients = "clients" }, case = "one" },
  { case = "other" },
]
"""
    for values, cause in (
        ({}, "other"),
        ({"windows": 1}, "few"),
        ({"client_number": 9}, "other"),
        ({"client_number": 10}, "one"),
        ({"client_number": 10, "windows": 1}, "few"),
    ):
        (draft,) = drafts(detect, logs(event(values=values)), clients=10)
        assert draft.cause == cause, values


def test_each_kind_has_a_finding_of_its_own() -> None:
    found = drafts('[[lines]]\nby_kind = { a = "one", b = "few" }', logs(event("b"), event("a")))
    assert [one.cause for one in found] == ["one", "few"]


def test_what_came_later_shows_that_it_passed() -> None:
    detect = ANY + 'unless_later = ["reached"]'
    early, late = "2026-11-21T20:00:01", "2026-11-21T20:00:09"
    assert drafts(detect, logs(event(last=early), event("reached", last=late))) == []
    assert len(drafts(detect, logs(event(last=late), event("reached", last=early)))) == 1
    assert len(drafts(detect, logs(event(), event("reached", last=late)))) == 1, "an unknown time shows nothing"


@folded(
    "number, value",
    [
        ('{ largest = "n" }', 9),
        ('{ smallest = "n" }', 4),
        ('{ largest = "n", less = 2 }', 7),
        ('{ largest = "n", per = 2 }', 4),
        ('{ lines = ["pool-low"] }', 3),
        ("{ number = -1 }", -1),
        ('{ only = "topic" }', "orders"),
    ],
)
def test_values(number: str, value: int | str) -> None:
    subjects = [{"topic": "orders", "count": 5}]
    found = [event(values={"n": 4}, subjects=subjects), event(values={"n": 9}, subjects=subjects)]
    (draft,) = drafts(ANY + f"values = {{ x = {number} }}", logs(*found, event("pool-low", 3)))
    assert draft.evidence["x"] == value


def test_an_unknown_value_is_no_evidence_unless_the_case_lists_it() -> None:
    for number in ('{ largest = "gone" }', '{ largest = "n", unless = 0 }', '{ only = "topic" }'):
        (draft,) = drafts(ANY + f"values = {{ x = {number} }}", logs(event(values={"n": 0})))
        assert "x" not in draft.evidence, number
    (draft,) = drafts(ANY + 'values = { lines = { largest = "gone" } }', logs(event()))
    assert draft.evidence["lines"] is None


def test_whose_lines_count_together() -> None:
    brokers = tuple(BrokerLogs(name=name, events=(event(count=2),)) for name in ("a", "b"))
    both = logs(event(count=4), brokers=brokers)
    assert [one.subject for one in drafts(ANY, both)] == [Subject()]
    of_each = drafts(ANY + 'each = "broker"', both)
    assert [(one.subject.broker, one.evidence["lines"]) for one in of_each] == [("a", 2), ("b", 2)]
    groups = tuple(LogGroup(group=name, count=2) for name in ("CID_a", "CID_b"))
    rows = tuple(LogSubject(group=one.group, topic="orders", broker="b-0", count=2) for one in groups)
    of_groups = drafts(
        ANY + 'each = "group"\nsubject = ["topic", "broker"]',
        logs(event(count=4, groups=groups, subjects=rows)),
    )
    assert [one.subject for one in of_groups] == [
        Subject(group=name, topic="orders", broker="b-0") for name in ("CID_a", "CID_b")
    ]


ROWS = """
[[rows]]
of = "logs.offset_resets"
is = { no_queue_data = false }
at_least = { count = "times", broker_max = "end" }
margins = { count = "near" }
subject = { group = "group" }
case = "row"
"""


def reset(**more: object) -> OffsetReset:
    return msgspec.convert(
        {"requested": 5, "given": 9, "count": 3, "broker_max": 9, "group": "CID", **more}, OffsetReset
    )


def test_rows_beyond_their_limits() -> None:
    cases: dict[str, tuple[dict[str, object], type | None]] = {
        "beyond": ({}, Draft),
        "below the limit with a margin": ({"count": 2}, Margin),
        "below the other limit": ({"broker_max": 4}, None),
        "unknown": ({"broker_max": None}, None),
        "of another kind": ({"no_queue_data": True}, None),
    }
    for name, (changes, kind) in cases.items():
        found = said(ROWS, logs(offset_resets=(reset(**changes),)), times=3, end=5)
        assert [type(one) for one in found] == ([] if kind is None else [kind]), name
    (draft,) = drafts(ROWS, logs(offset_resets=(reset(first="2026-11-21T20:00:01"),)), times=3, end=5)
    assert (draft.subject, draft.evidence["count"], len(draft.when)) == (Subject(group="CID"), 3, 1)


def test_the_worst_row_alone_with_how_many_there_are() -> None:
    rows = (reset(), reset(count=7, group="CID_worst"), reset(count=1))
    (draft,) = drafts(ROWS + 'worst = "count"\ncount_as = "n"', logs(offset_resets=rows), times=3, end=5)
    assert (draft.subject.group, draft.evidence["n"]) == ("CID_worst", 2)


def test_rows_of_a_heap_say_why_they_were_not_read() -> None:
    detect = '[[rows]]\nof = "heap.consumers"\ncase = "row"'
    assert [type(one) for one in said(detect, with_heap(example(), process_queues=None))] == [Skip]
    assert said('[[rows]]\nof = "heap.proxy.pools"\ncase = "row"', example()) == []
    assert said(detect, Facts()) == []


def test_a_value_may_be_of_what_the_row_is_part_of() -> None:
    detect = """
[[rows]]
of = "heap.proxy.handle_owners"
values = { count = "handles", all = "proxy.handles" }
age_ms = "oldest_ms"
case = "row"
"""
    facts = proxy_handles_kept.fires()
    assert facts.heap is not None
    assert facts.heap.proxy is not None
    (draft,) = drafts(detect, facts)
    (owner,) = facts.heap.proxy.handle_owners
    assert draft.evidence == {"count": owner.handles, "all": facts.heap.proxy.handles}
    assert draft.age_ms == owner.oldest_ms


def test_the_guide_shows_what_cards_say() -> None:
    guide = (ROOT / "docs" / "guides" / "rule-without-python.md").read_text("utf-8")
    shown = [block for block in re.findall(r"```toml\n(.*?)```", guide, re.DOTALL) if "[[detect" in block]
    assert len(shown) == 2
    cards = [
        (ROOT / FOLDER / f"{name}.toml").read_text("utf-8") for name in ("timer-stuck", "proxy-handles-kept")
    ]
    assert all(block in card for block, card in zip(shown, cards, strict=True))
