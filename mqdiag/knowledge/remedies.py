"""Advice that several rules give, or rules and the analysis of threads: the same words everywhere."""

from __future__ import annotations

import os
from functools import cache

import msgspec

from mqdiag.knowledge import packed
from mqdiag.text import Text

_FOLDER = os.path.dirname(__file__)


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
    return packed.decode(_FOLDER, "remedies", _File).remedies
