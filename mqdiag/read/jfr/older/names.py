"""Names of today for the types and fields of version 0.9, as `older_recordings.toml` has them."""

# Without annotations as strings: msgspec would compile each of them at the first use of a type, 0.2 ms in each run.

from functools import cache

import msgspec

from mqdiag.knowledge import packed


class Names(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The tables of older_recordings.toml."""

    events: dict[str, str]
    """by path; one that is not there keeps its path as its name"""
    constants: dict[str, str]
    """by type of constant; one that is not there is called as in jdk.types"""
    fields: dict[str, str]
    """fields of all types"""
    own_fields: dict[str, dict[str, str]]
    """by type, as it is called today"""

    def constant(self, name: str) -> str:
        """A type of constants."""
        return self.constants.get(name, f"jdk.types.{name}")

    def field(self, owner: str, name: str) -> str:
        """A field of a type; of a structure without a name where `owner` is empty."""
        return self.own_fields.get(owner, {}).get(name) or self.fields.get(name, name)


@cache
def names() -> Names:
    """The tables."""
    return packed.decode(packed.ROOT, "older_recordings", Names)
