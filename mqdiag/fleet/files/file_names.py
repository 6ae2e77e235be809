"""Which kinds of evidence a file can be, by its name: all that is known of one that could not be read."""

from __future__ import annotations

import re
from functools import cache

import msgspec

from mqdiag.knowledge import packed

ANY = "any"
"""in the place of kinds where the name tells none: it can be evidence of each"""


class _Form(msgspec.Struct, forbid_unknown_fields=True):
    pattern: str
    kinds: tuple[str, ...]
    may_be_empty: bool = False


class _Names(msgspec.Struct, forbid_unknown_fields=True):
    file: tuple[_Form, ...]


@cache
def _forms() -> tuple[tuple[re.Pattern[str], _Form], ...]:
    names = packed.decode(packed.ROOT, "file_names", _Names)
    return tuple((re.compile(form.pattern, re.IGNORECASE), form) for form in names.file)


def kinds_of_name(path: str, *, is_empty: bool = False) -> tuple[str, ...]:
    """The parts of facts that a file can be of; `ANY` alone where its name does not tell.

    Args:
        path: path, URI or member of an archive (`ARCHIVE!MEMBER`).
        is_empty: it has no bytes, as the output of a program that printed nothing.
    """
    name = re.split(r"[/!]", path)[-1]
    for pattern, form in _forms():
        if pattern.fullmatch(name):
            return () if is_empty and form.may_be_empty else form.kinds
    return (ANY,)
