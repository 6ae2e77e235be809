"""Text with all details and the page say the same: the same tables, sentences and numbers in the same order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path

import pytest

from mqdiag.diagnose.heap import diagnose_heap
from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.findings import Report
from mqdiag.language import english
from mqdiag.render import View, renderer
from mqdiag.render.html.lead_picture import with_lead_picture
from mqdiag.render.parts import AnyPart, Card, Figure, Fold, Section, Several
from mqdiag.render.sections import sections_of
from mqdiag.render.sections.finding_cards import answering_finding
from mqdiag.render.text.writer import TextWriter
from mqdiag.render.wording.safe import safe
from mqdiag.text import NOTHING
from tests.layers import one_in, one_in_each_run
from tests.render import samples
from tests.render.html.reports import FLEET, change, two_processes

FIXTURES = Path(__file__).parents[2] / "fixtures"
DUMPS = sorted(path.relative_to(FIXTURES) for path in (FIXTURES / "heap").glob("*/dump*"))


def folders(*kinds: str) -> list[Path]:
    """Those of the committed evidence of some kinds."""
    found = (path for kind in kinds for path in (FIXTURES / kind).iterdir() if path.is_dir())
    return sorted(path.relative_to(FIXTURES) for path in found)


FOLDERS = folders("incidents", "stores", "admin", "reports")
SERIES_AND_LOGS = folders("stacks", "logs")
BLOCKS = {"h1", "h2", "h3", "h4", "p", "li", "dt", "dd", "summary", "caption", "th", "td", "pre"}
LEFT_OUT = {"svg", "figcaption", "script", "style"}
MARKS = re.compile(r"(?:-|->|>|=|from|\d+\.|─+)")
LONGEST_INCIDENT, LONGEST_RECORDED, LONGEST, LONGEST_OF_MANY, LONGEST_BRIEF = 74, 100, 94, 114, 12
"""lines at 80 columns; a recording disagrees or agrees with all other evidence; paths of archives, which a remedy must
name, make some of the others longer; how many queues an impact is known of takes a line; the last lines are the answer
once more, with its first action and command"""
MANY = 10
"""findings of a series that holds one fault beside the other, as only the rig makes them"""
WIDE = 6000
"""so that no cell wraps"""


class Page(HTMLParser):
    """The words of a page's main part, block by block, and its tables cell by cell."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[str] = []
        self.tables: list[list[list[str]]] = []
        self._words: list[str] = []
        self._title = ""
        self._left_out = 0
        self._in_main = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "main":
            self._in_main = True
        elif tag in LEFT_OUT:
            self._left_out += 1
        elif tag in BLOCKS or tag in ("ul", "ol"):
            self._end_block()
        elif tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])

    def handle_endtag(self, tag: str) -> None:
        if tag == "main":
            self._in_main = False
        elif tag in LEFT_OUT:
            self._left_out -= 1
        elif tag in ("th", "td"):
            self.tables[-1][-1].append(one_line("".join(self._words)))
        if tag in BLOCKS:
            self._end_block(caption=tag == "caption")
        if tag == "h2":
            self._title = self.blocks[-1]

    def handle_data(self, data: str) -> None:
        if self._in_main and not self._left_out:
            self._words.append(data)

    def _end_block(self, *, caption: bool = False) -> None:
        block = one_line("".join(self._words))
        self._words = []
        # A table without a caption of its own has the section's title for screen readers.
        if block and not (caption and block == self._title):
            self.blocks.append(block)


def one_line(text: str) -> str:
    """In one line; the backticks of text are code in a page."""
    return " ".join(text.replace("`", "").split()).lower()


def text_tables(text: str) -> Iterator[list[str]]:
    """The lines of each table, its head first, and what follows it up to an empty line."""
    lines = text.splitlines()
    for place, line in enumerate(lines):
        if re.fullmatch(r" *─+", line):
            end = next((at for at in range(place, len(lines)) if not lines[at].strip()), len(lines))
            yield [lines[place - 1], *lines[place + 1 : end]]


def words_of_figures(report: Report, view: View) -> Iterator[list[str]]:
    """The lines that text has in place of each figure."""

    def figures(parts: Sequence[AnyPart]) -> Iterator[Figure]:
        for part in parts:
            if isinstance(part, Figure):
                yield part
            elif isinstance(part, Fold | Several | Card):
                yield from figures(part.parts)

    for section in sections_of(report, view):
        for figure in figures(section.parts):
            writer = TextWriter(view)
            writer.section(Section(name="", title=NOTHING, parts=figure.words, headed=False))
            lines = writer.text().splitlines()
            # a page has the heading of a figure too
            headed = figure.title and one_line(lines[0]) == one_line(english()(figure.title))
            yield lines[1:] if headed else lines


def without_words_of_figures(text: str, report: Report, view: View) -> str:
    lines = text.splitlines()
    plain = list(map(one_line, lines))
    at = 0
    for words in words_of_figures(report, view):
        wanted = list(map(one_line, words))
        at = next(place for place in range(at, len(lines)) if plain[place : place + len(wanted)] == wanted)
        lines[at : at + len(wanted)] = plain[at : at + len(wanted)] = []
    return "\n".join(lines)


def without_closing(text: str, report: Report) -> str:
    """A text without its last paragraph, which a page does not need: there the answer stays in sight."""
    if not report.answer.text:
        return text
    before, _, closing = text.rpartition("\n\n")
    answering = answering_finding(report)
    said = report.answer.text if answering is None else answering.title
    assert " ".join(safe(english()(said), limit=None).split()) in " ".join(closing.split()), (
        "the end does not say the answer again"
    )
    return f"{before}\n"


def assert_same(report: Report) -> None:
    view = View(detail="full", width=WIDE)
    text = without_closing(renderer("text")(report, view), report)
    text = without_words_of_figures(text, report, view)
    text = without_titles_of_moved(text, report, view)
    page = Page(renderer("html")(report, view))
    _assert_same_tables(text, page)
    _assert_same_words(text, page)


def without_titles_of_moved(text: str, report: Report, view: View) -> str:
    """A text without the titles of parts that are one picture, which a page has below its answer."""
    sections = sections_of(report, view)
    kept = {section.name for section in with_lead_picture(sections, report)}
    titles = {one_line(english()(section.title)) for section in sections if section.name not in kept}
    # a heading inside of a part may have the same words, and is indented
    return "\n".join(line for line in text.splitlines() if line[:1] == " " or one_line(line) not in titles)


def _assert_same_tables(text: str, page: Page) -> None:
    tables = list(text_tables(text))
    assert len(tables) == len(page.tables)
    for lines, rows in zip(tables, page.tables, strict=True):
        cells = [" ".join(map(one_line, re.split(r" {2,}", line.strip()))) for line in lines]
        wanted = [" ".join(filter(None, row)) for row in rows]
        assert cells[: len(wanted)] == wanted
        for line in lines[len(wanted) :]:
            assert one_line(line) in page.blocks, "a line of the table that the page has not"


def _assert_same_words(text: str, page: Page) -> None:
    flat, at = one_line(text), 0
    between: list[str] = []
    for block in page.blocks:
        found = flat.find(block, at)
        assert found >= 0, f"text lacks {block!r} after {flat[max(at - 200, 0) : at]!r}"
        between.append(flat[at:found])
        at = found + len(block)
    for piece in (*between, flat[at:]):
        assert all(map(MARKS.fullmatch, piece.split())), f"the page lacks {piece!r}"


@one_in_each_run(3)
@pytest.mark.parametrize("path", one_in(16, DUMPS, name=str))
def test_heap_dumps(path: Path) -> None:
    assert_same(diagnose_heap(FIXTURES / path).report)


@one_in_each_run(8)
@pytest.mark.parametrize(
    "path", [*one_in(16, FOLDERS, name=str), *one_in(40, SERIES_AND_LOGS, name=str)], ids=str
)
def test_folders_of_evidence(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FIXTURES)  # a path in a report is as long as it was given
    report = diagnose_incident([path]).report
    assert_same(report)
    longest = LONGEST_OF_MANY if len(report.findings) > MANY else LONGEST
    of_incident = LONGEST_INCIDENT if report.recordings is None else LONGEST_RECORDED
    assert_short(report, of_incident if path.parts[0] == "incidents" else longest)


def assert_short(report: Report, longest: int) -> None:
    """A tired reader gets the answer, what to do and why without scrolling far; the brief form is the answer alone."""
    normal, brief = (renderer("text")(report, View(detail=detail)) for detail in ("normal", "brief"))
    assert len(normal.splitlines()) <= longest, normal
    assert len(brief.splitlines()) <= LONGEST_BRIEF, brief
    told = " ".join(without_closing(normal, report).split())
    for finding in report.findings:
        assert told.count(" ".join(english()(finding.title).split())) <= 1, "a finding is told twice"


@one_in_each_run(3)
@pytest.mark.parametrize(
    "make",
    [change, two_processes, lambda: FLEET, lambda: samples.GATED, lambda: samples.HOSTILE],
    ids=["change", "two processes", "fleet", "gated", "hostile"],
)
def test_other_reports(make) -> None:
    assert_same(make())


def test_a_difference_is_noticed() -> None:
    view = View(detail="full", width=WIDE)
    text = without_closing(renderer("text")(samples.ARTICLE, view), samples.ARTICLE)
    text = without_words_of_figures(text, samples.ARTICLE, view)
    page = Page(renderer("html")(samples.ARTICLE, view))
    _assert_same_tables(text, page)
    _assert_same_words(text, page)
    with pytest.raises(AssertionError):
        _assert_same_tables(text.replace("90,211", "90,212"), page)
    with pytest.raises(AssertionError):
        _assert_same_words(text.replace("20,412", "20,413"), page)
    with pytest.raises(AssertionError):
        _assert_same_words(text.replace("The dump\n", "The dump\n  colour  red\n"), page)
