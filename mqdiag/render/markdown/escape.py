"""Text as Markdown that shows it as it is.

A name from a dump must not become a link, an image, a mention of somebody, a reference to an issue or markup.
A backslash takes the meaning from punctuation; where a server looks for mentions and references in the text
that is left, an empty comment stands in between.
"""

from __future__ import annotations

import html
import re

from mqdiag.render.wording.code_words import code_words
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


def with_code(sentence: str, *, limit: int = LONGEST) -> str:
    """A sentence of ours for a list item, with its setters, settings, flags and commands as code."""
    return "".join(
        f"`{part}`" if is_code and "`" not in part and part == part.strip() != "" else _inner(part)
        for part, is_code in code_words(safe(sentence, limit=limit).lstrip())
    )


def _inner(text: str) -> str:
    """A part of a line, with the spaces at its ends."""
    begin = text[: len(text) - len(text.lstrip())]
    return begin + escaped(text, limit=len(text) + 1)


def escaped_html(text: str, *, limit: int = LONGEST) -> str:
    """The text inside a tag of our own, where backslashes escape nothing."""
    return _REFERENCE.sub(_NOTHING, html.escape(safe(text, limit=limit)))
