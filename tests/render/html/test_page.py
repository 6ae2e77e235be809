"""The page as text: all numbers are there without a script, and no text of the evidence is markup."""

from __future__ import annotations

import itertools
from functools import cache
from html.parser import HTMLParser

import msgspec
import pytest

from mqdiag.diagnose.answer import answered
from mqdiag.facts.heap_classes import ClassRow
from mqdiag.findings import Report
from mqdiag.language import english
from mqdiag.render.wording.actions import then_of
from mqdiag.text import say
from tests.layers import CHECK, NIGHTLY, one_in_each_run
from tests.render import samples
from tests.render.html.reports import (
    EVIL,
    FLEET,
    busy_broker,
    change,
    convoy,
    html,
    poisoned,
    retaining_heap,
    stuck_heap,
    stuck_incident,
    two_processes,
)

INLINE = {"a", "code", "span", "wbr"}
VOID = {"meta", "link", "br", "wbr", "img", "input", "hr"}


class Outline(HTMLParser):
    """Tags, attributes and text; fails on a tag that is not closed in order."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self._open: list[str] = []
        self.feed(page)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)
        if tag not in INLINE:
            self.words.append(" ")

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag
        if tag not in INLINE:
            self.words.append(" ")

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] not in ("style", "script"):
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())


REPORTS = {
    "article": lambda: samples.ARTICLE,
    "healthy": lambda: samples.HEALTHY,
    "no rocketmq": lambda: samples.NOTHING_OF_ROCKETMQ,
    "stuck heap": stuck_heap,
    "retaining heap": retaining_heap,
    "convoy": convoy,
    "stuck incident": stuck_incident,
    "busy broker": busy_broker,
    "two processes": two_processes,
    "change": change,
    "fleet": lambda: FLEET,
}
PARTS_OF_OTHERS = {"article", "healthy", "no rocketmq", "stuck heap", "retaining heap"}
every_report = pytest.mark.parametrize("make", REPORTS.values(), ids=REPORTS)


@one_in_each_run(4)
@every_report
def test_the_page_is_whole_and_loads_nothing(make) -> None:
    page = html(make(), all_threads=True)
    outline = Outline(page)
    assert page.startswith("<!DOCTYPE html>")
    assert "default-src 'none'" in page
    for tag, attributes in outline.tags:
        for name in ("src", "href", "action", "data", "srcset"):
            assert (attributes.get(name) or "#").startswith(("#", "data:")), (tag, attributes)
        assert not any(name.startswith("on") for name in attributes), (tag, attributes)
    assert "url(http" not in page
    assert "@import" not in page


@cache
def outline_of(make) -> Outline:
    """The page of a report, read once for all who ask."""
    return Outline(html(make()))


@one_in_each_run(4)
@every_report
def test_what_a_screen_reader_needs(make) -> None:
    outline = outline_of(make)
    tags = [tag for tag, _ in outline.tags]
    assert tags.count("h1") == 1
    assert tags.count("main") == 1
    levels = [int(tag[1]) for tag in tags if tag in ("h1", "h2", "h3", "h4")]
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))
    assert all(attributes.get("scope") == "col" for tag, attributes in outline.tags if tag == "th")
    ids = [attributes["id"] for _, attributes in outline.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    for tag, attributes in outline.tags:
        if tag == "svg":
            assert attributes["role"] == "img"
            assert attributes["aria-labelledby"] in ids
        if (attributes.get("href") or "").startswith("#"):
            assert attributes["href"][1:] in ids


@one_in_each_run(4)
@every_report
def test_every_finding_is_told_whole(make) -> None:
    report = make()
    text = outline_of(make).text
    known = {finding.fingerprint for finding in report.findings}
    for finding in report.findings:
        # What another finding explains ends with its cause: it has no advice of its own.
        actions = () if known & set(finding.caused_by) else (*finding.now, *then_of(finding))
        advice = [words for one in actions for words in (one.with_price, one.command) if words]
        for words in (finding.title, *finding.explanation, *advice, finding.rule, finding.fingerprint):
            # a command is set in type of its own
            assert " ".join(english()(words).replace("`", "").split()) in text
    for skipped in report.skipped:
        assert skipped.rule in text


def test_the_answer_stands_first() -> None:
    text = Outline(html(samples.ARTICLE)).text
    text = text[text.index("To the answer") :]
    title = english()(samples.OVERSIZED.title)
    places = [text.index(words) for words in ("error", title, "Then", "Why", "written")]
    assert places == sorted(places)
    assert "OK No fault found" in Outline(html(samples.HEALTHY)).text


def test_the_chain_stands_before_the_findings() -> None:
    text = Outline(html(stuck_incident())).text
    verdict = stuck_incident().verdict
    assert verdict is not None
    effects = [text.index(english()(step.says), text.index("What it led to")) for step in verdict.chain[1:]]
    assert effects == sorted(effects)
    assert effects[-1] < text.index("Impact now") < text.index("Consequences", effects[-1])
    for line in (*verdict.consequences, *verdict.agreements):
        assert english()(line) in text
    for missing in verdict.missing_evidence:
        assert english()(missing.what) in text
        lines = [english()(line) for command in missing.commands for line in command.lines]
        assert all(line.split("#")[0].strip() in text for line in lines)


@CHECK
def test_logs_are_drawn_over_time() -> None:
    text = Outline(html(busy_broker())).text
    logs = busy_broker().logs
    assert logs is not None
    for event in logs.events:
        assert f"{event.kind}: {event.series[0].count:,} at" in text or not event.series[0].count
    assert "How long the broker's" in text


@CHECK
def test_another_process_has_its_own_part() -> None:
    page = html(two_processes())
    (other,) = two_processes().other_processes
    assert f"Process {other.name}" in page
    assert 'id="table-process-0-queues"' in page


def test_a_change_and_a_fleet_are_shown() -> None:
    text = Outline(html(change())).text
    diff = change().diff
    assert diff is not None
    assert all(english()(one.title) in text for one in (*diff.new, *diff.gone))
    assert all(one.name in text for one in diff.classes[:20])
    fleet = Outline(html(FLEET)).text
    assert "orders, stuck-socket-read: 3" in fleet
    assert "1000: 4 (orders/a)" in fleet
    assert "bills/b1 x.hprof memory too large" in fleet


@CHECK
def test_queues_and_their_stuck_message_are_drawn() -> None:
    page = html(stuck_heap())
    (queue,) = [queue for queue in stuck_heap().heap.queues if queue.messages]
    assert f"offset {queue.min_offset} in hand for" in page
    assert all(f"offsets {first} to {last}," in page for first, last in queue.held_offsets)


def test_locks_and_timeline_are_drawn() -> None:
    text = Outline(html(convoy())).text
    assert "held by ConsumeMessageThread_CID_convoy-stuck_3" in text
    assert "threads make no progress" in text


# A heap with its threads and what is kept by it is of the incident and of two processes too.
@one_in_each_run(4)
@pytest.mark.parametrize(
    "make",
    [
        pytest.param(make, id=name, marks=NIGHTLY if name in PARTS_OF_OTHERS else ())
        for name, make in {**REPORTS, "hostile": lambda: samples.HOSTILE}.items()
    ],
)
def test_no_text_of_the_evidence_becomes_markup(make) -> None:
    report = poisoned(make())
    page = html(report, all_threads=True)
    outline = Outline(page)
    tags = [tag for tag, _ in outline.tags]
    assert tags.count("script") == 1
    assert "img" not in tags
    assert EVIL.split("\u202e")[0] in outline.text
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert "49" not in page.split("{{7*7}}")[0][-3:]


@CHECK
def test_a_page_of_a_large_heap_stays_small() -> None:
    row = ClassRow(
        name="com.example.a.rather.long.package.name.TypeNumber", loaders=1, instances=1, shallow_bytes=64
    )
    many = tuple(msgspec.structs.replace(row, name=f"{row.name}{number}") for number in range(40_000))
    heap = samples.ARTICLE_HEAP
    queues = tuple(samples.queue(number, held_offsets=((1, 2), (5, 9))) for number in range(5_000))
    threads = tuple(msgspec.structs.replace(heap.threads[1], name=f"t{number}") for number in range(5_000))
    report = msgspec.structs.replace(
        samples.ARTICLE, heap=msgspec.structs.replace(heap, classes=many, queues=queues, threads=threads)
    )
    page = html(report, all_threads=True)
    assert len(page.encode()) < 3_000_000
    assert "39,000 more classes" in page


def test_an_unreadable_input_is_said() -> None:
    given = msgspec.structs.replace(samples.GIVEN, error=say("at byte 0: no heap dump"), complete=False)
    text = Outline(html(answered(Report(mqdiag="0", inputs=(given,))))).text
    assert "No input could be read" in text
    assert "no: at byte 0: no heap dump" in text
