"""Text as Markdown that shows it as it is.

A name from a dump must not become a link, an image, a mention of somebody, a reference to an issue or markup.
A backslash takes the meaning from punctuation; where a server looks for mentions and references in the text
that is left, an empty comment stands in between.
"""

from __future__ import annotations

import re

from mqdiag.render.wording.safe import safe

LONGEST = 2000
_PUNCTUATION = re.compile(r"[\\`*_\[\]<>|~#&$!]")
_AT_LINE_START = re.compile(r"^(\s*)([-+=]|\d+(?=[.)]))")
# @name, #1 and !1, %milestone, &epic, $snippet, ~label; https:// and www. become links of their own
_REFERENCE = re.compile(r"(?<=[@#!%&$~^])(?=\w)|(?<=:)(?=//)|(?<=\bwww)(?=\.)|(?<=GH)(?=-\d)", re.IGNORECASE)
_NOTHING = "<!-- -->"


def escaped(text: str, *, limit: int = LONGEST) -> str:
    """The text for a paragraph, a list item or a cell of a table."""
    shown = _PUNCTUATION.sub(r"\\\g<0>", safe(text, limit=limit))
    shown = _AT_LINE_START.sub(_quiet, shown)
    return _REFERENCE.sub(_NOTHING, shown)


def _quiet(found: re.Match[str]) -> str:
    """A list, a heading or a rule begins with a sign, or with a number and a sign after it."""
    return f"{found[1]}{_NOTHING}{found[2]}" if found[2].isdigit() else f"{found[1]}\\{found[2]}"
