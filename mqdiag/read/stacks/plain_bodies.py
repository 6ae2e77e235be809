"""The undecoded lines below a thread's header: known ones are compared, piece by piece, and not hashed or copied.

Two threads at the same work differ in the addresses of their locks alone. So the text between the addresses is
remembered, and the next thread with the same text gives its addresses by their places.
"""

from __future__ import annotations

from collections.abc import Callable

from mqdiag.read.stacks import patterns
from mqdiag.read.stacks.body_form import BodyForm
from mqdiag.read.stacks.header import NO_STACK, HeaderParser
from mqdiag.read.stacks.records import Stack

MOST_TEXT = 4 << 20
"""bytes of text that are remembered; those of the other forms are known by their hash, so that memory stays bounded"""
MOST_ALIKE = 32
"""forms of one length that are tried one after the other"""
MOST_KNOWN = 200_000
"""hashes that are remembered; beyond it the memory starts again, so that it stays bounded"""
PlainBody = tuple[BodyForm, tuple[int, tuple[bytes, ...]]]
"""the form of what stands below a header; where the next thread begins, and the addresses that the form leaves open"""


class PlainBodies:
    """Finds the form of what stands below headers.

    Args:
        parse: gives the parts of a text, as `BodyParser.parse_block` does; asked for the first text of each form.
    """

    def __init__(self, parse: Callable[[str], tuple[Stack | None, tuple[str, ...], str, bool]]) -> None:
        self._parse = parse
        self.headers = HeaderParser()
        """for the lines above the bodies"""
        self._by_length: dict[int, list[BodyForm]] = {}
        """addresses are of one width, so all texts of a form have one length"""
        self._kept_bytes = 0
        self._by_hash: dict[tuple[int, int], BodyForm] = {}
        """the forms whose text is not kept"""

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
            if len(self._by_hash) >= MOST_KNOWN:
                self._by_hash.clear()
            self._by_hash[key] = known
        return known, (end, ())

    def _parsed(self, text: bytes) -> BodyForm | None:
        if not (text.endswith(b"\n") and text.isascii()) or any(
            sign in text for sign in patterns.MORE_THAN_A_THREAD
        ):
            return None
        body = text.decode()
        stack, addresses, gap, with_synchronizers = self._parse(body)
        if (gap and not gap.isspace()) or body.count(patterns.STATE_MARK) > 1:
            return None
        return BodyForm(stack or NO_STACK, addresses, with_synchronizers)


def decoded(addresses: tuple[bytes, ...]) -> tuple[str, ...] | None:
    """Addresses as text; None if one of them is odd."""
    for address in addresses:
        if not (address.startswith(b"0x") and address.isalnum()):
            return None
    return tuple([address.decode() for address in addresses])
