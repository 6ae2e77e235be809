"""What a program tells of a dump, whichever program it is."""

from __future__ import annotations

import msgspec

SECONDS = 300
"""a program that takes longer for the dump of a small program has failed"""


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """What one program accuses in a dump: a headline for each suspect, and all that is told of it."""

    headlines: tuple[str, ...]
    texts: tuple[str, ...]
