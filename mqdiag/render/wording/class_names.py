"""Java names cut to the room there is, without losing the part that tells them apart."""

from __future__ import annotations


def fit(name: str, width: int) -> str:
    """Shorten packages from the left, one after the other, until the name fits: o.a.r.common.message.Message.

    A name that is still too long is returned as short as it gets; the page wraps it.
    """
    head, *rest = name.split(" ", 1)
    tail = f" {rest[0]}" if rest else ""
    if head == "class" and rest:
        return f"class {fit(rest[0], width - 6)}"
    parts = head.split(".")
    for position, part in enumerate(parts[:-1]):
        if len(".".join(parts)) + len(tail) <= width or not part[:1].islower():
            break
        parts[position] = part[0]
    return ".".join(parts) + tail
