"""Who hears of each step."""

from __future__ import annotations

from collections.abc import Callable

Say = Callable[[str], None]
