"""How a chunk of version 0.9 describes itself, in its last event: producers with their structures, events, constants.

Names become those of today, so that what reads events need not know of the older form. Source: the descriptions of
recordings of JDK 7u40 to 8u60, and JDK Mission Control's reader of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from mqdiag.read.jfr.metadata import EVENT, MOST_TYPE, Field, JfrType
from mqdiag.read.jfr.older.names import names
from mqdiag.read.jfr.values import Cursor

LOST = 2
"""type of the event of bytes that were thrown away; no description has it"""
NUMBERS = (
    ("boolean", 1), ("byte", 1), ("unsigned byte", -1), ("short", 2), ("unsigned short", -2), ("int", 4),
    ("unsigned int", -4), ("long", 8), ("long", 8), ("float", 4), ("double", 8),
)  # fmt: skip
"""(name of the type, width as a key) of each kind of number, by its code"""
TEXTS = ("utf-8 text", "utf-16 text")
"""the kinds behind the numbers"""
_UNSIGNED_INT, _LONG, _EIGHT_BYTES = 6, 7, 8
_ARRAY, _STRUCTURE, _STRUCTURES = 13, 14, 15
MOST_FIELDS = 1 << 17
"""fields of all types together; those of JDK 8 have 600"""
_UNITS = {2: "MILLISECONDS_SINCE_EPOCH", 3: "MILLISECONDS", 4: "NANOSECONDS", 5: "TICKS"}
"""by content: what a number means"""
_PERCENTAGE = 11
"""content of a share; like those below 7 no key of a constant"""
_FIRST_CONSTANT = 7
_THREAD, _JAVA_THREAD, _STACK = 7, 8, 9


_Numbers = TypeVar("_Numbers", int, NDArray[np.int64])


class Described(NamedTuple):
    """What the last event of a chunk says."""

    types: dict[int, JfrType]
    """by number; types of events have that of the file, all others are below 0"""
    start_ms: int
    """milliseconds of the epoch"""
    end_ms: int
    start_ticks: int
    ticks_per_second: int


class _Value(NamedTuple):
    """A value of a structure."""

    name: str
    kind: int
    content: int = 0
    inner: int = 0
    """kind of an array's elements, or number of a structure"""


_LOST_VALUES = (
    _Value("startTime", _LONG, 5),
    _Value("eventThread", _UNSIGNED_INT, _THREAD),
    _Value("amount", _UNSIGNED_INT),
)


class _Event(NamedTuple):
    number: int
    path: str
    has_start: bool
    has_thread: bool
    has_stack: bool
    structure: int


class _Content(NamedTuple):
    """A type of constants."""

    number: int
    name: str
    kind: int
    """kind of the key"""
    structure: int


class _Producer(NamedTuple):
    structures: list[list[_Value]]
    events: list[_Event]
    contents: list[_Content]


def constant_type(content: _Numbers) -> _Numbers:
    """The number of the type of constants of this content."""
    return -100 - content


THREAD, JAVA_THREAD = constant_type(_THREAD), constant_type(_JAVA_THREAD)


class OlderCursor(Cursor):
    """Reads what only version 0.9 has."""

    def byte(self) -> int:
        """A byte without a sign."""
        return self._take(1)[0]

    def name(self) -> str:
        """A text behind its length in two bytes."""
        return self._take(self.integer(2) & 0xFFFF).decode("utf-8", "replace")


def described(cursor: OlderCursor) -> Described:
    """What a description says.

    Args:
        cursor: at the event's payload, behind size and type.

    Raises:
        DamagedError: it is cut, or names what it does not have.
    """
    producers = [_producer(cursor) for _ in range(cursor.count())]
    return Described(_types(producers, cursor), *(cursor.integer(8) for _ in range(4)))


def _producer(cursor: OlderCursor) -> _Producer:
    cursor.integer(4)
    for _ in range(3):
        cursor.name()  # name, description, address
    for _ in range(cursor.count(2)):
        cursor.name()  # relations, by which a viewer joins events
    structures = [[_value(cursor) for _ in range(cursor.count())] for _ in range(cursor.count())]
    return _Producer(
        structures,
        [_event(cursor) for _ in range(cursor.count())],
        [_content(cursor) for _ in range(cursor.count())],
    )


def _value(cursor: OlderCursor) -> _Value:
    name = cursor.name()
    cursor.name(), cursor.name(), cursor.byte()  # label, description, direction
    value = _Value(name, cursor.byte(), cursor.integer(4), cursor.integer(4))
    cursor.integer(4)
    return value


def _event(cursor: OlderCursor) -> _Event:
    number = cursor.integer(4)
    if not LOST < number < MOST_TYPE:
        raise cursor.damaged()
    cursor.name(), cursor.name()  # label, description
    path = cursor.name()
    has_start, has_thread, has_stack, _ = (cursor.byte() != 0 for _ in range(4))
    event = _Event(number, path, has_start, has_thread, has_stack, cursor.integer(4))
    cursor.integer(4)
    return event


def _content(cursor: OlderCursor) -> _Content:
    number, name = cursor.integer(4), cursor.name()
    cursor.name()
    content = _Content(number, name, cursor.byte(), cursor.integer(4))
    if not 0 <= number < MOST_TYPE or content.kind >= len(NUMBERS):
        raise cursor.damaged()
    return content


def _types(producers: list[_Producer], cursor: OlderCursor) -> dict[int, JfrType]:
    """All types.

    Raises:
        DamagedError: one names a structure or a kind that there is none of.
    """
    kinds = (*(name for name, _ in NUMBERS), *TEXTS)
    types = {-1 - code: JfrType(-1 - code, name, None, ()) for code, name in enumerate(kinds)}
    contents = {content.number: content for producer in producers for content in producer.contents}
    maker = _Maker(contents, cursor)
    types[LOST] = JfrType(LOST, "jdk.DataLoss", EVENT, maker.fields("jdk.DataLoss", _LOST_VALUES, times=1))
    for producer in producers:
        for number, structure in enumerate(producer.structures):
            types[maker.base - number] = JfrType(maker.base - number, "", None, maker.fields("", structure))
        for event in producer.events:
            name = names().events.get(event.path, event.path)
            own = (*_head(event), *maker.structure(producer, event.structure))
            fields = maker.fields(name, own, times=1 + event.has_start)
            types[event.number] = JfrType(event.number, name, EVENT, fields)
        for content in producer.contents:
            name, number = names().constant(content.name), constant_type(content.number)
            fields = maker.fields(name, maker.structure(producer, content.structure))
            types[number] = JfrType(number, name, None, fields, key_id=-1 - content.kind)
        maker.base -= len(producer.structures)
    return types


def _head(event: _Event) -> list[_Value]:
    """What stands before an event's own values: its end, from which the reader of chunks takes the begin away."""
    values = [_Value("duration", _LONG, 5)] if event.has_start else []
    values.append(_Value("startTime", _LONG, 5))
    if event.has_thread:
        values.append(_Value("eventThread", _UNSIGNED_INT, _THREAD))
    if event.has_stack:
        values.append(_Value("stackTrace", _EIGHT_BYTES, _STACK))
    return values


class _Maker:
    """Makes fields of values.

    Args:
        contents: types of constants by number.
        cursor: for errors.
    """

    def __init__(self, contents: Mapping[int, _Content], cursor: OlderCursor) -> None:
        self._contents = contents
        self._cursor = cursor
        self._left = MOST_FIELDS
        self.base = -(1 << 32)
        """number of the type of the producer's first structure; the others are below it"""

    def structure(self, producer: _Producer, number: int) -> list[_Value]:
        """The values of a structure."""
        if not 0 <= number < len(producer.structures):
            raise self._cursor.damaged()
        return producer.structures[number]

    def fields(self, owner: str, values: Sequence[_Value], times: int = 0) -> tuple[Field, ...]:
        """The fields of a type; of an event the first ones are times, the last of which is its begin.

        Raises:
            DamagedError: all types together have more than any JVM describes: many may name one large structure.
        """
        self._left -= len(values)
        if self._left < 0:
            raise self._cursor.damaged()
        fields = [self._field(owner, value) for value in values]
        if times:
            fields[times - 1] = fields[times - 1]._replace(is_timestamp=True)
        return tuple(fields)

    def _field(self, owner: str, value: _Value) -> Field:
        name, is_array = names().field(owner, value.name), value.kind in (_ARRAY, _STRUCTURES)
        if value.kind in (_STRUCTURE, _STRUCTURES):
            return Field(
                name,
                self.base - value.inner,
                is_constant=False,
                is_array=is_array,
                unit=None,
                is_timestamp=False,
            )
        kind = value.inner if is_array else value.kind
        if not 0 <= kind < len(NUMBERS) + len(TEXTS):
            raise self._cursor.damaged()
        is_number = kind < len(NUMBERS)
        is_key = is_number and value.content in self._contents
        is_key = is_key and value.content >= _FIRST_CONSTANT and value.content != _PERCENTAGE
        return Field(
            name,
            constant_type(value.content) if is_key else -1 - kind,
            is_constant=is_key,
            is_array=is_array,
            unit=_UNITS.get(value.content) if is_number else None,
            is_timestamp=value.content == 2,
            key_width=NUMBERS[kind][1] if is_key else 8,
        )
