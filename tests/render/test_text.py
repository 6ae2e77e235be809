"""The report for a person: what it says, how wide it is, what it must never let through."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import msgspec
import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.facts.heap import TopicRate
from mqdiag.facts.heap_classes import ClassRow
from mqdiag.findings import Answer, Margin, Report, Severity
from mqdiag.language import english
from mqdiag.render import DETAILS, UNWRAPPED, View
from mqdiag.render.parts import Column
from mqdiag.render.text import render
from mqdiag.render.text.page import Page
from mqdiag.text import Text, say
from tests.render import samples
from tests.text_width import too_wide

INCIDENTS = Path(__file__).parents[2] / "fixtures" / "incidents"

REPORTS = {
    "article": samples.ARTICLE,
    "healthy": samples.HEALTHY,
    "no rocketmq": samples.NOTHING_OF_ROCKETMQ,
    "hostile": samples.HOSTILE,
    "gated": samples.GATED,
}


def flat(text: str) -> str:
    """The text without its wrapping."""
    return " ".join(text.split())


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS.keys())
@pytest.mark.parametrize("all_threads", [False, True])
def test_it_fits_eighty_columns(report: Report, all_threads: bool) -> None:
    text = render(report, View(all_threads=all_threads))
    # The hostile class name has no package to shorten and is whole, which makes its table wider than the page.
    assert [line for line in too_wide(text) if not re.search("held under|0x6c00a1f30$", line)] == []
    assert not [line for line in text.splitlines() if line != line.rstrip()]


def test_the_answer_is_the_first_thing_said() -> None:
    text = flat(render(samples.ARTICLE, View()))
    assert text.startswith("ERROR The queues of consumer temp-file-clean-group hold 1,608 MiB")
    places = [
        text.rindex(part)
        for part in (
            "Then 1. Set pullThresholdForQueue to 27",
            "55 queues x 100 messages (pullThresholdForQueue) x 428,311 bytes",
            "Also found ERROR pullThresholdForQueue of",
            "Consequences INFO",
            "Not checked, and why",
            "The dump",
            "Consumers",
            "Where the memory is",
            "ERROR The queues of consumer temp-file-clean-group hold 1,608 MiB of message bodies, 79% of",
        )
    ]
    assert places == sorted(places)


def test_a_decided_report_has_the_tables_on_demand() -> None:
    heads = ("Queues, all of", "Largest classes", "Threads that hold messages")
    assert not any(head in render(samples.ARTICLE, View()) for head in heads)
    assert all(head in render(samples.ARTICLE, View(detail="full")) for head in heads)
    assert all(head in render(undecided(samples.ARTICLE), View()) for head in heads)


def undecided(report: Report) -> Report:
    """The report without an answer, whose reader needs the tables."""
    return msgspec.structs.replace(report, answer=msgspec.structs.replace(report.answer, state="undecided"))


def test_numbers_of_the_tables() -> None:
    text = render(undecided(samples.ARTICLE), View())
    assert re.search(r"temp-file-clean-group +push +55 +3,937 +1,608 MiB +1,612 MiB +2,247 MiB", text)
    assert re.search(r"broker-4 +54 +71 +29 MiB +18400054 +70 +9 min", text)
    assert "Queues, all of group temp-file-clean-group, topic temp_file_segments\n" in text
    assert "and 45 more queues: 3,195 messages, 1,305 MiB of bodies" in text
    assert "and 8 more classes, 188 KiB shallow" in text
    assert re.search(
        r"messages +3,937, bodies 1,608 MiB\n +held +3,905 in queues, 32 in the hands of threads", text
    )


def test_no_line_breaks_between_a_number_and_its_unit() -> None:
    for width in range(40, 81):
        page = Page(View(width=width))
        page.paragraph(
            "It holds 1,608 MiB, 79 % of a heap of 2,048 MiB, for 340 ms or 9 min, and 5 messages " * 3
        )
        text = page.text()
        assert "1,608 MiB," in text
        assert not re.findall(r"\d\n *(?:%|MiB|ms|min)", text)
        assert "\ue000" not in text


def test_rates_of_the_last_minute_stand_with_their_consumer() -> None:
    busy = TopicRate(
        topic="orders",
        window_ms=60_000,
        consumed_per_second=12.34,
        failed_per_second=0.5,
        pulled_per_second=13.5,
        consume_ms=1610.4,
        lag=86_400,
        drain_seconds=7001.6,
    )
    still = TopicRate(topic="returns", window_ms=50_000, consumed_per_second=0.0, lag=7)
    consumer = msgspec.structs.replace(samples.CONSUMER, rates=(busy, still))
    heap = msgspec.structs.replace(samples.ARTICLE_HEAP, consumers=(consumer,))
    text = render(msgspec.structs.replace(samples.ARTICLE, heap=heap), View(detail="full", width=120))
    assert re.search(r"orders +60 s +12.3/s +0.50/s +13.5/s +1.6 s +86,400 +116 min 42 s\n", text)
    assert re.search(r"returns +50 s +0/s +unknown +unknown +unknown +7 +unknown\n", text)


def test_a_finding_without_sentences_shows_its_evidence() -> None:
    bare = msgspec.structs.replace(samples.OVERSIZED, explanation=())
    text = flat(render(msgspec.structs.replace(samples.ARTICLE, findings=(bare,)), View(detail="full")))
    assert "- held: 1,686,260,407 (1,608 MiB)" in text
    assert "- threshold: 100" in text


def test_a_consequence_names_the_rule_of_its_cause_and_gives_no_advice() -> None:
    (effect,) = [found for found in samples.ARTICLE.findings if found.caused_by]
    short, full = (flat(render(samples.ARTICLE, View(detail=detail))) for detail in DETAILS[1:])
    assert f"Consequences INFO {english()(effect.title)}" in short
    assert "explained by consumer-cache-exceeds-heap" in full
    for step in effect.remedy:
        assert english()(step) not in full


def test_a_healthy_dump_is_said_to_be_one() -> None:
    margin = Margin(
        rule="consumer-cache-exceeds-heap",
        label=say("message bodies that the thresholds allow, of the heap"),
        value=0.107,
        limit=0.6,
        kind="percent",
    )
    answer = msgspec.structs.replace(samples.HEALTHY.answer, margins=(margin,))
    text = flat(render(msgspec.structs.replace(samples.HEALTHY, answer=answer), View()))
    assert text.startswith("OK No fault found in a heap dump.")
    assert "message bodies that the thresholds allow, of the heap 11 % 60 %" in text


@pytest.mark.parametrize(
    ("state", "text", "reason", "begin"),
    [
        ("healthy", "No fault found.", "", "OK No fault found."),
        ("undecided", "It is open.", "One input is cut.", "UNDECIDED It is open. One input is cut."),
        ("fault", "It is all one story.", "", "ERROR It is all one story."),
    ],
)
def test_the_answer_is_shown_as_the_report_has_it(state: str, text: str, reason: str, begin: str) -> None:
    answer = Answer(state=state, text=Text(text), reason=Text(reason))  # type: ignore[arg-type]
    assert flat(render(msgspec.structs.replace(samples.ARTICLE, answer=answer), View())).startswith(begin)


def test_a_dump_without_rocketmq_says_so_and_hides_what_it_does_not_know() -> None:
    text = flat(render(samples.NOTHING_OF_ROCKETMQ, View()))
    assert "RocketMQ no consumer and no message is in this dump" in text
    assert "Consumers" not in text
    assert "retained class" not in text
    assert "retained sizes, consumers: left out" in text
    assert "heap limit unknown; --heap-limit gives it" in text


def test_an_info_finding_does_not_hide_that_no_fault_was_found() -> None:
    old_client = msgspec.structs.replace(samples.NO_LIMIT, rule="no-size-limit", cause="old-client")
    text = flat(render(msgspec.structs.replace(samples.HEALTHY, findings=(old_client,)), View()))
    assert "explains it" not in text, "there is no fault to explain"
    assert text.startswith("OK No fault found in ")
    assert "INFO Thread NettyClientPublicExecutor_3" in text


def test_nothing_is_said_of_unreachable_messages_of_a_cut_dump() -> None:
    assert "unreachable messages 12 (consumed, not yet collected)" in flat(render(samples.ARTICLE, View()))
    half = msgspec.structs.replace(samples.GIVEN, complete=False)
    assert "consumed, not" not in render(msgspec.structs.replace(samples.ARTICLE, inputs=(half,)), View())


def test_threads_at_the_same_place_are_shown_once() -> None:
    worker = samples.ARTICLE_HEAP.threads[1]
    assert worker.message is not None
    many = tuple(
        msgspec.structs.replace(
            worker,
            name=f"ConsumeMessageThread_{index}",
            message=msgspec.structs.replace(worker.message, age_ms=60_000 - index),
        )
        for index in reversed(range(20))
    )
    heap = msgspec.structs.replace(samples.ARTICLE_HEAP, threads=many)
    text = flat(render(undecided(msgspec.structs.replace(samples.ARTICLE, heap=heap)), View()))
    assert "and 17 more at the same place" in text
    assert text.count("com.example.clean.Segment.step0 ") == 1
    assert (
        text.count("longest in hand, by ConsumeMessageThread_0: topic temp_file_segments, queue 3, offset 18")
        == 1
    )


def test_all_threads_only_when_asked_for() -> None:
    assert "main (WAITING)" not in render(samples.ARTICLE, View())
    assert "1 more thread; --threads shows all stacks" in render(undecided(samples.ARTICLE), View())
    assert "main (WAITING)" in render(samples.ARTICLE, View(all_threads=True))


def test_rules_are_counted_by_the_reason_that_they_share() -> None:
    short = flat(render(samples.ARTICLE, View()))
    assert "2 rules were not checked; --why lists them." in short
    assert "no stack samples were given" not in short
    assert re.search(r"no stack samples were given +2\n", render(samples.ARTICLE, View(why=True)))
    full = flat(render(samples.ARTICLE, View(detail="full", width=120)))
    assert "no stack samples were given 2 lock-convoy, stuck-socket-read" in full


@pytest.mark.parametrize("colour", [False, True])
def test_nothing_in_a_dump_acts_on_the_terminal(colour: bool) -> None:
    text = render(samples.HOSTILE, View(colour=colour, all_threads=True))
    ours = re.sub(r"\x1b\[[0-9;]*m", "", text) if colour else text
    active = {unicodedata.category(char) for char in ours} & {"Cc", "Cf", "Cs"}
    assert [char for char in ours if unicodedata.category(char) in active and char != "\n"] == []
    assert "\\x1b[2J" in ours
    assert "\\u202e" in ours
    assert "[bold" in ours


def test_colour_only_when_allowed() -> None:
    assert "\x1b[" not in render(samples.ARTICLE, View(colour=False))
    assert "\x1b[1;31mERROR" in render(samples.ARTICLE, View(colour=True))


def test_an_unreadable_input_among_others_is_named() -> None:
    lost = msgspec.structs.replace(samples.GIVEN, path="other.hprof", error=say("is empty"), complete=False)
    text = flat(render(msgspec.structs.replace(samples.ARTICLE, inputs=(samples.GIVEN, lost)), View()))
    assert "Inputs - other.hprof: could not be read: is empty" in text


def test_a_large_class_that_no_root_reaches_is_among_the_largest() -> None:
    rows = [
        ClassRow(name=f"app.Small{i}", loaders=1, instances=1, shallow_bytes=16, retained_bytes=500)
        for i in range(20)
    ]
    lost = ClassRow(name="byte[]", loaders=1, instances=9, shallow_bytes=9_000_000, retained_bytes=0)
    heap = msgspec.structs.replace(samples.ARTICLE.heap, classes=(*rows, lost))
    text = flat(render(undecided(msgspec.structs.replace(samples.ARTICLE, heap=heap)), View()))
    assert re.search(r"Largest classes .*? class ─+ 9 8\.6 MiB 0 B byte\[\]", text), text[-900:]


def test_what_is_known_is_shown_as_known_and_what_lapsed_is_listed() -> None:
    text = flat(render(samples.GATED, View()))
    assert text.startswith("ERROR pullThresholdForQueue of temp-file-clean-group is 100")
    assert "Also found ERROR (KNOWN) The queues of consumer temp-file-clean-group hold" in text
    assert "Accepted: the heap is doubled in May (mqdiag-baseline.toml, until 2027-05-31)" in text
    assert "retry-storm 00000000000000bb does not occur any more; remove the entry" in text
    assert "client-leak expired on 2027-05-31 and counts again" in text


def test_an_answer_that_another_finding_explains_names_its_cause_and_tells_what_to_do_about_that() -> None:
    root, effect = samples.OVERSIZED, samples.ARTICLE.findings[-1]
    assert effect.caused_by == (root.fingerprint,)
    report = msgspec.structs.replace(
        samples.ARTICLE,
        findings=(msgspec.structs.replace(effect, severity=Severity.ERROR), root),
        answer=Answer(state="fault", text=effect.title),
    )
    text = flat(render(report, View()))
    assert text.startswith(f"ERROR {english()(effect.title)}")
    assert f"The cause: {english()(root.title)} Then 1. {english()(root.remedy[0])}" in text
    assert text.count(english()(root.title)) == 1


def test_a_warning_that_leads_to_an_error_says_so_and_keeps_its_own_severity() -> None:
    root = msgspec.structs.replace(samples.OVERSIZED, severity=Severity.WARNING)
    effect = msgspec.structs.replace(samples.ARTICLE.findings[-1], severity=Severity.ERROR)
    report = msgspec.structs.replace(
        samples.ARTICLE, findings=(effect, root), answer=Answer(state="fault", text=root.title)
    )
    text = render(report, View(width=UNWRAPPED))
    assert text.startswith("WARNING ")
    assert f"\n  It leads to an error: {english()(effect.title)}\n" in text


def test_the_last_line_counts_the_findings_that_the_answer_covers() -> None:
    told = msgspec.structs.replace(samples.ARTICLE, verdict=None)
    assert "--detail full adds tables and a glossary." in flat(render(told, View()))
    report = diagnose_incident([INCIDENTS / "stuck-http"]).report
    assert "--detail full adds 4 findings and tables." in flat(render(report, View()))


def test_a_queue_that_stands_for_all_queues_is_named_so() -> None:
    thread = samples.ARTICLE_HEAP.threads[1]
    assert thread.message is not None
    threads = (msgspec.structs.replace(thread, message=msgspec.structs.replace(thread.message, queue_id=-1)),)
    heap = msgspec.structs.replace(samples.ARTICLE_HEAP, threads=threads, queues=(samples.queue(-1),))
    text = flat(render(msgspec.structs.replace(samples.ARTICLE, heap=heap), View(detail="full")))
    assert "topic temp_file_segments, offset 18" in text
    assert "queue -1" not in text
    assert "queue all · messages 71 ·" in text


def test_a_table_without_room_is_a_list_of_its_rows() -> None:
    """Numbers that never break would make it wider than the page."""
    columns = [Column(say(f"number {place}"), number=True) for place in range(9)]
    columns = [Column(say("thread")), *columns, Column(say("taken"))]
    rows = [["ConsumeMessageThread_orders_1", *["1,234,567,890"] * 9, "2026-11-28 09:41:14 +00:00"]]
    page = Page(View(width=80))
    page.grid(columns, rows, [[""] * 11])
    lines = page.text().splitlines()
    assert lines[0] == "  ConsumeMessageThread_orders_1"
    assert lines[1].startswith("    number 0 1,234,567,890 · number 1 1,234,567,890 ·")
    assert max(map(len, lines)) <= 80
    assert "taken 2026-11-28 09:41:14 +00:00" in lines[-1]


def test_a_column_too_narrow_for_a_date_makes_a_list_of_rows() -> None:
    columns = [Column(say("file"), whole=True), Column(say("taken"))]
    page = Page(View(width=60))
    page.grid(columns, [["a" * 50, "2026-11-28 09:41:14.123 +00:00"]], [["", ""]])
    assert page.text().splitlines() == ["  " + "a" * 50, "    taken 2026-11-28 09:41:14.123 +00:00"]
