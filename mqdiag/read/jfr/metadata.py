"""The types of a chunk, as its metadata event describes them.

The event holds a table of texts and a tree of elements whose names and attributes are numbers of texts. Source:
jdk.jfr.internal.MetadataReader of the JDK.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mqdiag.read.jfr.values import Cursor

METADATA, CHECKPOINT = 0, 1
"""types of the events that describe the others"""
MOST_BYTES = 16 << 20
"""size of a metadata event; those of JDK 25 have 150 kB"""
MOST_DEEP = 32
"""elements within elements; the JDK writes 5"""
MOST_TYPE = 1 << 20
"""numbers of types are small, and tables go by them"""
EVENT = "jdk.jfr.Event"
"""type above all types of events"""
_TIMESTAMP, _TIMESPAN = "jdk.jfr.Timestamp", "jdk.jfr.Timespan"
_SMALLEST_ELEMENT = 3


class Field(NamedTuple):
    """A field of a type."""

    name: str
    type_id: int
    is_constant: bool
    """a key of a constant stands there"""
    is_array: bool
    unit: str | None
    """unit of a time or duration: "TICKS", "NANOSECONDS", "MILLISECONDS" …"""
    is_timestamp: bool
    key_width: int = 8
    """bytes of a key that is not compressed; below 0 without a sign"""


class JfrType(NamedTuple):
    """A type: of events, of constants, or a primitive one without fields."""

    type_id: int
    name: str
    super_name: str | None
    fields: tuple[Field, ...]
    is_simple: bool = False
    """its only field stands for it"""
    key_id: int | None = None
    """type of the key of a constant; None for the usual one, a long"""

    @property
    def is_event(self) -> bool:
        """Whether it is one of events."""
        return self.super_name == EVENT

    def has(self, name: str) -> bool:
        """Whether it has a field of this name."""
        return any(field.name == name for field in self.fields)


class _Element(NamedTuple):
    name: str
    attributes: dict[str, str]
    children: list[_Element]


def read_types(cursor: Cursor) -> dict[int, JfrType]:
    """All types by number.

    Args:
        cursor: at the table of texts of the metadata event.

    Raises:
        DamagedError: it is cut, or no tree of elements.
    """
    texts = [str(cursor.text() or "") for _ in range(cursor.count())]
    root = _tree(cursor, texts)
    classes = list(_classes(root))
    names = {number: name for number, name, _ in classes}
    found = {}
    for number, name, element in classes:
        fields = tuple(_fields(element, names))
        attributes = element.attributes
        is_simple = attributes.get("simpleType") == "true" and len(fields) == 1
        found[number] = JfrType(number, name, attributes.get("superType"), fields, is_simple)
    return found


def _tree(cursor: Cursor, texts: list[str]) -> _Element:
    """The root element; without recursion, as a file says how deep it goes."""
    root = _element(cursor, texts)
    open_elements = [(root, cursor.count(_SMALLEST_ELEMENT))]
    while open_elements:
        parent, left = open_elements.pop()
        if not left:
            continue
        open_elements.append((parent, left - 1))
        child = _element(cursor, texts)
        parent.children.append(child)
        open_elements.append((child, cursor.count(_SMALLEST_ELEMENT)))
        if len(open_elements) > MOST_DEEP:
            raise cursor.damaged()
    return root


def _element(cursor: Cursor, texts: list[str]) -> _Element:
    name = _text(cursor, texts)
    attributes = {}
    for _ in range(cursor.count(2)):
        key = _text(cursor, texts)
        attributes[key] = _text(cursor, texts)
    return _Element(name, attributes, [])


def _text(cursor: Cursor, texts: list[str]) -> str:
    number = cursor.integer(4)
    if not 0 <= number < len(texts):
        raise cursor.damaged()
    return texts[number]


def _classes(root: _Element) -> Iterator[tuple[int, str, _Element]]:
    for metadata in root.children:
        for element in metadata.children if metadata.name == "metadata" else ():
            number = _number(element.attributes.get("id"))
            if element.name == "class" and number is not None and "name" in element.attributes:
                yield number, element.attributes["name"], element


def _fields(element: _Element, names: dict[int, str]) -> Iterator[Field]:
    for child in element.children:
        type_id = _number(child.attributes.get("class"))
        if child.name != "field" or type_id is None:
            continue
        unit, is_timestamp = None, False
        for note in child.children:
            kind = names.get(_number(note.attributes.get("class")) or 0)
            if note.name == "annotation" and kind in (_TIMESTAMP, _TIMESPAN):
                unit = next((value for key, value in note.attributes.items() if key.startswith("value")), None)
                is_timestamp = kind == _TIMESTAMP
        yield Field(
            name=child.attributes.get("name", ""),
            type_id=type_id,
            is_constant=child.attributes.get("constantPool") == "true",
            is_array=child.attributes.get("dimension", "0") != "0",
            unit=unit,
            is_timestamp=is_timestamp,
        )


def _number(text: str | None) -> int | None:
    """A number of a type; None for what is none, or too large for a table."""
    if text is None or not text.isdecimal() or len(text) > 8:
        return None
    number = int(text)
    return number if number < MOST_TYPE else None
