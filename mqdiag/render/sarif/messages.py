"""Texts as SARIF messages."""

from __future__ import annotations

from typing import Any


def message(text: str) -> dict[str, Any]:
    """A plain message: a name from evidence that looks like `[text](link)` must not become a link (3.11.6)."""
    return {"text": text.replace("](", "] (")}
