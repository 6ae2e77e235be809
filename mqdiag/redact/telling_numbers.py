"""Fields that are hidden although they are numbers: a hash gives a short text away, an address names a host."""

from __future__ import annotations

ALWAYS = {
    "java.lang.String": ("hash", "hash32"),
    "java.net.InetAddress": ("address",),
    "java.net.InetAddress$InetAddressHolder": ("address",),
}
"""names of fields, by the class that declares them"""


def is_hash_of_key(class_name: str, field: str, is_int: bool) -> bool:
    """Whether a field of a class of java.util holds the hash of a key of its map.

    Args:
        class_name: the class that declares the field.
        field: its name.
        is_int: whether it is an int.
    """
    return class_name.startswith("java.util.") and field == "hash" and is_int


def is_telling(class_name: str, field: str, is_int: bool) -> bool:
    """Whether a number may tell a text or a host; the arguments are those of `is_hash_of_key`."""
    return field in ALWAYS.get(class_name, ()) or is_hash_of_key(class_name, field, is_int)
