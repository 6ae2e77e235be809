"""What a series of thread dumps says."""

from __future__ import annotations

import msgspec


class StacksFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Threads of one JVM aligned over its samples."""

    samples: int
