"""Java names shortened to the space there is, without losing the part that distinguishes them."""

from __future__ import annotations

import re

from mqdiag.lazy_pattern import lazy_pattern

_PACKAGE = lazy_pattern(r"(?<![\w.$])(?:[a-z_][\w$]*\.)+(?=[\w$])")
"""the package in front of a class, its last dot included"""


def shortened(name: str, width: int) -> str:
    """Shorten packages from the left, one after the other, until the text fits: o.a.r.common.message.Message.

    The text may be a class, a frame, a reference "Class.field -> Class" or several of them. A text that is still too
    long is returned as short as it gets.
    """
    excess = len(name) - width

    def shorter(package: re.Match[str]) -> str:
        nonlocal excess
        parts = package[0].split(".")
        for place, part in enumerate(parts[:-1]):
            if excess <= 0:
                break
            excess -= len(part) - 1
            parts[place] = part[0]
        return ".".join(parts)

    return name if excess <= 0 else _PACKAGE.sub(shorter, name)
