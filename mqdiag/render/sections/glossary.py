"""The words of reports that not every reader knows: at the end of pages and of full texts, and in docs/glossary.md."""

from __future__ import annotations

import msgspec

from mqdiag.knowledge import packed
from mqdiag.render.parts import Pairs, Section
from mqdiag.text import Text, say


class _Word(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    meaning: str = msgspec.field(name="say")
    label: str = ""
    name: str = ""


class _File(msgspec.Struct, forbid_unknown_fields=True):
    word: tuple[_Word, ...]


def glossary() -> tuple[tuple[str | Text, Text], ...]:
    """Words and their meanings."""
    words = packed.decode(packed.ROOT, "glossary", _File).word
    return tuple((Text(one.label) if one.label else one.name, Text(one.meaning)) for one in words)


def glossary_section() -> Section:
    """All words."""
    return Section(
        name="words",
        title=say("Words in reports"),
        parts=(Pairs(glossary()),),
        wide=True,
        paper=False,
        folded=True,
    )
