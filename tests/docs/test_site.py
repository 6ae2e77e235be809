"""The site: each page has its place, and no page loads anything from elsewhere."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.docs.written_pages import DOCS, MADE_PAGES, ROOT, written
from tests.layers import CHECK

WITHOUT_A_PLACE = ("adr/", "measurements/", "site/", "README.md")
"""pages that other pages lead to"""
LINK = re.compile(r"""\s(?:href|src)=(?:"([^"]*)"|([^\s>"]+))""")


def order() -> set[str]:
    """Pages that the order of the site names."""
    nav = (DOCS / "site" / "mkdocs.yml").read_text("utf-8").partition("\nnav:\n")[2]
    return set(re.findall(r"[\w/.-]+\.md$", nav, re.MULTILINE))


def test_each_page_has_a_place() -> None:
    pages = (
        {path.relative_to(DOCS).as_posix() for path in written("**/*.md")} | MADE_PAGES | {"rules/README.md"}
    )
    wanted = {f"docs/{name}" for name in pages if not name.startswith(WITHOUT_A_PLACE)}
    assert order() == wanted | {"index.md", "CHANGELOG.md", "SECURITY.md"}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All pages as HTML, which fails on a link that leads nowhere."""
    out = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [
            sys.executable,
            str(ROOT / "docs" / "make" / "site.py"),
            "--out",
            str(out / "site"),
            "--archive",
            str(out / "site.tar.gz"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return out / "site"


@CHECK
def test_pages_load_nothing_from_elsewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 150
    for page in pages:
        loaded = re.findall(r"<(?:script|img|iframe)[^>]*\ssrc=\"?([^\"\s>]+)", page.read_text("utf-8"))
        assert not [one for one in loaded if re.match(r"(?:https?:)?//", one)], page


def leads_to_no_page(page: Path) -> list[str]:
    """Links of a page within the site that lead to nothing, or to a folder, which a disk shows as a listing."""
    links = {quoted or plain for quoted, plain in LINK.findall(page.read_text("utf-8"))}
    places = {link: unquote(re.split("[?#]", link)[0]) for link in links if not re.match(r"[a-z]+:|//|#", link)}
    return [link for link, place in places.items() if place and not (page.parent / place).is_file()]


@CHECK
def test_links_lead_to_pages_on_a_disk(site: Path) -> None:
    wrong = {str(page.relative_to(site)): leads_to_no_page(page) for page in site.rglob("*.html")}
    assert {page: links for page, links in wrong.items() if links} == {}
    deep = (site / "docs" / "guides" / "tutorial.html").read_text("utf-8")
    assert re.search(r'<a href="?\.\./\.\./index\.html"?[^>]* class="md-header__button md-logo"', deep)


@CHECK
def test_rules_can_be_searched_and_filtered(site: Path) -> None:
    page = (site / "docs" / "rules" / "index.html").read_text("utf-8")
    assert "rule-filter.js" in page
    index = (site / "search" / "search_index.js").read_text("utf-8")
    assert "stuck-socket-read" in index
    assert (site.parent / "site.tar.gz").stat().st_size < 20 << 20


@CHECK
def test_words_of_chinese_pages_are_found(site: Path) -> None:
    """The index parts them by spaces of no width, and the search has to part there too."""
    index = (site / "search" / "search_index.js").read_text("utf-8")
    content = json.loads(index[index.index("{") : index.rindex("}") + 1])
    parts = re.compile(content["config"]["separator"])
    words = {word for page in content["docs"] for word in parts.split(page["text"])}
    assert "内存" in words
    assert not [word for word in words if "\u200b" in word]
