"""One opened dump, objects of it as a user names them, and a report that a notebook shows as its page."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mqdiag import graph
from mqdiag.diagnose.heap import diagnose_opened
from mqdiag.findings import Report
from mqdiag.graph.jvm import jvm_name
from mqdiag.graph.roots import ROOT_NAMES
from mqdiag.notebook.classes import Classes
from mqdiag.notebook.findings import Findings
from mqdiag.notebook.frames import consumer_frame, histogram_frame, message_frame, queue_frame
from mqdiag.notebook.graph_frames import object_frame, reference_frame, referrer_frame
from mqdiag.notebook.objects import JavaObject
from mqdiag.query import refuse_without_packages
from mqdiag.render import View, renderer

if TYPE_CHECKING:
    import pandas as pd


def open_dump(path: str | Path) -> Heap:
    """Open a heap dump, `.hprof` or `.hprof.gz`.

    The graph of references is built at once; sizes, dominators and paths when they are first asked for. A dump that
    is cut is read as far as it goes: see `Heap.complete`.

    Args:
        path: the file.

    Raises:
        InputError: it cannot be read, or is no heap dump.

    Example:
        >>> heap = open_dump("fixtures/heap/stuck-one-4.9.8/dump.hprof.gz")
        >>> for queue in heap.classes["ProcessQueue"].largest(1):
        ...     print(queue["msgCount"], list(queue["msgTreeMap"].to_python()))
        2 [0, 2401]
    """
    opened = graph.open_heap(str(path))
    opened.stays_open = True
    return Heap(opened, str(path))


class Heap:
    """A dump: its classes, objects and RocketMQ clients."""

    def __init__(self, heap: graph.Heap, name: str) -> None:
        self.graph = heap
        """the arrays below, for what is not offered here"""
        self.name = name
        """name of the file, as reports show it"""

    def __repr__(self) -> str:
        state = "" if self.complete else ", incomplete"
        return f"<heap dump of {self.object_count:,} objects{state}>"

    @property
    def complete(self) -> bool:
        """False when the file was cut or damaged and read as far as it goes, or lacks objects."""
        return self.graph.problem is None

    @property
    def object_count(self) -> int:
        """Objects of the file, class objects included, reachable or not."""
        return self.graph.count

    @property
    def reachable_bytes(self) -> int:
        """Shallow bytes of all objects that a GC root reaches."""
        return self.graph.dominance.total_bytes

    @property
    def jvm(self) -> str | None:
        """Name and version of the JVM, when its system properties are in the dump."""
        return jvm_name(self.graph)

    @cached_property
    def classes(self) -> Classes:
        """All classes by name, or by the end of it: `heap.classes["ProcessQueue"]`."""
        return Classes(self.graph)

    def object(self, object_id: int | str) -> JavaObject:
        """An object by its id.

        Args:
            object_id: a number, as in the tables, or hexadecimal text, as in reports.

        Raises:
            KeyError: the dump has no such object.
        """
        wanted = int(object_id, 16) if isinstance(object_id, str) else int(object_id)
        node = self.graph.node(wanted) if 0 < wanted < 1 << 64 else -1
        if node < 0:
            raise KeyError(f"the dump has no object with the id 0x{wanted:x}")
        return JavaObject(self.graph, node)

    def roots(self) -> Iterator[tuple[str, JavaObject]]:
        """(kind, object) of all GC roots; what frames of threads hold hangs on the thread."""
        roots = self.graph.roots
        for node, kind in zip(roots.nodes.tolist(), roots.types.tolist(), strict=True):
            yield ROOT_NAMES.get(kind, "GC root"), JavaObject(self.graph, node)

    # Many objects at once

    def texts(self, objects: Objects) -> list[str | None]:
        """Texts of many strings; None for what is no string. A text beyond 4,096 characters is cut.

        Args:
            objects: ids, or objects of this dump.
        """
        return self.graph.strings(nodes_of(self.graph, objects))

    def referrers(self, objects: Objects) -> pd.DataFrame:
        """Who refers to many objects: one pass over the dump, however many are asked for.

        Args:
            objects: ids, or objects of this dump.

        Returns:
            Columns `object_id`, `referrer_id`, `referrer_class`; only referrers that a GC root reaches.
        """
        return referrer_frame(self.graph, nodes_of(self.graph, objects))

    def objects(self) -> pd.DataFrame:
        """One row for each object of the dump, by address.

        Returns:
            Index `object_id`; columns `class`, `shallow_bytes`, `retained_bytes`, `reachable`.
        """
        return object_frame(self.graph)

    def references(self) -> pd.DataFrame:
        """One row for each reference between objects.

        Returns:
            Columns `from_id`, `field`, `to_id`; `field` is `[]` for an element of an array.
        """
        return reference_frame(self.graph)

    def sql(self, query: str, **values: str) -> pd.DataFrame:
        """The answer to a query, as `mqdiag query` gives it.

        Args:
            query: a SELECT over the tables of docs/query.md.
            values: of `$name` in it.

        Raises:
            UsageError: the query is wrong, or DuckDB is not installed.
        """
        refuse_without_packages()
        # Here, not above: this import takes DuckDB and pyarrow with it.
        from mqdiag.query.session import Session

        with Session(self.graph) as session:
            found: pd.DataFrame = session.ask(query, values).arrow().to_pandas()
        return found

    # What mqdiag says of it

    @cached_property
    def report(self) -> HeapReport:
        """The report of `mqdiag heap`."""
        return HeapReport(diagnose_opened(self.graph, self.name))

    @property
    def findings(self) -> Findings:
        """The findings of the report, worst first."""
        return Findings(self.report.findings)

    # Tables

    def histogram(self) -> pd.DataFrame:
        """Instances, shallow and retained bytes of each class name, by shallow bytes.

        Returns:
            Index `class`; columns `loaders`, `instances`, `shallow_bytes`, `retained_bytes`.
        """
        return histogram_frame(self.graph)

    def consumers(self) -> pd.DataFrame:
        """One row for each consumer of the RocketMQ remoting client.

        Returns:
            Index `object_id`; columns as `consumers` of the JSON report, settings as `config.pullBatchSize` and so on.
        """
        return consumer_frame(self.graph)

    def queues(self) -> pd.DataFrame:
        """One row for each ProcessQueue, dropped and %RETRY% ones too.

        Returns:
            Index `object_id`; columns as `queues` of the JSON report.
        """
        return queue_frame(self.graph)

    def messages(self) -> pd.DataFrame:
        """One row for each message that a GC root reaches, wherever it is held.

        Returns:
            Index `object_id`; `topic`, `queue_id`, `queue_offset`, `msg_id`, `keys`, `tags`, `body_bytes`,
            `stored_bytes`, `born_at`, `stored_at`, `started_at` (when a listener began with it), `reconsume_times`,
            `process_queue` (id of the queue that holds it, 0 where none does), `shallow_bytes`, `retained_bytes`,
            `class`. Bodies are not in it: `heap.object(object_id)["body"].to_python()` gives one.
        """
        return message_frame(self.graph)


Objects = Iterable[int | JavaObject]
"""ids, as the tables have them, or objects"""


def nodes_of(heap: graph.Heap, objects: Objects) -> NDArray[np.int32]:
    """Positions in the graph; -1 for an id that the dump has not."""
    given = [one.id if isinstance(one, JavaObject) else one for one in objects]
    return heap.index.lookup.find(np.array(given, np.uint64))


_FRAME = '<iframe sandbox style="width: 100%; height: 40em; border: 0" srcdoc="{page}"></iframe>'


class HeapReport:
    """What mqdiag says of one dump."""

    def __init__(self, report: Report) -> None:
        self.report = report
        """the values of the JSON report"""

    @property
    def findings(self) -> Findings:
        """Findings, worst first."""
        return Findings(self.report.findings)

    def __str__(self) -> str:
        return renderer("text")(self.report, View())

    def __repr__(self) -> str:
        return f"<report with {len(self.findings)} findings>"

    def _repr_html_(self) -> str:
        """The HTML report in a frame in which nothing runs."""
        page = renderer("html")(self.report, View())
        return _FRAME.format(page=html.escape(page))
