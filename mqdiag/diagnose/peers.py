"""Whom a thread waits for: address and timeout of its call, read from the objects that its frames hold.

Which classes know it is data: `[[peer]]` in the files of libraries.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property

import msgspec

from mqdiag.facts.heap_threads import Peer
from mqdiag.graph import Heap
from mqdiag.graph.threads import ThreadRecord
from mqdiag.knowledge.library import PeerFields, Peers
from mqdiag.knowledge.library_files import part_of_all
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.threads.doing import REMOTE_WAITS
from mqdiag.threads.stack_meaning import meaning_of_frames

MOST_STEPS = 3
"""fields that are followed from a local variable"""
MOST_OBJECTS = 400
"""that are looked at for one thread"""
MOST_THREADS = 5_000
LONGEST = 500
"""characters of an address; a hostile dump may hold a long one"""
_SECRETS = lazy_pattern(r"(?i)\b((?:\w*pass\w*|pwd|\w*secret\w*|\w*token|\w*key|sign\w*|user\w*)=)[^&;,\s]*")
_LOGIN = lazy_pattern(r"(?<=//)[^/@\s]{1,300}@")
_BARE = lazy_pattern(r"[a-z+.-]{1,20}://[^/?]+")
"""a URL without a path"""
_AUTHORITY = lazy_pattern(r"://(?P<host>[^/:?;,]{1,300})(?::(?P<port>\d{1,5})\b)?")


class PeerReader:
    """Reads the other sides of calls from one heap dump."""

    def __init__(self, heap: Heap) -> None:
        self._heap = heap
        self._rows: dict[int, tuple[PeerFields, ...]] = {}
        self._read = 0

    def of(self, record: ThreadRecord, state: str | None) -> Peer | None:
        """The peer of a thread that waits for another process in a call of the application."""
        if not record.locals or not record.frames or self._read >= MOST_THREADS:
            return None
        meaning = meaning_of_frames(record.frames, state)
        library = meaning.library
        waits = meaning.doing in REMOTE_WAITS or (library is not None and library.family is not None)
        if meaning.idle or not meaning.waits or meaning.own_index < 0 or not waits:
            return None
        self._read += 1
        told = _Told(self._heap, self)
        for frame in range(meaning.own_index + 1):
            held = record.locals.get(frame)
            for node in () if held is None else held.tolist():
                told.look(node, self._heap.class_name(node), MOST_STEPS)
        return told.peer()

    def fields_of(self, node: int) -> tuple[PeerFields, ...]:
        """What is known of the class of an object, or of a class above it."""
        row = int(self._heap.index.rows[node])
        known = self._rows.get(row)
        if known is None:
            classes = self._heap.classes
            names = (classes.names[above] for above in classes.ancestors(row))
            known = next((tuple(self._fields[name]) for name in names if name in self._fields), ())
            self._rows[row] = known
        return known

    @cached_property
    def _fields(self) -> dict[str, list[PeerFields]]:
        """What is known of each class; most dumps have no thread that asks."""
        fields: dict[str, list[PeerFields]] = defaultdict(list)
        for file in part_of_all(Peers).values():
            for one in file.peer:
                for name in one.classes:
                    fields[name].append(one)
        return fields


class _Told(msgspec.Struct):
    """What the objects of one thread tell; what stands nearer to the wait counts."""

    heap: Heap
    reader: PeerReader
    seen: set[int] = msgspec.field(default_factory=set)
    urls: dict[str, str] = msgspec.field(default_factory=dict)
    """the classes that told them"""
    values: dict[str, str | int] = msgspec.field(default_factory=dict)
    socket: str = ""
    """the class that told the host"""

    def look(self, node: int, name: str, steps: int) -> None:
        """Take what an object tells, and those that it leads to; `name` is the class of the one that a frame holds."""
        if node < 0 or node in self.seen or len(self.seen) >= MOST_OBJECTS:
            return
        self.seen.add(node)
        for fields in self.reader.fields_of(node):
            self._take(node, name, fields)
            for field in fields.follow if steps else ():
                self.look(self.heap.ref(node, field), name, steps - 1)

    def _take(self, node: int, name: str, fields: PeerFields) -> None:
        texts = {
            key: self._text(node, getattr(fields, key)) for key in ("url", "scheme", "host", "path", "method")
        }
        host = texts["host"] or self._ipv4(node, fields.ipv4)
        port = self._number(node, fields.port)
        url = texts["url"]
        if url is None and texts["scheme"] and host:
            url = f"{texts['scheme']}://{host}{f':{port}' if port else ''}{texts['path'] or ''}"
        if url is not None and url.startswith("/"):
            self.values.setdefault("path", url)
        elif url is not None:
            self.urls.setdefault(url, name)
        elif texts["path"]:
            self.values.setdefault("path", texts["path"])
        if host and "host" not in self.values:
            self.socket = name
        timeout_ms = self._number(node, fields.timeout_ms, zero=True)
        found = {"host": host, "port": port, "method": texts["method"], "timeout_ms": timeout_ms}
        for key, value in found.items():
            if value is not None:
                self.values.setdefault(key, value)

    def peer(self) -> Peer | None:
        """All of it together; None where no object told an address."""
        host, port = self.values.get("host"), self.values.get("port")
        path = str(self.values.get("path", ""))
        # the one that says most: a URL with its path before one of a host alone
        url = max(self.urls, key=lambda one: ("://" in one, _BARE.fullmatch(one) is None), default=None)
        source = self.socket if url is None else self.urls[url]
        if url is None:
            if host is None:
                return None
            url = f"{host}:{port}" if port else str(host)
        elif path and _BARE.fullmatch(url):
            url += path if path.startswith("/") else f"/{path}"
        named = _AUTHORITY.search(_LOGIN.sub("", url))
        if host is None and named is not None:
            host, port = named["host"], int(named["port"]) if named["port"] else None
        timeout_ms, method = self.values.get("timeout_ms"), self.values.get("method")
        return Peer(
            url=_shown(url),
            host=None if host is None else _shown(str(host)),
            port=port if isinstance(port, int) else None,
            method=method if isinstance(method, str) and method.isalpha() and len(method) < 10 else None,
            timeout_ms=timeout_ms if isinstance(timeout_ms, int) else None,
            source=source,
        )

    def _text(self, node: int, paths: tuple[str, ...]) -> str | None:
        for path in paths:
            end = self.heap.ref(node, path)
            text = self.heap.string(end) if end >= 0 else None
            if text and text.isprintable():
                return text[: 4 * LONGEST]
        return None

    def _number(self, node: int, paths: tuple[str, ...], *, zero: bool = False) -> int | None:
        """The first number that is not negative, which stands for none."""
        for path in paths:
            number = self.heap.number(node, path)
            if number is not None and (number > 0 or (zero and number == 0)):
                return number
        return None

    def _ipv4(self, node: int, paths: tuple[str, ...]) -> str | None:
        for path in paths:
            number = self.heap.number(node, path)
            if number is not None:
                return ".".join(str(number >> shift & 255) for shift in (24, 16, 8, 0))
        return None


def _shown(address: str) -> str:
    """An address without a login, and without the part behind "?", which holds what the application asked for."""
    return _LOGIN.sub("", _SECRETS.sub(r"\1…", address.partition("?")[0]))[:LONGEST]
