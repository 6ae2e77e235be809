"""SQL functions that tell about the object of an id: where a join goes through all objects, they look it up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa

from mqdiag.graph import Heap
from mqdiag.graph.object_graph import Nodes
from mqdiag.graph.plain import plain_value
from mqdiag.query.arrow_arrays import number_array, text_array, words_array
from mqdiag.query.hidden import hidden
from mqdiag.query.object_columns import ids, texts


class Function(msgspec.Struct, frozen=True):
    """One of them: it takes an id, null gives null."""

    result: str
    """DuckDB's name of the type"""
    about: str
    of: Callable[[Heap, Nodes, bool], Any]
    """an Arrow array for some objects, -1 for none; True hides texts of the application"""


def _text(heap: Heap, nodes: Nodes, hide: bool) -> Any:
    strings = np.isin(heap.class_index(nodes), heap.classes.indices_named("java.lang.String"))
    said = texts(heap, np.where(strings, nodes, -1).astype(np.int32))
    said = (hidden(said) if hide else said).cast(pa.string())
    others = np.flatnonzero(~strings & (nodes >= 0))
    if not others.size:
        return said
    found = said.to_pylist()
    for place in others.tolist():
        value = plain_value(heap, int(nodes[place]))
        found[place] = None if value is None else str(value)
    return text_array(found)


def _class(heap: Heap, nodes: Nodes, hide: bool) -> Any:
    rows, places = np.unique(heap.class_index(nodes), return_inverse=True)
    names = text_array([heap.classes.names[row] if row >= 0 else None for row in rows.tolist()])
    return words_array(places, names).dictionary_decode()


def _shallow(heap: Heap, nodes: Nodes, hide: bool) -> Any:
    return number_array(heap.shallow_sizes(nodes), pa.int64(), nodes < 0)


def _retained(heap: Heap, nodes: Nodes, hide: bool) -> Any:
    return number_array(heap.retained_sizes(nodes), pa.int64(), nodes < 0)


def _dominator(heap: Heap, nodes: Nodes, hide: bool) -> Any:
    return ids(heap, heap.dominators(nodes))


FUNCTIONS = {
    "text": Function(
        "VARCHAR",
        "text of a string, name of an enum constant, value of a box; null for any other object",
        _text,
    ),
    "class_of": Function("VARCHAR", "name of its class", _class),
    "shallow_of": Function("BIGINT", "bytes of the object itself", _shallow),
    "retained_of": Function("BIGINT", "retained bytes", _retained),
    "dominator_of": Function("UBIGINT", "id of the nearest object that alone keeps it alive", _dominator),
}


def callables(heap: Heap, hide: bool) -> dict[str, Callable[[Any], Any]]:
    """The functions as DuckDB calls them: arrays of ids in, arrays of results out."""

    def called(function: Function) -> Callable[[Any], Any]:
        def call(given: Any) -> Any:
            wanted = given.combine_chunks() if isinstance(given, pa.ChunkedArray) else given
            numbers = wanted.fill_null(0).to_numpy(zero_copy_only=False)
            return function.of(heap, heap.index.lookup.find(np.ascontiguousarray(numbers, np.uint64)), hide)

        return call

    return {name: called(function) for name, function in FUNCTIONS.items()}
