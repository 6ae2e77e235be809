"""UTF8 records: symbol names by id, decoded one by one when asked for."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

from mqdiag.read.hprof.number_dict import NumberDict
from mqdiag.read.hprof.records import UTF8, Records, big_endian

PRIMITIVES = {
    "Z": "boolean",
    "C": "char",
    "F": "float",
    "D": "double",
    "B": "byte",
    "S": "short",
    "I": "int",
    "J": "long",
}
"""names in Java source by the letters of the JVM"""

MAX_NAME_BYTES = 1 << 10
"""bytes of a symbol that are read: one symbol may name everything in a dump, so its length multiplies.

Class files hold up to 65,535, but a compiler must write a class to a file, and a file's name has 255.
"""


class Names:
    """Strings of the symbol table; a symbol longer than MAX_NAME_BYTES ends with an ellipsis there."""

    def __init__(self, data: NDArray[np.uint8], records: Records, id_size: int) -> None:
        offsets, lengths = records.of(UTF8)
        whole = lengths >= id_size
        offsets, lengths = offsets[whole], lengths[whole]
        ids = big_endian(data, offsets, id_size)
        order = np.argsort(ids, kind="stable")
        self._data = data
        self._ids = ids[order]
        self._sorted_ids = self._ids.data  # a view that gives numbers of Python, which bisect compares fast
        self._starts = offsets[order] + id_size
        self._lengths = lengths[order] - id_size
        self._decoded = NumberDict[str | None]()
        self._java_names = NumberDict[str]()

    def get(self, name_id: int) -> str | None:
        """The string of an id; None when the file has no record for it."""
        if name_id not in self._decoded:
            self._decoded[name_id] = self._decode(name_id)
        return self._decoded[name_id]

    def text(self, name_id: int) -> str:
        """The string, or a placeholder that names the id."""
        found = self.get(name_id)
        return f"unknown-name@0x{name_id:x}" if found is None else found

    def java(self, name_id: int) -> str:
        """The symbol as the name of a class; see `java_name`."""
        found = self._java_names.get(name_id)
        if found is None:
            found = self._java_names[name_id] = java_name(self.text(name_id))
        return found

    def begin_with(self, name_ids: NDArray[np.uint64], character: str) -> NDArray[np.bool_]:
        """Which strings begin with an ASCII character, without decoding them; False where the file has no record."""
        found = np.zeros(name_ids.size, bool)
        if not self._ids.size:
            return found
        at = np.minimum(np.searchsorted(self._ids, name_ids), self._ids.size - 1)
        starts = self._starts[at]
        there = (self._ids[at] == name_ids) & (self._lengths[at] > 0) & (starts < self._data.size)
        found[there] = self._data[starts[there]] == ord(character)
        return found

    def learn(self, name_ids: NDArray[np.uint64]) -> None:
        """Decode many at once, which takes less time than one by one."""
        wanted = np.sort(name_ids)
        wanted = wanted[np.append(True, wanted[1:] != wanted[:-1])[: wanted.size]]
        at = np.searchsorted(self._ids, wanted)
        there = at < self._ids.size
        there[there] = self._ids[at[there]] == wanted[there]
        starts, lengths = self._starts[at[there]], self._lengths[at[there]]
        read = iter(map(self._read, starts.tolist(), lengths.tolist()))
        self._decoded.take(wanted, [next(read) if found else None for found in there.tolist()])

    def _decode(self, name_id: int) -> str | None:
        # `learn` takes a dozen numpy calls, which is ten times as long for a single name
        at = bisect_left(self._sorted_ids, name_id)
        if at == len(self._sorted_ids) or self._sorted_ids[at] != name_id:
            return None
        return self._read(self._starts.item(at), self._lengths.item(at))

    def _read(self, start: int, length: int) -> str:
        if length <= MAX_NAME_BYTES:
            return decode_modified_utf8(self._data[start : start + length].tobytes())
        return decode_modified_utf8(self._data[start : start + MAX_NAME_BYTES].tobytes()) + "…"


def decode_modified_utf8(raw: bytes) -> str:
    """Java's own UTF-8: NUL as c0 80, characters above U+FFFF as two surrogates of three bytes each."""
    try:
        if b"\xc0\x80" not in raw and b"\xed" not in raw:
            return raw.decode("utf-8")
        text = raw.replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass")
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    except UnicodeDecodeError:
        return raw.decode("utf-8", "backslashreplace")


def java_name(name: str) -> str:
    """The name as Java source writes it: `[[Lx/Y;` to `x.Y[][]`, `[B` to `byte[]`, `a/b/C` to `a.b.C`.

    The address part of a hidden class ("Toy$$Lambda$2+0x00007f…" or "/0x…") differs with every run and is cut.
    """
    dimensions = len(name) - len(name.lstrip("["))
    if dimensions:
        inner = name[dimensions:]
        if inner in PRIMITIVES:
            inner = PRIMITIVES[inner]
        elif inner.startswith("L") and inner.endswith(";"):
            inner = inner[1:-1]
        name = inner
    for mark in ("+0x", "/0x"):
        if mark in name:
            name = name[: name.index(mark)]
    return name.replace("/", ".") + "[]" * dimensions
