"""What threads at the same work have in common below their headers, undecoded: all but the addresses of their locks."""

from __future__ import annotations

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.stacks.records import Stack

_ADDRESS = lazy_pattern(rb"(?<=<)0x[0-9a-f]{1,16}(?=>)")


class BodyForm:
    """The lines below a header, apart from the addresses in them."""

    __slots__ = ("addresses", "is_kept", "last", "pieces", "stack", "width", "with_synchronizers")

    def __init__(self, stack: Stack, addresses: tuple[str, ...], with_synchronizers: bool) -> None:
        self.stack = stack
        self.with_synchronizers = with_synchronizers
        """it lists the locks of java.util.concurrent that the thread owns"""
        self.addresses = addresses
        """those that all threads of this form have; empty where each has its own"""
        self.is_kept = False
        """whether it has its text, and can be compared"""
        self.pieces: tuple[tuple[bytes, int], ...] = ()
        """the texts that an address follows, and their lengths"""
        self.width = 0
        """characters of an address"""
        self.last = b""
        """the text behind the last address, with the quote that begins the next thread"""

    def keep(self, text: bytes) -> None:
        """Keep the text of a thread of this form."""
        found = list(_ADDRESS.finditer(text))
        widths = {len(address[0]) for address in found}
        at = 0
        if len(widths) == 1 and self.addresses == tuple(address[0].decode() for address in found):
            bounds = [0, *(address.end() for address in found)]
            starts = [address.start() for address in found]
            self.pieces = tuple((text[a:b], b - a) for a, b in zip(bounds, starts, strict=False))
            self.addresses = ()
            (self.width,) = widths
            at = bounds[-1]
        self.last = text[at:] + b'"'
        self.is_kept = True

    def read(self, data: bytes, at: int) -> tuple[int, tuple[bytes, ...]] | None:
        """(end, addresses) of the text at a place; None if it is of another form, or no thread begins behind it."""
        startswith = data.startswith
        width = self.width
        addresses = []
        for piece, length in self.pieces:
            if not startswith(piece, at):
                return None
            at += length
            addresses.append(data[at : at + width])
            at += width
        if not startswith(self.last, at):
            return None
        return at + len(self.last) - 1, tuple(addresses)
