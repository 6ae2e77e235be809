"""Tables of the whole graph: all objects, all references, referrers of many objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph import Heap
from mqdiag.graph.reference_names import ReferenceNames
from mqdiag.notebook.frames import class_names, import_pandas, object_ids

if TYPE_CHECKING:
    import pandas as pd


def object_frame(heap: Heap) -> pd.DataFrame:
    """A row for each object."""
    nodes = np.arange(heap.count, dtype=np.int32)
    columns = {
        "class": class_names(heap, nodes),
        "shallow_bytes": heap.shallow_sizes(nodes),
        "retained_bytes": heap.retained_sizes(nodes),
        "reachable": heap.reachable(nodes),
    }
    return import_pandas().DataFrame(columns, index=object_ids(heap, nodes))


def reference_frame(heap: Heap) -> pd.DataFrame:
    """A row for each reference, in the order of the objects that refer."""
    pandas = import_pandas()
    ids = heap.index.read_ids()
    known = ReferenceNames(heap)
    numbers = known.of(0, heap.count)
    # Categories must differ, and references that no field holds have none.
    named = np.array([name is not None for name in known.names])
    places = np.where(named, np.cumsum(named) - 1, -1)[numbers]
    fields = pandas.Categorical.from_codes(places, [name for name in known.names if name is not None])
    owners = np.repeat(ids, np.diff(heap.references.starts))
    return pandas.DataFrame({"from_id": owners, "field": fields, "to_id": ids[heap.references.edges]})


def referrer_frame(heap: Heap, nodes: NDArray[np.int32]) -> pd.DataFrame:
    """A row for each object and one that refers to it."""
    positions, found = heap.referrers(nodes)
    columns = {
        "object_id": heap.object_ids(nodes[positions]),
        "referrer_id": heap.object_ids(found),
        "referrer_class": class_names(heap, found),
    }
    return import_pandas().DataFrame(columns)
