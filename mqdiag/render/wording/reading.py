"""Which inputs gave something, and why the others did not."""

from __future__ import annotations

from mqdiag.facts import Input


def was_read(given: Input) -> bool:
    """Whether something of it is in the report: it could be read, and was of a known kind."""
    return given.error is None and given.skipped is None
