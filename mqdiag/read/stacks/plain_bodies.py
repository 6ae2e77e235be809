"""The undecoded lines below a thread's header: known ones are compared, piece by piece, and not hashed or copied.

Two threads at the same work differ in the addresses of their locks alone. So the text between the addresses is
remembered, and the next thread with the same text gives its addresses by their places.
"""

from __future__ import annotations

from sys import intern

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.stacks import patterns
from mqdiag.read.stacks.body import CACHE_LIMIT, BodyParser
from mqdiag.read.stacks.header import NO_STACK, HeaderParser
from mqdiag.read.stacks.records import Stack

MOST_TEXT = 4 << 20
"""bytes of text that are remembered; those of the other forms are known by their hash, so that memory stays bounded"""
MOST_ALIKE = 32
"""forms of one length that are tried one after the other"""
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


PlainBody = tuple[BodyForm, tuple[int, tuple[bytes, ...]]]
"""the form of what stands below a header; where the next thread begins, and the addresses that the form leaves open"""


class PlainBodies:
    """Finds the form of what stands below headers.

    Args:
        parser: parses the first text of each form.
    """

    def __init__(self, parser: BodyParser) -> None:
        self._parser = parser
        self.headers = HeaderParser()
        """for the lines above the bodies"""
        self._by_length: dict[int, list[BodyForm]] = {}
        """addresses are of one width, so all texts of a form have one length"""
        self._kept_bytes = 0
        self._by_hash: dict[tuple[int, int], BodyForm] = {}
        """the forms whose text is not kept"""
        self._addresses: dict[tuple[bytes, ...], tuple[str, ...]] = {}

    def find(self, data: bytes, at: int) -> PlainBody | None:
        """What stands at a place; None if it is more than a thread's stack and blank lines, or may go on."""
        end = data.find(b'"', at)
        if end < 0:
            return None
        alike = self._by_length.get(end - at, [])
        for place, form in enumerate(alike):
            found = form.read(data, at)
            if found is not None:
                if place:
                    # most threads are near those that do the same work
                    alike.insert(0, alike.pop(place))
                return form, found
        text = data[at:end]
        key = (hash(text), len(text))
        known = self._by_hash.get(key)
        if known is None:
            known = self._parsed(text)
            if known is None:
                return None
            if len(alike) < MOST_ALIKE and self._kept_bytes + len(text) <= MOST_TEXT:
                known.keep(text)
                self._kept_bytes += len(text)
                self._by_length[len(text)] = [known, *alike]
                return self.find(data, at)
            if len(self._by_hash) >= CACHE_LIMIT:
                self._by_hash.clear()
            self._by_hash[key] = known
        return known, (end, ())

    def decoded(self, addresses: tuple[bytes, ...]) -> tuple[str, ...] | None:
        """Addresses as text; None if one of them is odd."""
        known = self._addresses.get(addresses)
        if known is None:
            if not all(address.startswith(b"0x") and address.isalnum() for address in addresses):
                return None
            if len(self._addresses) >= CACHE_LIMIT:
                self._addresses.clear()
            known = self._addresses[addresses] = tuple([intern(address.decode()) for address in addresses])
        return known

    def _parsed(self, text: bytes) -> BodyForm | None:
        if not (text.endswith(b"\n") and text.isascii()) or any(
            sign in text for sign in patterns.MORE_THAN_A_THREAD
        ):
            return None
        block = self._parser.parse_block(text.decode())
        if block.gap and not block.gap.isspace():
            return None
        return BodyForm(block.stack or NO_STACK, block.addresses, block.with_synchronizers)
