"""The inputs as artifacts of a SARIF run."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from mqdiag.facts import Input

STANDARD_INPUT = "stdin"


def artifact(given: Input) -> dict[str, Any]:
    """An input that was read, or could not be."""
    found: dict[str, Any] = {"location": {"uri": uri(given.path)}, "roles": ["analysisTarget"]}
    if given.bytes is not None:
        found["length"] = given.bytes
    facts: dict[str, Any] = {"kind": given.kind, "format": given.format, "capturedAt": given.captured_at}
    facts["skipped"] = given.skipped
    found["properties"] = {"complete": given.complete} | {
        name: value for name, value in facts.items() if value is not None
    }
    return found


def uri(path: str) -> str:
    """A path as a URI: relative as it was given, absolute as file:///…; whatever its name holds is encoded."""
    if path == "-":
        return STANDARD_INPUT
    # Half a surrogate pair stands for a byte that is no UTF-8; a URI has to say something for it.
    name = quote(path.encode("utf-8", errors="backslashreplace"), safe="/")
    return f"file:///{name.lstrip('/')}" if name.startswith("/") else name
