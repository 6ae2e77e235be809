"""The page in a real Chromium: no error, no request, quick, readable on a phone, a desk and paper, in the dark too."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.language import english
from tests.layers import CHECK, NIGHTLY
from tests.programs import need
from tests.render.html.axe import violations
from tests.render.html.reports import (
    FIXTURES,
    busy_broker,
    convoy,
    html,
    poisoned,
    recorded,
    retaining_heap,
    stuck_heap,
    stuck_incident,
)

pytestmark = CHECK

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
if CHROMIUM is None:
    need("chromium")

playwright = pytest.importorskip("playwright.sync_api")

DESK: dict[str, Any] = {"color_scheme": "light", "viewport": {"width": 1280, "height": 900}}
PHONE: dict[str, Any] = {"color_scheme": "dark", "viewport": {"width": 390, "height": 844}}
HIGHEST_ROW = 70
"""pixels"""
MOST_PRINTED_PAGES = 4
MOST_OF_MENU = 80
"""pixels: three rows, of an incident with all kinds of evidence"""
MOST_SCREENS = 7
"""of a page whose tables are folded, with two pictures below its answer"""
COMMITTED = sorted(
    path
    for kind in ("incidents", "stacks", "logs", "heap", "admin", "stores")
    for path in (FIXTURES / kind).iterdir()
)

MOST_ELEMENTS = 10_000
"""Of so many a page is interactive within a fifth of a second: `python -m tests.bench.page`."""


OPEN_ALL = "document.querySelectorAll('details').forEach((part) => { part.open = true; })"
FITTING = ("inputs", "unchecked", "consumers")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(autouse=True)
def _pages_are_closed(browser: Any) -> Iterator[None]:
    """A page is a process of its own; hundreds of them take all memory."""
    yield
    for context in browser.contexts:
        context.close()


class Opened:
    """A page that was opened, with what went wrong on it."""

    def __init__(self, browser: Any, path: Path, page: str, **context: Any) -> None:
        path.write_text(page, encoding="utf-8", errors="surrogatepass")
        self.page = browser.new_context(**context).new_page()
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.errors.append(message.text))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.errors.append("dialog"), dialog.dismiss()))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri())
        self.own = path.as_uri()

    def check(self) -> None:
        assert self.errors == []
        assert [url for url in self.requests if url != self.own and not url.startswith("data:")] == []


@pytest.mark.parametrize("make", [stuck_heap, retaining_heap, convoy, recorded], ids=lambda make: make.__name__)
@pytest.mark.parametrize(
    "context",
    [DESK, PHONE],
    ids=["desk", "phone"],
)
def test_it_opens_without_an_error_and_fits(browser: Any, tmp_path: Path, make: Any, context: Any) -> None:
    opened = Opened(browser, tmp_path / "report.html", html(make()), **context)
    opened.check()
    opened.page.evaluate(OPEN_ALL)
    # what is wider, such as a picture on a phone, scrolls in a box of its own
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= context["viewport"]["width"]
    assert opened.page.locator("h1").inner_text() == english()(make().answer.text).removesuffix(".")
    assert opened.page.evaluate("document.querySelectorAll('*').length") < MOST_ELEMENTS


@pytest.mark.parametrize("make", [stuck_heap, convoy], ids=lambda make: make.__name__)
def test_hostile_texts_are_shown_and_not_run(browser: Any, tmp_path: Path, make: Any) -> None:
    opened = Opened(browser, tmp_path / "report.html", html(poisoned(make()), all_threads=True))
    opened.check()
    assert opened.page.locator("img").count() == 0
    assert "<script>alert(2)</script>" in opened.page.locator("h1").inner_text()


def test_a_table_sorts_by_numbers_and_back(browser: Any, tmp_path: Path) -> None:
    opened = Opened(browser, tmp_path / "report.html", html(retaining_heap()))
    table = opened.page.locator("#table-classes table")
    head = table.get_by_role("button", name="instances")

    def column() -> list[int]:
        return [
            int(text.replace(",", "")) for text in table.locator("tbody tr td:nth-child(1)").all_inner_texts()
        ]

    before = column()
    head.focus()
    opened.page.keyboard.press("Enter")
    assert column() == sorted(before, reverse=True)
    head.click()
    assert column() == sorted(before)
    assert table.locator("th[aria-sort=ascending]").inner_text().startswith("instances")
    opened.check()


def test_a_table_is_searched(browser: Any, tmp_path: Path) -> None:
    opened = Opened(browser, tmp_path / "report.html", html(retaining_heap()))
    opened.page.locator("#table-classes input").fill("messageclientext")
    rows = opened.page.locator("#table-classes tbody tr:visible")
    assert rows.count() == 1
    assert "MessageClientExt" in rows.first.inner_text()
    opened.check()


def test_without_its_script_nothing_is_missing(browser: Any, tmp_path: Path) -> None:
    page = html(retaining_heap())
    opened = Opened(browser, tmp_path / "report.html", page, java_script_enabled=False)
    rows = page[page.index("table-classes") :].partition("</table>")[0].count("<tr>") - 1
    assert opened.page.locator("#table-classes tbody tr").count() == rows > 100
    assert opened.page.locator("#table-classes tbody tr").first.is_visible()


@pytest.mark.parametrize(
    ("make", "context"),
    [
        pytest.param(stuck_incident, DESK, id="incident on a light desk"),
        pytest.param(busy_broker, PHONE, id="broker on a dark phone"),
        pytest.param(stuck_incident, PHONE, id="incident on a dark phone", marks=NIGHTLY),
        pytest.param(busy_broker, DESK, id="broker on a light desk", marks=NIGHTLY),
    ],
)
def test_everybody_can_read_it(browser: Any, tmp_path: Path, make: Any, context: Any) -> None:
    """Contrast, names and keyboard by axe-core; no high row, nothing wider than the screen; all parts are open."""
    opened = Opened(browser, tmp_path / "report.html", html(make()), bypass_csp=True, **context)
    opened.page.evaluate(OPEN_ALL)
    rows = opened.page.evaluate(
        "[...document.querySelectorAll('tbody tr')].map((row) => row.getBoundingClientRect().height)"
    )
    assert rows
    assert max(rows) <= HIGHEST_ROW
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= context["viewport"]["width"]
    assert violations(opened.page) == []


def test_the_first_action_is_on_the_first_screen_of_a_phone(browser: Any, tmp_path: Path) -> None:
    opened = Opened(browser, tmp_path / "report.html", html(stuck_incident()), **PHONE)
    action = opened.page.locator(".answer ol li").first
    assert action.bounding_box()["y"] < PHONE["viewport"]["height"]


def test_a_part_that_is_led_to_opens(browser: Any, tmp_path: Path) -> None:
    opened = Opened(browser, tmp_path / "report.html", html(stuck_incident()), **DESK)
    table = opened.page.locator("#table-queues")
    assert not table.is_visible()
    opened.page.locator("nav a", has_text="Queues").click()
    table.wait_for(state="visible")
    opened.check()


def test_the_menu_and_the_tables_fit_a_desk(browser: Any, tmp_path: Path) -> None:
    opened = Opened(browser, tmp_path / "report.html", html(stuck_incident()), **DESK)
    assert opened.page.locator("nav").bounding_box()["height"] < MOST_OF_MENU
    assert opened.page.evaluate("document.documentElement.scrollHeight") < MOST_SCREENS * 900
    opened.page.evaluate(OPEN_ALL)
    for name in FITTING:
        hidden = opened.page.locator(f"#table-{name} .scroll").evaluate(
            "(box) => box.scrollWidth - box.clientWidth"
        )
        assert hidden <= 0, name


def test_a_phone_hints_at_what_is_beside(browser: Any, tmp_path: Path) -> None:
    """The edge is shaded where a table goes on, and only there."""
    opened = Opened(
        browser, tmp_path / "report.html", html(stuck_incident()), **{**PHONE, "color_scheme": "light"}
    )
    box = opened.page.locator("#table-inputs .scroll")

    def edge() -> bytes:
        place = box.bounding_box()
        return opened.page.screenshot(
            clip={"x": place["x"] + place["width"] - 6, "y": place["y"] + 12, "width": 4, "height": 8}
        )

    box.scroll_into_view_if_needed()
    more = edge()
    box.evaluate("(box) => { box.scrollLeft = box.scrollWidth; }")
    opened.page.wait_for_timeout(100)
    assert edge() != more


def printed_pages(opened: Opened) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", opened.page.pdf(format="A4")))


def test_paper_has_the_answer_and_says_which_tables_it_leaves_out(browser: Any, tmp_path: Path) -> None:
    opened = Opened(browser, tmp_path / "report.html", html(stuck_incident()))
    assert 1 <= printed_pages(opened) <= MOST_PRINTED_PAGES
    opened.page.emulate_media(media="print")
    assert opened.page.locator(".answer ol li").first.is_visible()
    assert not opened.page.locator("#table-classes").is_visible()
    assert "Largest classes" in opened.page.locator(".paper-only").inner_text()


@NIGHTLY
@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_report_fits_on_four_pages(browser: Any, tmp_path: Path, path: Path) -> None:
    opened = Opened(browser, tmp_path / "report.html", html(diagnose_incident([path]).report))
    assert printed_pages(opened) <= MOST_PRINTED_PAGES


def test_a_command_is_copied_by_the_keyboard(browser: Any, tmp_path: Path) -> None:
    allowed = ["clipboard-read", "clipboard-write"]
    opened = Opened(browser, tmp_path / "report.html", html(busy_broker()), permissions=allowed)
    button = opened.page.locator(".answer ol li code + button").first
    button.focus()
    opened.page.keyboard.press("Enter")
    opened.page.locator("button:focus", has_text="Copied").wait_for()
    assert opened.page.evaluate("navigator.clipboard.readText()") == "iostat -x 1"
    opened.check()


@pytest.mark.parametrize(
    ("make", "caption"),
    [
        (retaining_heap, "Each box is an object with its retained size"),
        (convoy, "Waiting threads, the lock"),
        (stuck_incident, "Threads over the samples"),
    ],
    ids=["heap", "stacks", "incident"],
)
@pytest.mark.parametrize("context", [DESK, PHONE], ids=["desk", "phone"])
def test_the_picture_stands_below_the_answer(
    browser: Any, tmp_path: Path, make: Any, caption: str, context: Any
) -> None:
    opened = Opened(browser, tmp_path / "report.html", html(make()), **context)
    assert opened.page.evaluate("document.querySelector('.answer').nextElementSibling.id") == "picture"
    first = opened.page.locator("#picture figure").first
    assert first.is_visible()
    assert caption in first.locator("figcaption").inner_text()


def test_paper_has_one_picture(browser: Any, tmp_path: Path) -> None:
    opened = Opened(browser, tmp_path / "report.html", html(stuck_incident()))
    assert opened.page.locator("#picture figure").count() == 2
    opened.page.emulate_media(media="print")
    assert [one.is_visible() for one in opened.page.locator("#picture figure").all()] == [True, False]


def test_a_call_becomes_as_wide_as_its_picture_and_back(browser: Any, tmp_path: Path) -> None:
    """With the pointer and with the keyboard; the first row names the threads."""
    opened = Opened(browser, tmp_path / "report.html", html(convoy()), **DESK)
    calls = opened.page.locator("#calls .call")
    wide = "(call) => Number(call.querySelector('rect').getAttribute('width'))"
    assert calls.first.get_attribute("data-label") == "ConsumeMessageThread_CID_convoy-stuck_1..20"
    narrow = opened.page.locator("#calls .call[data-label$='SocketDispatcher.read0']")
    before = narrow.evaluate(wide)
    narrow.locator("rect").click()
    assert narrow.evaluate(wide) > 900 > before
    assert narrow.locator("text").text_content() == narrow.get_attribute("data-label")
    narrow.focus()
    opened.page.keyboard.press("Escape")
    assert narrow.evaluate(wide) == pytest.approx(before, abs=0.1)
    opened.page.locator("#calls input").fill("read0")
    assert opened.page.locator("#calls .call:not(.apart)").count() == 1
    opened.check()


def test_no_bright_band_lies_over_a_dark_page(browser: Any, tmp_path: Path) -> None:
    """Its shade at an edge that goes on is darker than the ground, as on a light page."""
    opened = Opened(browser, tmp_path / "report.html", html(stuck_incident()), **PHONE)
    shade = opened.page.evaluate(
        "getComputedStyle(document.documentElement).getPropertyValue('--shade')"
    ).strip()
    red, green, blue = (int(digit, 16) for digit in shade[1:4])
    assert max(red, green, blue) < 4
