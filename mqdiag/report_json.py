"""The report as JSON and back.

Texts become English strings. Each finding has the templates and values of its sentences besides.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

from mqdiag.findings import Finding, Report
from mqdiag.language import english
from mqdiag.text import Text, Value, placeholders

TEMPLATES = "texts"
"""the key under which a finding has the template and the values of each of its sentences"""
MOST_DEPTH = 64
"""lists and objects inside each other; a report has some twenty"""
MOST_NUMBER = 1 << 64
MOST_GROWTH, LEAST_LENGTH = 8, 2_000
"""a written text may have so many times the characters of its templates and values, or so many characters"""


def to_values(report: Report) -> dict[str, Any]:
    """The report as plain values, in the order of the types."""
    values: dict[str, Any] = msgspec.to_builtins(report, enc_hook=encoded)
    for name in ("findings", "ignored"):
        values[name] = [finding_values(finding) for finding in getattr(report, name)]
    return values


def finding_values(finding: Finding) -> dict[str, Any]:
    """One finding as plain values."""
    values: dict[str, Any] = msgspec.to_builtins(finding, enc_hook=encoded)
    values[TEMPLATES] = {field: _templates(getattr(finding, field)) for field in text_fields()}
    return values


def finding_from_json(data: bytes | str) -> Finding:
    """A finding from the JSON of its `finding_values`.

    Raises:
        msgspec.DecodeError: it is none.
    """
    values = msgspec.json.decode(data)
    _check(values)
    if isinstance(values, dict):
        _restore(values)
    return msgspec.convert(values, type=Finding, dec_hook=decoded)


def from_json(data: bytes) -> Report:
    """A saved report; sentences of findings get their templates back, all others stay as they were written.

    Raises:
        msgspec.DecodeError: this is no report, or one of another shape.
        UnicodeDecodeError: it is no UTF-8.
    """
    values = msgspec.json.decode(data)
    _check(values)
    if isinstance(values, dict):
        for name in ("findings", "ignored"):
            for finding in _dicts(values.get(name)):
                _restore(finding)
    return msgspec.convert(values, type=Report, dec_hook=decoded)


def encoded(value: object) -> Any:
    """What JSON has for values that msgspec does not know.

    Raises:
        NotImplementedError: it is no text.
    """
    if isinstance(value, Text):
        return english()(value)
    raise NotImplementedError(f"{type(value).__name__} is no value of a report")


def decoded(kind: type, value: Any) -> Any:
    """A text of a saved report.

    Raises:
        msgspec.ValidationError: something else stands in its place.
    """
    if kind is not Text:
        raise NotImplementedError(f"{kind.__name__} is no value of a report")
    if isinstance(value, Text):
        return value
    if not isinstance(value, str):
        raise msgspec.ValidationError(f"expected a text, got {type(value).__name__}")
    return Text(value)


@cache
def text_fields() -> tuple[str, ...]:
    """The fields of a finding that are sentences."""
    return tuple(
        field.name for field in msgspec.structs.fields(Finding) if field.type in (Text, tuple[Text, ...])
    )


def _templates(value: Text | tuple[Text, ...]) -> Any:
    if isinstance(value, tuple):
        return [text_values(one) for one in value]
    return text_values(value)


def text_values(text: Text) -> dict[str, Any]:
    """A text as plain values: its template, and what fills it."""
    return {"template": text.template, "values": {name: _value(one) for name, one in text.values.items()}}


def _value(value: Value) -> Any:
    if isinstance(value, Text):
        return text_values(value)
    return [_value(one) for one in value] if isinstance(value, tuple) else value


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _restore(finding: dict[str, Any]) -> None:
    templates = finding.pop(TEMPLATES, None)
    if not isinstance(templates, dict):
        return
    for field in text_fields():
        saved = templates.get(field)
        if isinstance(saved, dict):
            finding[field] = _short_text_of(saved)
        elif isinstance(saved, list):
            finding[field] = tuple(_short_text_of(one) for one in saved)


def text_of(saved: Any) -> Text:
    """The text that `text_values` gave.

    Raises:
        msgspec.ValidationError: it has another shape, or is far longer when written than when saved.
    """
    _check(saved)
    return _short_text_of(saved)


def _short_text_of(saved: Any) -> Text:
    """The same for a value that was checked already."""
    text = _text_of(saved)
    saved_length, written_length = _lengths(text)
    if written_length > max(LEAST_LENGTH, MOST_GROWTH * saved_length):
        raise msgspec.ValidationError("a template repeats its values too often")
    return text


def _lengths(value: Value) -> tuple[int, int]:
    """(characters of all templates and values, about as many when all is written out).

    A template can name a value several times, and that value can be such a text again: each level multiplies.
    """
    if isinstance(value, tuple):
        parts = [_lengths(one) for one in value]
        return sum(saved for saved, _ in parts), sum(written for _, written in parts)
    if not isinstance(value, Text):
        length = len(value) if isinstance(value, str) else 1
        return length, length
    inner = {name: _lengths(one) for name, one in value.values.items()}
    saved = len(value.template) + sum(length for length, _ in inner.values())
    named = (inner[name][1] for name, _ in placeholders(value.template) if name in inner)
    return saved, len(value.template) + sum(named)


def _check(values: Any) -> None:
    """Refuse what no report has and its readers are not made for.

    Raises:
        msgspec.ValidationError: it is nested too deeply, or has a number that is too large.
    """
    level = [values]
    for _ in range(MOST_DEPTH):
        below: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                below += value.values()
            elif isinstance(value, list):
                below += value
            elif isinstance(value, int | float) and not -MOST_NUMBER < value < MOST_NUMBER:
                raise msgspec.ValidationError("a number is too large")
        if not below:
            return
        level = below
    raise msgspec.ValidationError("it is nested too deeply")


def _text_of(saved: Any) -> Text:
    template = saved.get("template") if isinstance(saved, dict) else None
    values = saved.get("values") if isinstance(saved, dict) else None
    if not isinstance(template, str) or not isinstance(values, dict):
        raise msgspec.ValidationError("expected a template with its values")
    try:
        return Text(template, {}).filled({name: _restored(one) for name, one in values.items()})
    except (KeyError, ValueError) as error:
        raise msgspec.ValidationError(f"the template {template!r} does not fit its values: {error}") from None


def _restored(value: Any) -> Value:
    if isinstance(value, dict):
        return _text_of(value)
    if isinstance(value, list):
        return tuple(_restored(one) for one in value)
    if value is None or isinstance(value, int | float | str):
        return value
    raise msgspec.ValidationError(f"a text holds {type(value).__name__}")
