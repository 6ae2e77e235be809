"""The language of reports: what a person reads is said through this module.

English is the source: `say("{failed:,} messages failed", failed=3)` looks its text up in the catalogue of the chosen
language and fills in the values; without a catalogue it says the text as it stands. Constants that are made before a
language is chosen are marked with `later`. docs/adr/0008-languages.md tells how texts reach the catalogues.
"""

from __future__ import annotations

import gettext
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from string import Formatter

ENGLISH = "en"
LANGUAGES = (ENGLISH, "zh")
"""What `--lang` takes; the source language first."""
TAGS = {ENGLISH: "en", "zh": "zh-Hans"}
"""As pages name their language."""
FOLDER = Path(__file__).parent / "catalogues"
DOMAIN = "mqdiag"

_formatter = Formatter()
_MIXED = re.compile(r"[\u4e00-\u9fff][A-Za-z0-9]|[A-Za-z0-9%][\u4e00-\u9fff]")
_english = gettext.NullTranslations()
_chosen = ENGLISH
_catalogue: gettext.NullTranslations = _english


class Later(str):
    """A text that is translated when it is put into a sentence, not when the module is imported."""

    __slots__ = ()

    def __format__(self, spec: str) -> str:
        return format(say(str(self)), spec)


def later(text: str, /) -> Later:
    """Mark a constant: the text is extracted here and translated where it is shown."""
    return Later(text)


def say(text: str, /, **values: object) -> str:
    """The text in the chosen language, with the values in place of its `{names}`.

    Args:
        text: English, word for word as it stands in the source: the key of the catalogue.
        values: what the placeholders stand for. Without any, braces are plain characters.
    """
    said = _catalogue.gettext(str(text)) if text else ""
    return _filled(said, values) if values else said


def say_plural(one: str, many: str, number: int, /, **values: object) -> str:
    """Like `say`, with the form that fits the number; `{number}` in the text is the number itself."""
    return _filled(_catalogue.ngettext(one, many, number), {"number": number, **values})


def _filled(said: str, values: Mapping[str, object]) -> str:
    """The values in their places; between Chinese and Latin letters of two of them stands a blank, as print has it."""
    if _chosen == ENGLISH:
        return said.format_map(values)
    parts: list[str] = []
    for literal, name, spec, conversion in _formatter.parse(said):
        _append(parts, literal)
        if name is not None:
            value = _formatter.convert_field(values[name], conversion)
            _append(parts, format(value, spec or ""))
    return "".join(parts)


def _append(parts: list[str], text: str) -> None:
    if parts and text and _MIXED.fullmatch(parts[-1][-1] + text[0]):
        parts.append(" ")
    if text:
        parts.append(text)


def counted(number: int, noun: str) -> str:
    """1 queue, 55 queues, 2 classes, in the chosen language."""
    return say_plural(*plural_forms(noun), number)


def plural_forms(noun: str) -> tuple[str, str]:
    """The two texts of a counted noun, as they stand in the catalogue."""
    many = f"{noun}{'es' if noun.endswith('s') else 's'}"
    return f"{{number:,}} {noun}", f"{{number:,}} {many}"


def choose(language: str) -> None:
    """Speak this language from now on, in all threads of the process.

    Raises:
        ValueError: there is no such language.
    """
    global _chosen, _catalogue
    if language not in LANGUAGES:
        raise ValueError(f"there is no language {language!r}; there are {', '.join(LANGUAGES)}")
    _chosen = language
    _catalogue = _english if language == ENGLISH else gettext.translation(DOMAIN, FOLDER, [language])


def chosen() -> str:
    """The language that is spoken now: "en" or "zh"."""
    return _chosen


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Speak a language inside the block."""
    before = _chosen
    choose(language)
    try:
        yield
    finally:
        choose(before)
