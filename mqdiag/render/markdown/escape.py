"""Text as Markdown that shows it as it is.

A name from a dump must not become a link, an image, a mention of somebody, a reference to an issue or markup.
A backslash takes the meaning from punctuation; where a server looks for mentions and references in the text
that is left, an empty comment stands in between.
"""

from __future__ import annotations

import html
import re

from mqdiag.render.wording.safe import safe

LONGEST = 2000
_PUNCTUATION = re.compile(r"[\\`*_\[\]<>|~#&$!]")
# What opens a list, a heading's underline or a rule: a sign, or a number with a sign behind it.
_AT_LINE_START = re.compile(r"^(\d*)([-+=]|(?<=\d)[.)])")
# @name, #1 and !1, %milestone, &epic, $snippet, ~label; https:// and www. become links of their own
_REFERENCE = re.compile(r"(?<=[@#!%&$~^])(?=\w)|(?<=:)(?=//)|(?<=\bwww)(?=\.)|(?<=GH)(?=-\d)", re.IGNORECASE)
_NOTHING = "<!-- -->"


def escaped(text: str, *, limit: int = LONGEST) -> str:
    """The text for a paragraph, a list item or a cell of a table."""
    # Spaces at the beginning would make it a block of code.
    shown = _PUNCTUATION.sub(r"\\\g<0>", safe(text, limit=limit).lstrip())
    shown = _AT_LINE_START.sub(r"\1\\\2", shown)
    return _REFERENCE.sub(_NOTHING, shown)


def escaped_html(text: str, *, limit: int = LONGEST) -> str:
    """The text inside a tag of our own, where backslashes escape nothing."""
    return _REFERENCE.sub(_NOTHING, html.escape(safe(text, limit=limit)))
