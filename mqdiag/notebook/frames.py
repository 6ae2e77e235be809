"""Tables. pandas is imported in the functions: opening a dump and walking objects works without it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from mqdiag.errors import UsageError
from mqdiag.extras import how_to_add
from mqdiag.graph import Heap
from mqdiag.graph.field_columns import Column, column
from mqdiag.graph.histogram import class_rows
from mqdiag.notebook.decode import decode
from mqdiag.notebook.objects import JavaObject
from mqdiag.read.hprof.types import BOOLEAN, CHAR, DOUBLE, FLOAT, REFERENCE
from mqdiag.rocketmq.messages import message_columns
from mqdiag.rocketmq.view import rocketmq_facts
from mqdiag.text import say

if TYPE_CHECKING:
    import pandas as pd

_TIMES = ("born_at", "stored_at", "started_at")


def import_pandas() -> Any:
    """pandas, or how to install it."""
    try:
        import pandas
    except ImportError:
        raise UsageError(how_to_add("notebook", ("pandas",))) from None
    return pandas


def instance_frame(
    heap: Heap, nodes: NDArray[np.int32], fields: Sequence[str], *, with_class: bool
) -> pd.DataFrame:
    """See `JavaClass.frame`.

    Args:
        heap: the graph.
        nodes: a row each.
        fields: paths of fields.
        with_class: add the class name.
    """
    pandas = import_pandas()
    data: dict[str, Any] = {}
    if with_class:
        data["class"] = class_names(heap, nodes)
    data |= {
        "shallow_bytes": heap.shallow_sizes(nodes),
        "retained_bytes": heap.retained_sizes(nodes),
        "reachable": heap.reachable(nodes),
    }
    for field in fields:
        found = column(heap, nodes, field)
        if nodes.size and not found.kinds.any():
            _refuse_unknown(heap, nodes, field)
        data[field] = _values(heap, found)
    return pandas.DataFrame(data, index=object_ids(heap, nodes))


def _refuse_unknown(heap: Heap, nodes: NDArray[np.int32], path: str) -> None:
    """A typing error must not become a column without values; a reference that is null everywhere may."""
    rows = np.unique(heap.index.rows[nodes])
    first = path.split(".")[0]
    if not any(heap.classes.has_field(int(row), first) for row in rows) and path != "length":
        known = list(heap.classes.field_names(int(rows[0])))
        raise UsageError(
            say(
                "{names} has no field {first}; it has: {known}",
                names=heap.classes.names[int(rows[0])],
                first=repr(first),
                known=tuple(known),
            )
        )


def class_names(heap: Heap, nodes: NDArray[np.int32]) -> Any:
    """Names of the objects' classes as categories."""
    rows, codes = np.unique(heap.index.rows[nodes], return_inverse=True)
    names = [heap.classes.names[row] for row in rows.tolist()]
    distinct = list(dict.fromkeys(names))
    places = np.array([distinct.index(name) for name in names], np.int64)
    return import_pandas().Categorical.from_codes(places[codes] if nodes.size else [], distinct)


def object_ids(heap: Heap, nodes: NDArray[np.int32]) -> Any:
    """The index of a table of objects."""
    return import_pandas().Index(heap.object_ids(nodes), name="object_id")


def _values(heap: Heap, found: Column) -> Any:
    """One column in the narrowest pandas type that tells a missing value from a number."""
    kinds = set(np.unique(found.kinds).tolist())
    present = kinds - {0}
    if present == {REFERENCE}:
        return _references(heap, found.nodes, found.kinds == 0)
    if len(present) == 1 and 0 not in kinds and CHAR not in present:
        positions, values = next(iter(found.numbers.values()))
        whole: NDArray[Any] = np.empty(found.kinds.size, values.dtype)
        whole[positions] = values
        return whole
    pandas = import_pandas()
    mixed: NDArray[Any] = np.full(found.kinds.size, None, object)
    for kind, (positions, values) in found.numbers.items():
        mixed[positions] = [chr(value) for value in values.tolist()] if kind == CHAR else values.tolist()
    if REFERENCE in present:
        at = np.flatnonzero(found.kinds == REFERENCE)
        mixed[at] = _references(heap, found.nodes[at], np.zeros(at.size, bool))
    elif present and not present & {BOOLEAN, CHAR}:
        return pandas.array(mixed, "Float64" if present & {FLOAT, DOUBLE} else "Int64")
    elif present == {BOOLEAN}:
        return pandas.array(mixed, "boolean")
    return mixed


def _references(heap: Heap, nodes: NDArray[np.int32], missing: NDArray[np.bool_]) -> NDArray[Any]:
    """Texts, enum names and boxed values where all are such; else object ids, 0 for null."""
    rows = np.unique(heap.class_index(nodes[nodes >= 0]))
    plain = {row: _is_plain(heap, row) for row in rows.tolist()}
    if rows.size and all(plain.values()):
        values: NDArray[Any] = np.full(nodes.size, None, object)
        distinct, inverse = np.unique(nodes, return_inverse=True)
        decoded = np.full(distinct.size, None, object)
        decoded[:] = [_plain(heap, node) for node in distinct.tolist()]
        values[:] = decoded[inverse]
        return values
    ids = np.zeros(nodes.size, np.uint64)
    ids[nodes >= 0] = heap.object_ids(nodes[nodes >= 0])
    if not missing.any():
        return ids
    result: NDArray[Any] = import_pandas().array(ids, "UInt64")
    result[missing] = None
    return result


_PLAIN = frozenset(
    f"java.lang.{name}"
    for name in (
        "String",
        "Boolean",
        "Byte",
        "Short",
        "Integer",
        "Long",
        "Float",
        "Double",
        "Character",
        "Enum",
    )
) | frozenset(f"java.util.concurrent.atomic.Atomic{name}" for name in ("Integer", "Long", "Boolean"))


def _is_plain(heap: Heap, row: int) -> bool:
    return any(heap.classes.names[above] in _PLAIN for above in heap.classes.ancestors(row))


def _plain(heap: Heap, node: int) -> Any:
    value = decode(heap, node, JavaObject)
    return value.text if isinstance(value, JavaObject) else value


def histogram_frame(heap: Heap) -> pd.DataFrame:
    """One row for each class name, by shallow bytes."""
    rows = [msgspec.structs.asdict(row) for row in class_rows(heap)]
    columns = ["name", "loaders", "instances", "shallow_bytes", "retained_bytes"]
    return import_pandas().DataFrame(rows, columns=columns).rename(columns={"name": "class"}).set_index("class")


def consumer_frame(heap: Heap) -> pd.DataFrame:
    """One row for each consumer; settings as `config.…`, live state as `state.…` columns."""
    rows = []
    for consumer in rocketmq_facts(heap).consumers:
        row = msgspec.structs.asdict(consumer)
        config, state = row.pop("config"), row.pop("state")
        row |= {f"config.{name}": value for name, value in config.items()}
        row |= {f"state.{name}": value for name, value in state.items()}
        rows.append(row)
    return _by_object(rows)


def queue_frame(heap: Heap) -> pd.DataFrame:
    """One row for each ProcessQueue."""
    return _by_object([msgspec.structs.asdict(queue) for queue in rocketmq_facts(heap).queues])


def _by_object(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Rows under the ids of their objects, numbers where the facts have hexadecimal texts."""
    for row in rows:
        row["object_id"] = np.uint64(int(row["object_id"], 16)) if row["object_id"] else np.uint64(0)
    frame = import_pandas().DataFrame(rows)
    return (frame if rows else frame.assign(object_id=[])).convert_dtypes().set_index("object_id")


def message_frame(heap: Heap) -> pd.DataFrame:
    """One row for each reachable message."""
    pandas = import_pandas()
    nodes, columns = message_columns(heap)
    data: dict[str, Any] = {"class": class_names(heap, nodes)}
    for name, values in columns.items():
        if name in _TIMES:
            numbers = np.asarray(values, np.int64)
            times = numbers.astype("datetime64[ms]")
            times[numbers <= 0] = np.datetime64("NaT")
            data[name] = pandas.Series(times, dtype="datetime64[ms]").dt.tz_localize("UTC").array
        elif isinstance(values, np.ndarray) and values.dtype == np.int64 and (values == heap.MISSING).any():
            data[name] = pandas.array(np.where(values == heap.MISSING, 0, values), "Int64")
            data[name][values == heap.MISSING] = None
        else:
            data[name] = values
    data["shallow_bytes"] = heap.shallow_sizes(nodes)
    data["retained_bytes"] = heap.retained_sizes(nodes)
    return pandas.DataFrame(data, index=object_ids(heap, nodes))
