"""What a dump would tell a stranger, as `mqdiag secrets` counts and locates it; the texts themselves are never here."""

from __future__ import annotations

import msgspec

from mqdiag.facts.redaction import Public


class SecretGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Texts of one kind that one field of one class holds."""

    kind: Public
    """name of the pattern, or field-name where only the name of the field says that its text is a secret"""
    held_by: Public | None = None
    """class and field that hold them, beyond strings and collections of the JDK: "a.Settings.password" or "local
    variable"; None where nothing reaches them any more, and for texts beyond the first 10,000"""
    texts: int
    """how many"""
    distinct: int
    """how many different ones"""
    object_id: Public
    """the object of the first, for `mqdiag show`"""


class SecretsFacts(msgspec.Struct, frozen=True, kw_only=True):
    """All of one dump."""

    arrays: int
    """byte[] and char[] that were searched"""
    searched_bytes: int
    """bytes in them"""
    groups: tuple[SecretGroup, ...] = ()
    """the largest first"""
