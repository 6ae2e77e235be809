"""docs/report.md, from the types that the JSON report is written from."""

from __future__ import annotations

import inspect
from typing import Any

import msgspec

from mqdiag.render.json.schema import field_texts, report_schema, structs

INTRO = """\
# The JSON report

Made from the types by `make docs`. `--format json` writes one object of the type Report; the JSON Schema is
[report.schema.json](report.schema.json), and `mqdiag/render/json/report.schema.json` in a wheel.

What holds for all of it:

- Every field is always there, except in `subject`, which names only what a finding is about.
- `null` means unknown. It never stands for 0, and 0 never for unknown.
- `_bytes` are bytes, `_ms` milliseconds, `share` is 0 to 1. Ages are against the time in the dump's header.
- Fields may be added in later versions; a change of meaning or a removal raises `schema_version`.
- Findings stand in this order: severity; a root cause before what it causes; the share of the heap or of the threads
  that it explains; the rule's name. The first one is the verdict.
- `fingerprint` holds no address, count or time: the same fault keeps it over dumps and hosts.
- Bodies of messages are never in it.

Sizes: `objects` and `shallow_bytes` of the heap count what a GC root reaches, the `unreachable_` fields the rest of
the file. `instances` of a class counts all objects of the file, as the JVM's own histogram does. `retained_bytes` of
an object is what the collector would free if nothing referred to it; of a class the sum over the instances that no
other instance of it dominates; of a consumer what all its queues, messages and queued requests retain together.
"""


def report_page() -> str:
    """The page."""
    definitions = report_schema()["$defs"]
    parts = [INTRO]
    for name, kind in structs().items():
        parts.append(_section(name, kind, definitions[name]["properties"]))
    return "\n".join(parts)


def _section(name: str, kind: type[msgspec.Struct], properties: dict[str, Any]) -> str:
    texts = field_texts(kind)
    rows = []
    for field in msgspec.structs.fields(kind):
        text = texts.get(field.name, "").replace("|", "\\|")
        rows.append(f"| `{field.encode_name}` | {_type(properties[field.encode_name])} | {text} |")
    about = inspect.cleandoc(kind.__doc__ or "")
    return f"## {name}\n\n{about}\n\n| field | type | meaning |\n|---|---|---|\n" + "\n".join(rows) + "\n"


def _type(shape: dict[str, Any]) -> str:
    """A schema as a person says it."""
    if "$ref" in shape:
        target = shape["$ref"].rsplit("/", 1)[1]
        if target in ("Severity", "Confidence"):
            return " or ".join(f"`{value}`" for value in report_schema()["$defs"][target]["enum"])
        return f"[{target}](#{target.lower()})"
    if "anyOf" in shape:
        return " or ".join(_type(choice) for choice in shape["anyOf"])
    kind = shape.get("type", "any")
    if isinstance(kind, list):
        return " or ".join(kind)
    if kind == "array":
        if "prefixItems" in shape:
            return f"[{', '.join(map(_type, shape['prefixItems']))}]"
        return f"array of {_type(shape['items'])}" if "items" in shape else "array"
    if kind == "object" and isinstance(shape.get("additionalProperties"), dict):
        return f"object of {_type(shape['additionalProperties'])}"
    return str(kind)
