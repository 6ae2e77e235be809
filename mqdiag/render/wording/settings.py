"""Values of settings as a configuration file writes them."""

from __future__ import annotations

from mqdiag.text import say


def setting_text(value: object) -> str:
    """True and false as Java has them; a value that could not be read is said to be unknown."""
    if isinstance(value, bool):
        return str(value).lower()
    return say("not known") if value is None else str(value)
