"""The leak suspects of Eclipse MAT, from the pages of its report."""

from __future__ import annotations

import gzip
import shutil
import subprocess
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from zipfile import ZipFile

from tests.accuracy.holders.told import SECONDS, Told

_INDEX = "index.html"
_OUTSIDE = (_INDEX, "toc.html")
"""pages that tell of all suspects, not of one"""


def run_mat(installation: Path, dump: Path) -> Told:
    """Run its report "Leak Suspects"; its index files stay in a folder of their own.

    Args:
        installation: the folder with ParseHeapDump.sh.
        dump: an hprof file, plain or with gzip.

    Raises:
        subprocess.SubprocessError: it failed, or took too long.
    """
    with tempfile.TemporaryDirectory() as folder:
        own = Path(folder) / "dump.hprof"
        if dump.suffix == ".gz":
            with gzip.open(dump) as packed, own.open("wb") as plain:
                shutil.copyfileobj(packed, plain)
        else:
            own.symlink_to(dump.resolve())
        subprocess.run(
            [str(installation / "ParseHeapDump.sh"), str(own), "org.eclipse.mat.api:suspects"],
            check=True,
            capture_output=True,
            timeout=SECONDS,
        )
        (report,) = Path(folder).glob("*_Leak_Suspects.zip")
        with ZipFile(report) as pages:
            names = [name for name in pages.namelist() if name.endswith(".html")]
            return told_by_mat({name: pages.read(name).decode() for name in names})


def told_by_mat(pages: dict[str, str]) -> Told:
    """A headline is the whole description of a suspect with its keywords; its texts are all pages that it links to.

    Args:
        pages: each page of the report by its path, such as "pages/17.html".
    """
    index = _parsed(pages[_INDEX])
    texts = []
    for _, links in index.suspects:
        seen: set[str] = set()
        waiting = list(links)
        while waiting:
            name = f"pages/{waiting.pop().rpartition('/')[2]}"
            if name not in seen and name in pages:
                seen.add(name)
                waiting.extend(_parsed(pages[name]).links)
        texts.append(" ".join(_parsed(pages[name]).text for name in sorted(seen)))
    headlines = tuple(description for description, _ in index.suspects)
    return Told(
        headlines=headlines,
        texts=tuple(" ".join(pair) for pair in zip(headlines, texts, strict=True)),
    )


class _Page(HTMLParser):
    """The text of a page, its links to other pages, and the boxes that describe a suspect each."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.suspects: list[tuple[str, list[str]]] = []
        self._words: list[str] = []
        self._depth = 0
        """of `div` elements inside the box of a suspect; 0 outside"""
        self._box: tuple[list[str], list[str]] = ([], [])

    @property
    def text(self) -> str:
        return " ".join(self._words)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "div":
            if self._depth:
                self._depth += 1
            elif found.get("class") == "important":
                self._depth, self._box = 1, ([], [])
        target = (found.get("href") or "").partition("#")[0]
        if tag == "a" and target.endswith(".html") and target.rpartition("/")[2] not in _OUTSIDE:
            self.links.append(target)
            if self._depth:
                self._box[1].append(target)

    def handle_endtag(self, tag: str) -> None:
        if tag == "div" and self._depth:
            self._depth -= 1
            if not self._depth:
                self.suspects.append((" ".join(self._box[0]), self._box[1]))

    def handle_data(self, data: str) -> None:
        words = data.split()
        self._words.extend(words)
        if self._depth:
            self._box[0].extend(words)


def _parsed(text: str) -> _Page:
    page = _Page()
    page.feed(text)
    page.close()
    return page
