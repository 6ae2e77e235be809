"""`--open`: which page is opened, and what happens where there is no browser."""

from __future__ import annotations

import json
import shlex
import stat
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.cli.conftest import Run
from tests.layers import CHECK
from tests.waiting import wait_until

SERIES = str(Path(__file__).parents[2] / "fixtures/stacks/urlconnection-stuck/series.tar.gz")


class Browser:
    """A program that writes down which address it was given."""

    def __init__(self, folder: Path, *more: str) -> None:
        self.program, self.seen = folder / "browser", folder / "seen"
        lines = ("#!/bin/sh", "echo noise; echo noise >&2", f'echo "$1" > {shlex.quote(str(self.seen))}', *more)
        self.program.write_text("\n".join(lines) + "\n")
        self.program.chmod(0o755)

    @property
    def page(self) -> Path:
        wait_until(lambda: self.seen.exists() and self.seen.read_text(), "a page in the browser")
        address = urlsplit(self.seen.read_text().strip())
        assert address.scheme == "file"
        return Path(unquote(address.path))


@pytest.fixture
def browser(tmp_path: Path) -> Browser:
    return Browser(tmp_path)


def test_the_page_that_is_written_anyway_is_opened(mqdiag: Run, tmp_path: Path, browser: Browser) -> None:
    done = mqdiag("stacks", SERIES, "-o", "a report.html", "--open", BROWSER=str(browser.program))
    assert (done.code, done.out) == (1, "")
    assert done.line.endswith("(report: a report.html)")
    assert browser.page == tmp_path / "a report.html"


def test_a_page_beside_another_format_is_opened(mqdiag: Run, tmp_path: Path, browser: Browser) -> None:
    done = mqdiag(
        *("stacks", SERIES, "--format", "json", "--also", "html=page.html", "--open"),
        BROWSER=str(browser.program),
    )
    assert browser.page == tmp_path / "page.html"
    assert json.loads(done.out)["findings"], "standard output holds the report alone"


@CHECK
def test_without_a_file_the_page_is_a_new_one_that_nobody_else_reads(
    mqdiag_process: Run, tmp_path: Path, browser: Browser
) -> None:
    (tmp_path / "webbrowser.py").write_text("raise SystemExit(9)  # of the folder of the evidence")
    (tmp_path / "temporary").mkdir()
    done = mqdiag_process(
        "stacks", SERIES, "--open", BROWSER=str(browser.program), TMPDIR=str(tmp_path / "temporary")
    )
    assert done.out.startswith("ERROR ")
    page = browser.page
    assert page.parent.parent == tmp_path / "temporary"
    assert stat.S_IMODE(page.parent.stat().st_mode) == 0o700
    assert page.read_text().startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("program", ["", "/no/such/browser"])
def test_without_a_browser_the_place_of_the_page_is_told(mqdiag: Run, program: str) -> None:
    done = mqdiag(
        *("stacks", SERIES, "-o", "page.html", "--open"),
        **{"BROWSER": program, "DISPLAY": "", "WAYLAND_DISPLAY": "", "PATH": "/nonexistent"},
    )
    assert done.code == 1
    assert "mqdiag: no browser could be opened; the page is page.html" in done.err.splitlines()


def test_nothing_is_opened_where_nothing_was_read(mqdiag: Run, browser: Browser) -> None:
    done = mqdiag("stacks", "missing.txt", "-o", "page.html", "--open", BROWSER=str(browser.program))
    assert done.code == 3
    assert not browser.seen.exists()
