r"""Words as values: a template and what fills it, written out only where somebody reads them.

A sentence is made by `say("{failed:count} messages failed", failed=3)` and stays a `Text` until a writer
(`mqdiag.language.Writer`) puts it into the reader's language. A plain `str` is data (a name, a path, a setting) and is
never translated; a `Text` is words.

The kind behind the colon of a placeholder says how its value is written, everywhere the same:

| kind | value | written |
|---|---|---|
| (none) | a name, a setting, an id, a `Text` | as it is; whole numbers without separators; tuples by commas |
| count | int | 1,234 |
| decimal | float | 12.3 (three digits) |
| bytes | int | 40.6 MiB |
| percent | share, 0 to 1 | 75 % |
| ms, seconds | duration | 340 ms, 12 s, 15 min 3 s |
| time | RFC 3339 | 2026-11-22 03:34:12 +08:00 |
| clock | RFC 3339, where the day and the zone are said elsewhere | 03:34:12 |
| rate | events in a second | 12.3/s |
| and | tuple | a, b and c |
| arg NAME | a name or None | as an argument of a shell command: quoted if it must be, NAME where it is not known |
| arg HOST PORT | an address or None | as two arguments, host and port; PORT where the address has none |
| quoted | a name | as an argument of a shell command, where the command stands for nothing without it |
| timestamp | RFC 3339 | as mqadmin takes it: milliseconds since 1970; TIMESTAMP where it is not known |
| one\|many | number | the word that fits the number: `{n:count} {n:thread hangs\|threads hang}` |

None is written as "unknown" whatever its kind, apart from those of commands.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from string import Formatter
from typing import Union

Value = Union[int, float, str, None, "Text", tuple["Value", ...]]

KINDS = frozenset(
    (
        "",
        "count",
        "decimal",
        "bytes",
        "percent",
        "ms",
        "seconds",
        "time",
        "clock",
        "rate",
        "and",
        "quoted",
        "timestamp",
    )
)
"""what may stand behind the colon, apart from `one|many` and arguments"""
ARGUMENT = "arg "
"""begins the kind of an argument; the word behind it stands where the value is not known"""

_parse = Formatter().parse


class Text:
    """A sentence or a word of our own: an English template, the catalogue's key, and its values by name.

    Immutable and hashable. Without values the template is written as it stands, braces included.
    """

    __slots__ = ("_values", "template")
    template: str
    _values: tuple[tuple[str, Value], ...]

    def __init__(self, template: str, values: Mapping[str, Value] | None = None) -> None:
        object.__setattr__(self, "template", template)
        object.__setattr__(self, "_values", tuple((values or {}).items()))

    @property
    def values(self) -> dict[str, Value]:
        """What the placeholders stand for, by name."""
        return dict(self._values)

    def filled(self, values: Mapping[str, Value]) -> Text:
        """The text with values for the placeholders that have none yet, nested texts included.

        Args:
            values: by name; what no placeholder asks for is left out.

        Raises:
            KeyError: a placeholder has no value.
        """
        own = {name: value.filled(values) if isinstance(value, Text) else value for name, value in self._values}
        own |= {name: values[name] for name, _ in placeholders(self.template) if name not in own}
        return Text(self.template, own)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a text does not change")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Text):
            return NotImplemented
        return self.template == other.template and self.values == other.values

    def __hash__(self) -> int:
        return hash((self.template, frozenset(self._values)))

    def __bool__(self) -> bool:
        return bool(self.template)

    def __repr__(self) -> str:
        return f"Text({self.template!r}, {self.values!r})"

    def __format__(self, spec: str) -> str:
        raise TypeError("a text belongs into a template, not into an f-string: say('... {part}', part=text)")

    def __reduce__(self) -> tuple[type[Text], tuple[str, dict[str, Value]]]:
        return Text, (self.template, self.values)


NOTHING = Text("")
"""no words at all"""


def no_words() -> Text:
    """The default of a struct's field that is a text."""
    return NOTHING


def say(template: str, /, *of: object, **values: Value) -> Text:
    """Words of our own: `say("{failed:count} messages failed", failed=3)`.

    Args:
        template: English, with placeholders of the kinds above; a constant, since translators get it from the source.
        of: facts whose fields stand for the placeholders of their names.
        values: what the other placeholders stand for. Those of a finding may be left to its evidence.
    """
    if of:
        names = [name for name, _ in placeholders(template) if name not in values]
        values |= {name: getattr(one, name) for one in reversed(of) for name in names if hasattr(one, name)}
    return Text(template, values)


def quantity(value: Value, kind: str) -> Text:
    """A number by itself, in the format of its kind."""
    return Text(f"{{value:{kind}}}", {"value": value})


def sentences(*parts: Text | None) -> Text:
    """Several sentences as one text; absent and empty ones are left out."""
    there = [part for part in parts if part]
    if len(there) < 2:
        return there[0] if there else NOTHING
    names = [f"part_{place}" for place in range(1, len(there) + 1)]
    return Text(" ".join(f"{{{name}}}" for name in names), dict(zip(names, there, strict=True)))


def placeholders(template: str) -> Iterator[tuple[str, str]]:
    """Names and kinds of the placeholders of a template, in their order."""
    for _, name, kind, _ in _parse(template):
        if name is not None:
            yield name, kind or ""
