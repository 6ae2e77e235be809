"""Strings from evidence, made fit to be shown.

A thread name, a group or a class name of a dump may hold anything: terminal escape sequences, line breaks,
characters that turn the reading direction around. All of them are shown as escapes, none is obeyed.
"""

from __future__ import annotations

import unicodedata

LONGEST = 200
LONGEST_WIDE = 4000
"""characters of the wide form, where a cell and a paragraph may hold all names of a list"""
ELLIPSIS = "…"

# Cc control, Cf format (bidi overrides, zero width), Cs surrogates, Zl/Zp line and paragraph separators,
# Co/Cn private or unassigned: nothing that a reader can see, or that a terminal may act on.
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def safe(text: str, *, limit: int | None = LONGEST) -> str:
    """The text with every invisible or active character as an escape, cut at `limit` characters."""
    if not text.isascii() or not text.isprintable():
        text = "".join(map(_shown, text))
    if limit is not None and len(text) > limit:
        text = text[: limit - 1] + ELLIPSIS
    return text


def _shown(char: str) -> str:
    if unicodedata.category(char) not in _HIDDEN:
        return char
    return char.encode("unicode_escape").decode("ascii")
