"""The language of reports: what a person reads is said through this module.

English is the source: `say("{failed:,} messages failed", failed=3)` looks its text up in the catalogue of the chosen
language and fills in the values; without a catalogue it says the text as it stands. Constants that are made before a
language is chosen are marked with `later`. docs/adr/0008-languages.md tells how texts reach the catalogues.
"""

from __future__ import annotations

import gettext
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ENGLISH = "en"
LANGUAGES = (ENGLISH, "zh")
"""What `--lang` takes; the source language first."""
TAGS = {ENGLISH: "en", "zh": "zh-Hans"}
"""As pages name their language."""
FOLDER = Path(__file__).parent / "catalogues"
DOMAIN = "mqdiag"

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
    return said.format_map(values) if values else said


def say_plural(one: str, many: str, number: int, /, **values: object) -> str:
    """Like `say`, with the form that fits the number; `{number}` in the text is the number itself."""
    return _catalogue.ngettext(one, many, number).format(number=number, **values)


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
