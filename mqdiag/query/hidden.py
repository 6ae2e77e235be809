"""What a redacted query says in place of texts of the application."""

from __future__ import annotations

import pyarrow as pa

from mqdiag.facts.redaction import HIDDEN


def hidden(texts: pa.Array) -> pa.Array:
    """The same placeholder for every text; null stays null."""
    # Here, not above: this import takes longer than a query, and few queries hide anything.
    import pyarrow.compute as pc

    return pc.if_else(texts.is_valid(), pa.scalar(HIDDEN, texts.type), pa.scalar(None, texts.type))


def thread_name(name: str, hide: bool) -> str:
    """A thread's name; of hidden ones only those that the JVM or RocketMQ gave."""
    if not hide or not name:
        return name
    # Here, not above: the same holds for this one.
    from mqdiag.redact.report import is_known_thread

    return name if is_known_thread(name) else HIDDEN
