"""What may stay in a shared dump, and how it is found: few references lead to the names that an operator needs.

Texts are kept by content: whatever is a topic somewhere may stay everywhere. Names of classes and fields are content
in the same way, which keeps the constants of enums.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mqdiag.progress import Progress
from mqdiag.read.hprof.block_index import BlockIndex, Ids, Places
from mqdiag.read.hprof.distinct import distinct, is_among
from mqdiag.read.hprof.field_layout import Field
from mqdiag.read.hprof.mapped import releasing
from mqdiag.read.hprof.number_table import number_table
from mqdiag.read.hprof.object_finder import ObjectFinder
from mqdiag.read.hprof.outline import Outline
from mqdiag.read.hprof.records import STACK_FRAME, big_endian
from mqdiag.read.hprof.types import INT
from mqdiag.redact.kernels.rewrite_objects import MOST_DIGITS, KeepTables, Layouts
from mqdiag.redact.kernels.text_hash import MOST_BYTES, hash_texts
from mqdiag.redact.retained_classes import RetainedClasses
from mqdiag.redact.telling_numbers import ALWAYS, is_hash_of_key
from mqdiag.rocketmq.names import names_of
from mqdiag.text import say

SYSTEM_PROPERTIES = ("java.vm.name", "java.vm.version")
_GOES, _GOES_UNLESS_KEPT = 0, 1
_HASH_MARK = 1 << 32
_CHUNK = 1 << 15
_SAMPLES = 2
"""keys read of those of one round that have the same hash: there are as many as messages"""
_MOST_ROUNDS = 1024
"""links followed in a bin of a hash table; the file may hold a circle"""


@dataclass(frozen=True, slots=True)
class Rewriting:
    """All that the rewriting kernels need to know; see `kernels.rewrite`."""

    key: tuple[np.uint64, np.uint64]
    layouts: Layouts
    kept: KeepTables
    symbols: Ids
    """ids of the symbols that are names of classes, fields, methods and source files, ascending"""


def find_kept(
    outline: Outline,
    asked: RetainedClasses,
    index: BlockIndex,
    progress: Progress,
    release: Callable[[], None],
    *,
    digits_go: bool = False,
) -> Rewriting:
    """Find what may stay.

    Args:
        outline: the dump.
        asked: the classes whose instances were asked for.
        index: its objects.
        progress: who listens.
        release: gives back what was mapped in by reading.
        digits_go: no text stays only because it has nothing but digits.
    """
    progress.phase(say("looking for names"))
    with releasing(release):
        finder = _Finder(outline, asked, index, progress, release)
        finder.threads_and_rocketmq()
        finder.system_properties()
        finder.class_and_field_names()
        return finder.rewriting(digits_go)


class _Finder:
    def __init__(
        self,
        outline: Outline,
        asked: RetainedClasses,
        index: BlockIndex,
        progress: Progress,
        release: Callable[[], None],
    ) -> None:
        self._outline, self._asked, self._index, self._progress = outline, asked, index, progress
        self._layouts = asked.layouts
        self._key = np.uint64(secrets.randbits(64)), np.uint64(secrets.randbits(64))
        self._objects = ObjectFinder(outline, asked.layouts, index, release)
        self._texts: list[Ids] = []
        self._codes: set[int] = set()
        self._bodies: list[Ids] = []

    def threads_and_rocketmq(self) -> None:
        """Names in threads and in RocketMQ's objects; keys and bodies of messages."""
        places, rows = self._index.found_at, self._index.found_rows
        carriers = distinct(self._asked.carrying[:, 0])
        for first in range(0, places.size, _CHUNK):
            chunk, of = places[first : first + _CHUNK], rows[first : first + _CHUNK]
            named = [
                self._field(chunk[of == row], row, place) for row, place, _, _ in self._asked.naming.tolist()
            ]
            self._keep_strings(np.concatenate([np.empty(0, np.uint64), *named]))
            messages = chunk[is_among(of, carriers)]
            if messages.size:
                self._messages(messages)
            self._progress.advance((first + chunk.size) / places.size)

    def _field(self, places: Places, row: int, place: int) -> Ids:
        """A reference of instances of one class."""
        id_size = self._outline.header.id_size
        data = self._outline.source.data
        whole = big_endian(data, places + 5 + 2 * id_size, 4).astype(np.int64) == self._layouts.lengths[row]
        return big_endian(data, places[whole] + 9 + 2 * id_size + place, id_size)

    def _messages(self, messages: Places) -> None:
        bodies = self._objects.references(messages, *names_of("Message.body"))
        self._bodies.append(distinct(bodies[bodies != 0]))
        maps = self._find(self._objects.references(messages, *names_of("Message.properties")))
        for nodes in self._nodes(maps):
            keys = self._objects.references(nodes, "key")
            codes = self._objects.integers(nodes, "hash")
            self._codes.update(distinct(codes[codes >= 0]).tolist())
            order = np.argsort(codes, kind="stable")
            ranks = np.arange(order.size) - np.searchsorted(codes[order], codes[order])
            self._keep_strings(keys[order[(ranks < _SAMPLES) | (codes[order] < 0)]])

    def _nodes(self, maps: Places) -> list[Places]:
        """Nodes of hash tables, round by round along their bins; for HashMap, Hashtable, ConcurrentHashMap."""
        objects = self._objects
        inner = self._find(objects.references(maps, "m", "map"))
        tables = self._find(objects.references(np.concatenate((maps, inner)), "table"))
        ids = objects.elements(tables)
        rounds = []
        for _ in range(_MOST_ROUNDS):
            if not ids.size:
                break
            nodes = self._find(ids)
            rounds.append(nodes)
            ids = np.concatenate((objects.references(nodes, "next"), objects.references(nodes, "first")))
            ids = distinct(ids[ids != 0])
        return rounds

    def _find(self, ids: Ids) -> Places:
        places = self._objects.find(distinct(ids[ids != 0]))
        return places[places >= 0]

    def _keep_strings(self, ids: Ids) -> None:
        """Keep the texts of strings; older threads have their name as a char[] without one."""
        strings = self._find(ids)
        values = self._find(self._objects.references(strings, "value"))
        self._texts.append(self._hashes(np.concatenate((strings, values))))

    def _hashes(self, places: Places) -> Ids:
        """Hash of each text; 0 where none is, or one that is too long to be kept."""
        begins, ends = self._objects.texts(places)
        chosen = (begins < ends) & (ends - begins <= MOST_BYTES)
        hashes = np.zeros(places.size, np.uint64)
        hashes[chosen] = self._hashed(self._outline.source.data, begins[chosen], ends[chosen])
        return hashes

    def _hashed(self, data: NDArray[np.uint8], begins: Places, ends: Places) -> Ids:
        hashes = np.empty(begins.size, np.uint64)
        hash_texts(data, begins, ends, *self._key, hashes)
        return hashes

    def system_properties(self) -> None:
        """Name and version of the JVM, and their keys."""
        wanted = distinct(self._of_texts(list(SYSTEM_PROPERTIES)))
        data, classes = self._outline.source.data, self._outline.classes
        for row in [row for row, name in enumerate(classes.names) if name == "java.lang.System"]:
            for at in range(int(classes.static_starts[row]), int(classes.static_starts[row + 1])):
                if self._outline.names.text(int(classes.static_names[at])) != "props":
                    continue
                place = classes.static_values[at : at + 1]
                properties = self._find(big_endian(data, place, self._outline.header.id_size))
                for nodes in self._nodes(properties):
                    keys = self._objects.find(self._objects.references(nodes, "key"))
                    texts = self._objects.find(self._objects.references(keys, "value"))
                    chosen = nodes[is_among(self._hashes(texts), wanted)]
                    self._keep_strings(self._objects.references(chosen, "value", "val"))
        self._texts.append(wanted)

    def class_and_field_names(self) -> None:
        """Names of classes, as Java and as the JVM writes them, and of fields."""
        classes, names = self._outline.classes, self._outline.names
        class_names = self._asked.class_names
        texts = {*class_names, *(name.replace(".", "/") for name in class_names)}
        ids = distinct(np.concatenate((classes.field_names, classes.static_names)))
        texts.update(filter(None, map(names.get, ids.tolist())))
        self._texts.append(self._of_texts(list(texts)))

    def _of_texts(self, texts: list[str]) -> Ids:
        """Hashes of texts as this JVM's arrays hold them."""
        encodings = ["utf-16-be"]
        if any(
            self._layouts.place(row, "coder") >= 0
            for row, name in enumerate(self._outline.classes.names)
            if name == "java.lang.String"
        ):
            encodings = ["latin-1", "utf-16-le"]
        found = [np.empty(0, np.uint64)]
        for encoding in encodings:
            encoded = [text.encode(encoding, "ignore") for text in texts]
            ends = np.cumsum([len(part) for part in encoded], dtype=np.int64)
            blob = np.frombuffer(b"".join(encoded) or b"\0", np.uint8)
            found.append(self._hashed(blob, np.concatenate(([0], ends[:-1])), ends))
        return np.concatenate(found)

    def rewriting(self, digits_go: bool) -> Rewriting:
        """All of it as tables."""
        classes = self._outline.classes
        names = classes.names
        clearing = [row for row, name in enumerate(names) if name in ALWAYS or name.startswith("java.util.")]
        fields = self._layouts.chosen(_is_cleared, clearing)
        class_keys, class_rows = number_table(classes.ids[: classes.dumped])
        codes = np.array(sorted(self._codes), np.uint64) + np.uint64(_HASH_MARK)
        return Rewriting(
            key=self._key,
            layouts=Layouts(
                class_keys=class_keys,
                class_rows=class_rows,
                lengths=self._layouts.lengths,
                field_starts=np.searchsorted(fields[:, 0], np.arange(classes.count + 1)),
                fields=np.ascontiguousarray(fields[:, 1:], np.int32),
            ),
            kept=KeepTables(
                texts=number_table(distinct(np.concatenate(self._texts)))[0],
                hash_codes=number_table(codes)[0],
                bodies=number_table(distinct(np.concatenate([np.empty(0, np.uint64), *self._bodies])))[0],
                most_digits=0 if digits_go else MOST_DIGITS,
            ),
            symbols=self._symbols(),
        )

    def _symbols(self) -> Ids:
        size = self._outline.header.id_size
        frames, lengths = self._outline.records.of(STACK_FRAME)
        frames = frames[lengths == 4 * size + 8]
        in_frames = [big_endian(self._outline.source.data, frames + part * size, size) for part in (1, 2, 3)]
        classes = self._outline.classes
        return distinct(
            np.concatenate(
                (self._outline.loaded.name_ids, classes.field_names, classes.static_names, *in_frames)
            )
        )


def _is_cleared(class_name: str, field: Field) -> int | None:
    if field.name in ALWAYS.get(class_name, ()):
        return _GOES
    return _GOES_UNLESS_KEPT if is_hash_of_key(class_name, field.name, field.kind == INT) else None
