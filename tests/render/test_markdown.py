"""The Markdown summary, rendered by a real parser: what evidence says stays text."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from mqdiag.fail_on import parse_fail_on
from mqdiag.findings import Report
from mqdiag.language import english
from mqdiag.render import View, renderer
from mqdiag.render.markdown.escape import escaped, with_code
from mqdiag.text import Text
from tests.folded import folded
from tests.render import samples
from tests.render.test_text import REPORTS, flat

OURS = {"h2", "h3", "p", "table", "thead", "tbody", "tr", "th", "td", "ul", "ol", "li", "strong", "code"}
OURS |= {"sub", "details", "summary"}


class Page(HTMLParser):
    """Tags and text of a rendered summary."""

    def __init__(self, markdown: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.parts: list[str] = []
        self.feed(MarkdownIt("gfm-like", {"linkify": False, "html": True}).render(markdown))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.parts.append(data)

    @property
    def text(self) -> str:
        return "".join(self.parts)


def page(report: Report, fail_on: str = "error") -> Page:
    return Page(renderer("markdown")(report, View(fail_on=parse_fail_on(fail_on, "--fail-on"))))


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS.keys())
def test_only_our_own_markup_is_there(report: Report) -> None:
    assert page(report).tags <= OURS


def test_it_says_what_was_found_and_what_to_change() -> None:
    text = flat(page(samples.ARTICLE).text)
    assert text.startswith("mqdiag: 2 errors, 1 info This fails the run.")
    for part in (samples.OVERSIZED.title, *samples.OVERSIZED.explanation[:4], *samples.OVERSIZED.remedy[:2]):
        assert english()(part) in text
    assert "does not fail" in page(samples.ARTICLE, "never").text
    assert "no stack samples were given: stuck-socket-read, lock-convoy" in text


def test_what_is_known_stands_apart() -> None:
    markdown = renderer("markdown")(samples.GATED, View())
    text = flat(page(samples.GATED).text)
    assert text.startswith("mqdiag: 1 error, 1 info, 1 known")
    assert "## Known, not counted" in markdown
    assert "the heap is doubled in May (mqdiag-baseline.toml, until 2027-05-31)" in text
    assert "client-leak expired on 2027-05-31 and counts again" in text
    assert "other dump.hprof: is empty" in text
    assert markdown.index("config-not-in-force") < markdown.index("consumer-cache-exceeds-heap")


HOSTILE = [
    "[click](https://evil.example)",
    "![x](https://evil.example/x.png)",
    "<img src=x onerror=alert(1)>",
    "<https://evil.example>",
    "`code` *em* _em_ __strong__ ~~gone~~",
    "a | b | c",
    "# heading",
    "- [x] task",
    "12. list",
    "1. <img src=x onerror=alert(1)>.txt",
    "10.0.0.1: <b>x</b>",
    "&lt;b&gt; &#64;",
    "\\`\\*",
    "--- ===",
    "> quote",
    "[^1] [ref] [ref]: /x",
    "%RETRY%group",
]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("around", ["{}", "- {}", "1. {}", "### ERROR: {}", "| a |\n| --- |\n| {} |"])
def test_hostile_text_stays_text(text: str, around: str) -> None:
    shown = Page(around.format(escaped(text)))
    assert shown.tags <= OURS
    assert flat(text) in flat(shown.text)


@given(st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=126), min_size=1))
@example("1) a")
@example("+ a")
@example("=")
@example("0.&")
@example("     code")
@example("10.0.0.1 <img src=x onerror=alert(1)>")
def test_any_text_stays_text(text: str) -> None:
    shown = Page(f"- x\n- {escaped(text)}")
    assert shown.tags <= {"ul", "li"}
    assert flat(shown.text) == flat(f"x {text}")


@given(st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=126), min_size=1))
@example("a `<b>` b")
@example("`a` `` b ` c")
@example("` ` -Xmx1g <img src=x>")
def test_any_sentence_with_code_has_no_other_markup(text: str) -> None:
    shown = Page(f"- x\n- {with_code(text)}")
    assert shown.tags <= {"ul", "li", "code"}
    assert re.sub(r"[`\s]", "", shown.text) == re.sub(r"[`\s]", "", f"x{text}")


def test_a_command_in_a_sentence_is_code() -> None:
    assert with_code("End it: `kill 7`. See [x].") == "End it: `kill 7`. See \\[x\\]."


@folded(
    "reference",
    ["@octocat", "see #12", "!34", "https://evil.example/x", "www.evil.example", "mail@evil.example", "GH-7"],
)
def test_servers_find_no_reference_in_it(reference: str) -> None:
    """They look into the text between tags and comments; an empty comment parts the sign from the name."""
    between = re.split(r"<!-- -->", escaped(reference))
    assert len(between) > 1
    assert not any(re.search(r"[@#!]\w|://|www\.|GH-\d", part) for part in between)


def test_it_fits_into_a_comment() -> None:
    found = tuple(
        msgspec.structs.replace(samples.OVERSIZED, title=Text(f"{index} {'x' * 300}"), fingerprint=str(index))
        for index in range(500)
    )
    markdown = renderer("markdown")(msgspec.structs.replace(samples.ARTICLE, findings=found), View())
    assert len(markdown) < 65_536
    assert "400 more findings are in the other formats." in markdown
