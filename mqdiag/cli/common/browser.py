"""`--open`: the HTML report in the reader's browser."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from mqdiag.cli.common.failures import complain
from mqdiag.cli.common.options import CommonOptions
from mqdiag.cli.common.output import Target
from mqdiag.text import say

_SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
"""one of these is set where a browser can be shown; without any, Python would start a browser for terminals"""
MOST_SECONDS = 10.0
"""a browser that runs longer was opened, and stays open after mqdiag ends"""
_OPEN = "import sys, webbrowser; sys.exit(not webbrowser.open(sys.argv[1]))"


def written_page(options: CommonOptions, also: list[tuple[str, Target]]) -> Path | None:
    """The HTML file that the run writes anyway, for --output or --also; None if it writes none."""
    pages = [options.output] if options.format_name == "html" and options.output != "-" else []
    pages += [str(other.path) for name, other in also if name == "html"]
    return Path(pages[0]) if pages else None


def new_page(html: Callable[[], str]) -> Path:
    """Write a page into a new folder that only this user can read, below the folder for temporary files."""
    page = Path(tempfile.mkdtemp(prefix="mqdiag-")) / "report.html"
    Target(str(page), "--open").write(html())
    return page


def open_in_browser(page: Path) -> None:
    """Open a page, and say where it is if there is no browser. Nothing that a browser prints is shown."""
    if not any(map(os.environ.get, _SCREENS)) or not _opened(page.resolve().as_uri()):
        complain(say("no browser could be opened; the page is {path}", path=str(page)))


def _opened(address: str) -> bool:
    # In a process of its own, so that the browser does not hold a pipe that mqdiag writes its report to. "-I" keeps
    # modules of the working folder out, which is often the folder of the evidence.
    process = subprocess.Popen(
        [sys.executable, "-I", "-c", _OPEN, address],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return process.wait(MOST_SECONDS) == 0
    except subprocess.TimeoutExpired:
        process.returncode = 0  # it is left running
        return True
