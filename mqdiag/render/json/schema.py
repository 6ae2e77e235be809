"""The JSON Schema of the report, made from the types that the report is encoded from.

A wheel has it as `report.schema.json` beside this module; `make docs` writes it to `docs/report.schema.json`.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import itertools
import re
from functools import cache
from typing import Any

import msgspec

from mqdiag.findings import Finding, Report, Subject
from mqdiag.report_json import TEMPLATES, text_fields
from mqdiag.text import Text

_PREFIX = "#/$defs/"


def report_schema() -> dict[str, Any]:
    """The schema as plain values."""
    (root,), definitions = msgspec.json.schema_components(
        [Report], schema_hook=_of_text, ref_template=_PREFIX + "{name}"
    )
    for name, kind in structs().items():
        _complete(definitions[name], kind)
    _add_templates(definitions)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A report of mqdiag",
        **root,
        "$defs": dict(sorted(definitions.items())),
    }


def _add_templates(definitions: dict[str, Any]) -> None:
    """What a finding has besides its finished sentences."""
    definitions["Template"] = {
        "title": "Template",
        "type": "object",
        "description": "A sentence before it is written: the English template, and what fills its placeholders.",
        "properties": {"template": {"type": "string"}, "values": {"type": "object"}},
        "required": ["template", "values"],
    }
    one = {"$ref": _PREFIX + "Template"}
    properties = {
        field.name: one if field.type is Text else {"type": "array", "items": one}
        for field in msgspec.structs.fields(Finding)
        if field.name in text_fields()
    }
    finding = definitions["Finding"]
    finding["properties"][TEMPLATES] = {
        "type": "object",
        "description": "the sentences of the finding as templates and values, by field",
        "properties": properties,
        "required": list(properties),
    }
    finding["required"].append(TEMPLATES)


def _of_text(kind: type) -> dict[str, Any]:
    """A text is written in English.

    Raises:
        NotImplementedError: it is no text.
    """
    if kind is not Text:
        raise NotImplementedError(kind.__name__)
    return {"type": "string"}


def schema_text() -> str:
    """The schema as the shipped file has it."""
    return msgspec.json.format(msgspec.json.encode(report_schema()), indent=2).decode() + "\n"


def structs() -> dict[str, type[msgspec.Struct]]:
    """All structs that a report can hold, by name.

    Raises:
        TypeError: two of them have one name.
    """
    found: dict[str, type[msgspec.Struct]] = {}

    def visit(part: Any) -> None:
        if isinstance(part, msgspec.inspect.StructType) and found.get(part.cls.__name__) is not part.cls:
            if part.cls.__name__ in found:
                raise TypeError(f"two structs of a report are called {part.cls.__name__}")
            found[part.cls.__name__] = part.cls
            for field in part.fields:
                visit(field.type)
        for inner in (*getattr(part, "types", ()), getattr(part, "item_type", None)):
            if inner is not None:
                visit(inner)

    visit(msgspec.inspect.type_info(Report))
    return found


def _complete(definition: dict[str, Any], kind: type[msgspec.Struct]) -> None:
    """What the types alone do not say: every field is always written, and what it means."""
    properties = definition["properties"]
    for name, shape in properties.items():
        properties[name] = _compact(shape)
    if kind is not Subject:
        # A default serves whoever makes a struct; the encoder leaves no field out. Only subjects do.
        definition["required"] = list(properties)
        for shape in properties.values():
            shape.pop("default", None)
    texts = field_texts(kind)
    for field in msgspec.structs.fields(kind):
        if field.name in texts:
            properties[field.encode_name]["description"] = texts[field.name]


def _compact(shape: dict[str, Any]) -> dict[str, Any]:
    """`{"type": [a, "null"]}` for an `anyOf` of plain types, which is how people write it."""
    choices = shape.get("anyOf", [])
    if choices and all(set(choice) == {"type"} for choice in choices):
        return {"type": [choice["type"] for choice in choices]}
    return shape


@cache
def field_texts(kind: type[msgspec.Struct]) -> dict[str, str]:
    """The docstrings under a struct's fields, by field name, those of what it extends included."""
    bodies = [
        node.body
        for one in reversed(kind.__mro__)
        if one.__module__.startswith("mqdiag")
        for node in ast.parse(inspect.getsource(importlib.import_module(one.__module__))).body
        if isinstance(node, ast.ClassDef) and node.name == one.__name__
    ]
    texts: dict[str, str] = {}
    for body in bodies:
        for field, text in itertools.pairwise(body):
            if (
                isinstance(field, ast.AnnAssign)
                and isinstance(field.target, ast.Name)
                and isinstance(text, ast.Expr)
                and isinstance(text.value, ast.Constant)
                and isinstance(text.value.value, str)
            ):
                texts[field.target.id] = _in_json_words(" ".join(text.value.value.split()))
    return texts


def _in_json_words(text: str) -> str:
    return re.sub(r"\bNone\b", "null", text)
