"""Names that events of a chunk give by key: threads, classes, stacks."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mqdiag.read.hprof.names import PRIMITIVES
from mqdiag.read.jfr.chunk import Chunk
from mqdiag.read.jfr.distinct import distinct
from mqdiag.read.jfr.pools import Pool
from mqdiag.read.jfr.program import UnknownTypeError
from mqdiag.recordings.places import LOST, Places

NO_STACK = 0
"""place of the stack of an event that has none"""
MOST_FRAMES = 256
"""frames of one stack that are read; JFR's own default is 64"""


Steps = tuple[Callable[["Chunk", "Constants"], None], ...]
"""what a collector does with a chunk"""


class ThreadKey(NamedTuple):
    """A thread as the whole recording knows it."""

    name: str
    java_id: int
    os_id: int


class Constants:
    """What the events of one chunk name.

    Args:
        chunk: to read them from.
        places: of the recording, to which its stacks are added.
    """

    def __init__(self, chunk: Chunk, places: Places) -> None:
        self._chunk = chunk
        self._places = places
        self._threads: dict[int, ThreadKey] = {}
        self._stacks: dict[int, int] = {0: NO_STACK}
        self._methods: dict[int, str] = {}
        self._classes: dict[int, str | None] = {}

    def thread(self, key: int) -> ThreadKey:
        """A thread; without a name where the constant is lost."""
        if key not in self._threads:
            self._threads[key] = self._read_thread(key)
        return self._threads[key]

    def threads(self) -> list[ThreadKey]:
        """All threads that the chunk names; the JVM names each one that lives."""
        pool = self._chunk.constants_of("java.lang.Thread")
        return [] if pool is None else [self.thread(key) for key in pool.keys.tolist()]

    def class_name(self, key: int) -> str | None:
        """A class as Java writes it: "java.lang.Object", "byte[]"."""
        if key not in self._classes:
            raw = self._symbol_of(self._chunk.constants_of("java.lang.Class"), "name", key)
            self._classes[key] = None if raw is None else readable_class(raw)
        return self._classes[key]

    def loader_classes(self, keys: NDArray[np.int64]) -> list[str | None]:
        """The class of each class loader; None for the JVM's own."""
        pool = self._chunk.constants_of("jdk.types.ClassLoader")
        if pool is None or not len(pool.records) or not pool.records.has("type"):
            return [None] * len(keys)
        rows = pool.rows_of(keys)
        kinds = np.where(rows < 0, 0, pool.records.integers("type")[np.maximum(rows, 0)])
        return [self.class_name(kind) if kind else None for kind in kinds.tolist()]

    def text(self, type_name: str, key: int) -> str | None:
        """The only text of a constant of a simple type, such as the name of a collector."""
        kind, pool = self._chunk.type_named(type_name), self._chunk.constants_of(type_name)
        if kind is None or pool is None or not kind.fields:
            return None
        row = pool.row(key)
        return None if row < 0 else pool.text(kind.fields[0].name, row)

    def stacks(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """int64[keys]: the place of each stack."""
        first, number = distinct(keys)
        own = keys[first].tolist()
        missing = np.array([key for key in own if key not in self._stacks], np.int64)
        if len(missing):
            self._read_stacks(missing)
        return np.array([self._stacks[key] for key in own], np.int64)[number]

    def _read_thread(self, key: int) -> ThreadKey:
        pool = self._chunk.constants_of("java.lang.Thread")
        row = -1 if pool is None else pool.row(key)
        if pool is None or row < 0:
            return ThreadKey("", 0, 0)
        name = pool.text("javaName", row) or pool.text("osName", row) or ""
        return ThreadKey(name, pool.integer("javaThreadId", row), pool.integer("osThreadId", row))

    def _read_stacks(self, keys: NDArray[np.int64]) -> None:
        pool = self._chunk.constants_of("jdk.types.StackTrace")
        self._stacks |= dict.fromkeys(keys.tolist(), NO_STACK)
        if pool is None or not pool.records.has("frames"):
            return
        rows = pool.rows_of(keys)
        keys, rows = keys[rows >= 0], rows[rows >= 0]
        starts, counts = (column[rows] for column in pool.records.array("frames"))
        counts = np.minimum(counts, MOST_FRAMES)
        try:
            frames = self._chunk.elements(pool.records.columns["frames"].field, starts, counts)
        except UnknownTypeError:
            return
        methods, lines = frames.integers("method"), frames.integers("lineNumber")
        first, number = distinct(methods, lines)
        pairs = zip(methods[first].tolist(), lines[first].tolist(), strict=True)
        known = [_frame(self._method(method), line) for method, line in pairs]
        texts = [known[frame] for frame in number.tolist()]
        at = 0
        for key, count in zip(keys.tolist(), counts.tolist(), strict=True):
            self._stacks[key] = self._places.add(tuple(texts[at : at + count]))
            at += count

    def _method(self, key: int) -> str:
        if key not in self._methods:
            pool = self._chunk.constants_of("jdk.types.Method")
            row = -1 if pool is None else pool.row(key)
            if pool is None or row < 0:
                self._methods[key] = LOST
            else:
                owner = self.class_name(pool.integer("type", row)) or "?"
                name = self._symbol(pool.integer("name", row)) or "?"
                self._methods[key] = f"{owner}.{name}"
        return self._methods[key]

    def _symbol_of(self, pool: Pool | None, column: str, key: int) -> str | None:
        row = -1 if pool is None else pool.row(key)
        if pool is None or row < 0:
            return None
        return self._symbol(pool.integer(column, row))

    @cached_property
    def _symbols(self) -> Pool | None:
        return self._chunk.constants_of("jdk.types.Symbol")

    def _symbol(self, key: int) -> str | None:
        row = -1 if self._symbols is None else self._symbols.row(key)
        return None if self._symbols is None or row < 0 else self._symbols.text("string", row)


def _frame(method: str, line: int) -> str:
    return f"{method}(line {line})" if line > 0 and method != LOST else method


def readable_class(raw: str) -> str:
    """A class by the JVM's name for it: "[B" is "byte[]", "[Ljava/lang/String;" is "java.lang.String[]"."""
    depth = len(raw) - len(raw.lstrip("["))
    inner = raw[depth:]
    if depth and inner.startswith("L") and inner.endswith(";"):
        inner = inner[1:-1]
    elif depth:
        inner = PRIMITIVES.get(inner, inner)
    # a hidden class ends in a slash and a number
    head, slash, tail = inner.rpartition("/")
    if slash and tail.isdecimal():
        return f"{head.replace('/', '.')}/{tail}" + "[]" * depth
    return inner.replace("/", ".") + "[]" * depth
