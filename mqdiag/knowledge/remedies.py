"""Advice that several rules give, or rules and the analysis of threads: the same words everywhere."""

# Without annotations as strings: msgspec would compile each of them at the first use of a type, 0.2 ms in each run.

from functools import cache

import msgspec

from mqdiag.knowledge import packed
from mqdiag.text import Text


class _File(msgspec.Struct, forbid_unknown_fields=True):
    remedies: dict[str, tuple[str, ...]]


def remedy(name: str) -> tuple[Text, ...]:
    """The sentences of an advice.

    Raises:
        KeyError: remedies.toml has no advice of that name.
    """
    return tuple(map(Text, _sentences()[name]))


@cache
def _sentences() -> dict[str, tuple[str, ...]]:
    return packed.decode(packed.ROOT, "remedies", _File).remedies
