"""Reports of the fixtures in Chinese: no English words in them, and each report in both languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import msgspec
import pytest

from mqdiag.cli import run
from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.findings import Report
from mqdiag.language import LANGUAGES, writer
from mqdiag.render import View, renderer
from mqdiag.render.parts import Table
from mqdiag.render.sections import sections_of
from mqdiag.text import Text
from tests.language.chinese import english_words, seen_words
from tests.layers import CHECK
from tests.report_schema import validate_report

FIXTURES = Path(__file__).parents[2] / "fixtures"
CASES = sorted(
    case.relative_to(FIXTURES)
    for kind in ("admin", "heap", "incidents", "logs", "stacks", "stores")
    for case in (FIXTURES / kind).iterdir()
    if case.is_dir()
)
CHINESE = re.compile(r"[\u4e00-\u9fff]")
IN_CHINESE = View(language="zh", width=400)
"""so wide that no name is broken into two lines"""


@cache
def report_of(case: Path) -> Report:
    return diagnose_incident([FIXTURES / case]).report


@pytest.mark.translations
@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_chinese_report_has_no_english_words(case: Path) -> None:
    report = report_of(case)
    for form in ("text", "markdown", "html"):
        written = renderer(form)(report, IN_CHINESE)
        if form == "html":
            assert '<html lang="zh-Hans">' in written
            written = seen_words(written)
        assert english_words(written, report, IN_CHINESE.write) == set(), form


@CHECK
def test_an_english_word_is_seen() -> None:
    """The test above can fail, also for words that the facts themselves use."""
    report = report_of(Path("incidents/stuck-http"))
    words = {"Backlog", "stuck", "consume-worker", "The"}
    written = "".join(
        f"消费组 CID_stuck-http 的 {word}，见 --threads 和 java.lang.Object.wait。" for word in words
    )
    assert english_words(written, report, IN_CHINESE.write) == words


@CHECK
def test_one_process_writes_a_report_in_both_languages() -> None:
    report = report_of(Path("incidents/stuck-http"))
    for form in ("text", "markdown", "html"):
        write = renderer(form)
        first, chinese, second = (write(report, View(language=one)) for one in ("en", "zh", "en"))
        assert first == second
        assert CHINESE.search(chinese)
        assert not CHINESE.search(first)
    values = renderer("json")(report, IN_CHINESE)
    assert values == renderer("json")(report, View())
    validate_report(msgspec.json.decode(values))


def test_a_saved_report_is_shown_in_chinese(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    dump = FIXTURES / "heap" / "oversized-oom-4.3.2" / "dump.hprof.gz"
    saved = tmp_path / "saved.json"
    never = ("--fail-on", "never")
    assert run(["heap", str(dump), "--format", "json", "-o", str(saved), *never]) == 0
    assert not CHINESE.search(saved.read_text("utf-8"))
    capfd.readouterr()
    assert run(["heap", str(dump), "--lang", "zh", *never]) == 0
    fresh = capfd.readouterr().out
    assert run(["diagnose", str(saved), "--lang", "zh", *never]) == 0
    shown = capfd.readouterr().out
    title = next(line for line in fresh.splitlines() if "CID_oversized-oom-4_3_2" in line).partition(" ")[2]
    assert CHINESE.search(title)
    assert title in shown


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("value", [0.786, 0.0004, 42_598_400, 123_456, 65_022])
def test_a_number_is_written_equally_in_sentences_and_tables(language: str, value: float) -> None:
    write = writer(language)
    kinds = ("percent",) if value < 1 else ("bytes", "count", "ms", "decimal")
    for kind in kinds:
        assert write(Text(f"{{value:{kind}}}", {"value": value})) == write.value(value, kind)


def tables(part: object) -> Iterator[Table]:
    """Tables of a section, those inside other parts included."""
    if isinstance(part, Table):
        yield part
    elif isinstance(part, msgspec.Struct):
        for name in part.__struct_fields__:
            yield from tables(getattr(part, name))
    elif isinstance(part, list | tuple):
        for one in part:
            yield from tables(one)


def test_no_cell_of_a_table_is_a_number_that_its_section_formatted() -> None:
    """Numbers stay raw in cells, so that the writer gives them the format that they have in sentences."""
    formatted = re.compile(r"\d[\d.,]* ?(?:[KMGT]iB|B|%|ms|s|min|h)")
    cells = [
        cell
        for section in sections_of(report_of(Path("incidents/stuck-http")), View())
        for table in tables(section)
        for row in table.rows
        for cell in row
    ]
    assert len([cell for cell in cells if isinstance(cell, int | float)]) > 50
    assert not [cell for cell in cells if isinstance(cell, str) and formatted.fullmatch(cell)]
