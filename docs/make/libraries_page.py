"""docs/libraries.md, from the table of libraries and from the real libraries that were tried."""

from __future__ import annotations

import json
from pathlib import Path

from mqdiag.knowledge.checked_libraries import TOPICS
from mqdiag.knowledge.library import Library
from mqdiag.knowledge.lookup import all_libraries
from mqdiag.language import english

INTRO = """\
# Libraries

Made from `mqdiag/knowledge/libraries` by `make docs`; [add a library](guides/add-a-library.md) says how. A finding
about a thread that waits in one of these libraries names the library and what is in the second column. Of a library
that stands on another one (an SDK, a pool), it names the one that the user's code calls.

Frames and settings of {tried} of the {all} libraries were tried: the real library, from Maven Central, waited in a
consume thread for a peer that accepts a connection and never answers, or for a pool with no connection left
([fixtures/libraries](../fixtures/README.md)). `tests/threads/test_libraries.py` checks that mqdiag names the
application's own frame, the library and its setting. The others were read from the source of the library, or from
stacks that people posted.
"""


def libraries_page(root: Path) -> str:
    """The page."""
    tried, libraries = _tried(root), all_libraries()
    parts = [INTRO.format(tried=len(tried), all=len(libraries))]
    for topic in TOPICS:
        rows = "\n".join(
            _row(library, tried.get(library.name)) for library in libraries if library.topic == topic
        )
        parts.append(
            f"## {topic}\n\n| library | what bounds the wait | packages | known from |\n|---|---|---|---|\n{rows}\n"
        )
    return "\n".join(parts)


def _tried(root: Path) -> dict[str, str]:
    """The artifact with which each library was tried, by the library's name."""
    tried = {}
    for file in sorted((root / "fixtures" / "libraries").glob("*/truth.json")):
        for call in json.loads(file.read_text(encoding="utf-8")):
            tried.setdefault(call["name"], (call["artifacts"] or ["the JDK"])[0])
    return tried


def _row(library: Library, tried: str | None) -> str:
    write = english()
    remedy = " ".join(write(text) for text in library.remedy).replace("|", "\\|")
    packages = ", ".join(f"`{prefix}`" for prefix in library.frames)
    return f"| {library.name} | {remedy} | {packages} | {f'tried: {tried}' if tried else 'its source'} |"
