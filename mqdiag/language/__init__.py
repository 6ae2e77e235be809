"""The language of the reader: the one place where a `Text` becomes a string.

English is the source. `Writer("zh")` looks the template up in the Chinese catalogue and writes each value by its kind;
a template without a translation is written in English. docs/adr/0008-languages.md tells how texts reach the catalogues.
"""

from __future__ import annotations

import gettext
import shlex
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from string import Formatter

from mqdiag.language.numbers import NUMBERS, TIMES, timestamp
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.text import ARGUMENT, Text, Value, say

ENGLISH = "en"
LANGUAGES = (ENGLISH, "zh")
"""What `--lang` takes; the source language first."""
TAGS = {ENGLISH: "en", "zh": "zh-Hans"}
"""As pages name their language."""
FOLDER = Path(__file__).parent / "catalogues"
DOMAIN = "mqdiag"

UNKNOWN = say("unknown")
"""how None is written, wherever it stands"""
_LIST_OF_TWO = say("{first} and {last}")
_COMMA = say("{first}, {rest}")
_formatter = Formatter()
_MIXED = lazy_pattern(r"[\u4e00-\u9fff][A-Za-z0-9]|[A-Za-z0-9%][\u4e00-\u9fff]")


def _host_and_port(value: str, words: str) -> tuple[str, ...]:
    """The value alone where one word stands for it; host and port where two do."""
    _, *port = words.split(" ")
    if not port:
        return (value,)
    host, colon, own = value.rpartition(":")
    if not colon or not own.isdigit() or (":" in host and not host.endswith("]")):
        host, own = value, port[0]
    return host.removeprefix("[").removesuffix("]"), own


class Writer:
    """Writes texts in one language."""

    def __init__(self, language: str = ENGLISH) -> None:
        """Load the catalogue.

        Raises:
            ValueError: there is no such language.
        """
        if language not in LANGUAGES:
            raise ValueError(f"there is no language {language!r}; there are {', '.join(LANGUAGES)}")
        self.language = language
        self._catalogue = _catalogue(language)

    def __call__(self, text: Text | str) -> str:
        """The finished string; a `str` is data and stays as it is."""
        if isinstance(text, str):
            return text
        template = self._catalogue.gettext(text.template) if text.template else ""
        values = text.values
        return self._filled(template, values) if values else template

    def value(self, value: Value, kind: str = "") -> str:
        """A value by itself, in the format of its kind (see `mqdiag.text`)."""
        if kind.startswith(ARGUMENT):
            words = kind.removeprefix(ARGUMENT)
            if value is None:
                return words
            return " ".join(map(shlex.quote, _host_and_port(self.value(value), words)))
        if kind == "timestamp":
            return timestamp(value)
        if value is None:
            return self(UNKNOWN)
        if kind == "quoted":
            return shlex.quote(self.value(value))
        if isinstance(value, Text):
            return self(value)
        if isinstance(value, tuple):
            return self._list(tuple(self.value(one) for one in value), joined_by_and=kind == "and")
        if "|" in kind:
            one, _, many = kind.partition("|")
            return one if value == 1 else many
        if isinstance(value, str):
            return NUMBERS[kind](value, self) if kind in TIMES else value
        return NUMBERS.get(kind, NUMBERS[""])(value, self)

    def _filled(self, template: str, values: Mapping[str, Value]) -> str:
        """The values in their places.

        In Chinese a blank stands between Chinese and Latin letters, and none behind the end of a sentence.
        """
        parts: list[str] = []
        for literal, name, kind, _ in _formatter.parse(template):
            self._append(parts, literal)
            if name is not None:
                self._append(parts, self.value(values[name], kind or ""))
        return "".join(parts)

    def _append(self, parts: list[str], text: str) -> None:
        if not text:
            return
        if self.language != ENGLISH and text == " " and parts and parts[-1].endswith("。"):
            return
        if self.language != ENGLISH and parts and _MIXED.fullmatch(parts[-1][-1] + text[0]):
            parts.append(" ")
        parts.append(text)

    def _list(self, words: tuple[str, ...], *, joined_by_and: bool) -> str:
        if not words:
            return ""
        if not joined_by_and or len(words) == 1:
            return self._folded(words)
        return self._filled(
            self._catalogue.gettext(_LIST_OF_TWO.template),
            {"first": self._folded(words[:-1]), "last": words[-1]},
        )

    def _folded(self, words: tuple[str, ...]) -> str:
        comma = self._catalogue.gettext(_COMMA.template)
        between = comma.removeprefix("{first}").removesuffix("{rest}")
        return between.join(words)


@cache
def _catalogue(language: str) -> gettext.NullTranslations:
    if language == ENGLISH:
        return gettext.NullTranslations()
    # A checkout that nothing was installed from has no compiled catalogue: English is better than nothing.
    return gettext.translation(DOMAIN, FOLDER, [language], fallback=True)


@cache
def writer(language: str) -> Writer:
    """The writer of a language, made once.

    Raises:
        ValueError: there is no such language.
    """
    return Writer(language)


def english() -> Writer:
    """The writer of what programs read."""
    return writer(ENGLISH)
