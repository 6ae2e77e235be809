"""Strings and collections as the JDK lays them out, written into a dump.

Field names and their classes are those of OpenJDK 8 and 17 (java.base, java/lang and java/util); only what a reader
can meet is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tests.writers.hprof_records import BOOLEAN, BYTE, CHAR, INT, OBJECT
from tests.writers.hprof_writer import DumpWriter, JavaClass

Entry = tuple[int, int]
"""ids of key and value"""
_MOVED = -1
"""ConcurrentHashMap.MOVED, hash of a ForwardingNode"""
_TREE_BIN = -2
"""ConcurrentHashMap.TREEBIN"""


@dataclass(slots=True)
class JavaObjects:
    """Objects of one JDK, 8 or 17."""

    dump: DumpWriter
    jdk: int = 17

    # java.lang

    def string(self, text: str, *, compact: bool = True) -> int:
        """A java.lang.String; `compact` False is -XX:-CompactStrings of JDK 9 and newer."""
        if self.jdk < 9:
            value = self.dump.primitive_array(CHAR, text.encode("utf-16-be", "surrogatepass"))
            return self.dump.instance(self._string_class(), value=value, hash=0)
        narrow = compact and all(ord(char) < 256 for char in text)
        # The second byte order is the JVM's own, little on x86.
        body = text.encode("latin-1") if narrow else text.encode("utf-16-le", "surrogatepass")
        value = self.dump.primitive_array(BYTE, body)
        return self.dump.instance(self._string_class(), value=value, coder=0 if narrow else 1)

    def _string_class(self) -> JavaClass:
        if self.jdk < 9:
            return self.dump.known("java/lang/String", value=OBJECT, hash=INT)
        return self.dump.known("java/lang/String", value=OBJECT, hash=INT, coder=BYTE, hashIsZero=BOOLEAN)

    def string_of_jdk_6(self, chars: str, offset: int, count: int) -> int:
        """A substring that shares its array: java.lang.String before JDK 7u6."""
        layout = self.dump.known("java/lang/String", value=OBJECT, offset=INT, count=INT, hash=INT)
        value = self.dump.primitive_array(CHAR, chars.encode("utf-16-be"))
        return self.dump.instance(layout, value=value, offset=offset, count=count)

    def boxed(self, number: int) -> int:
        """A java.lang.Integer."""
        return self.dump.instance(
            self.dump.known("java/lang/Integer", "java/lang/Number", value=INT), value=number
        )

    def thread(self, name: str) -> int:
        """A java.lang.Thread."""
        return self.dump.instance(self.dump.known("java/lang/Thread", name=OBJECT), name=self.string(name))

    # java.util

    def array_list(self, items: Sequence[int], capacity: int | None = None) -> int:
        """A java.util.ArrayList with room behind its items."""
        dump = self.dump
        dump.known("java/util/AbstractList", modCount=INT)
        layout = dump.known("java/util/ArrayList", "java/util/AbstractList", elementData=OBJECT, size=INT)
        room = [0] * max((capacity or len(items)) - len(items), 0)
        data = dump.object_array(self._objects(), [*items, *room])
        return dump.instance(layout, elementData=data, size=len(items))

    def linked_list(self, items: Sequence[int]) -> int:
        """A java.util.LinkedList."""
        dump = self.dump
        layout = dump.known(
            "java/util/LinkedList", "java/util/AbstractList", size=INT, first=OBJECT, last=OBJECT
        )
        node = dump.known("java/util/LinkedList$Node", item=OBJECT, next=OBJECT, prev=OBJECT)
        links = self._chain(node, items)
        return dump.instance(
            layout, size=len(items), first=links[0] if links else 0, last=links[-1] if links else 0
        )

    def linked_blocking_queue(self, items: Sequence[int]) -> int:
        """A java.util.concurrent.LinkedBlockingQueue: the head is a dummy node without an item."""
        dump = self.dump
        name = "java/util/concurrent/LinkedBlockingQueue"
        layout = dump.known(
            name, "java/util/AbstractQueue", capacity=INT, count=OBJECT, head=OBJECT, last=OBJECT
        )
        links = self._chain(dump.known(f"{name}$Node", item=OBJECT, next=OBJECT), [0, *items])
        return dump.instance(layout, capacity=2**31 - 1, head=links[0], last=links[-1])

    def hash_map(self, entries: Iterable[Entry], *, bins: int = 16, tree: bool = False) -> int:
        """A java.util.HashMap; with `tree` every bin is a tree of TreeNodes, linked by `next` as well."""
        dump = self.dump
        dump.known("java/util/AbstractMap", keySet=OBJECT, values=OBJECT)
        layout = dump.known(
            "java/util/HashMap", "java/util/AbstractMap",
            table=OBJECT, entrySet=OBJECT, size=INT, modCount=INT, threshold=INT, loadFactor=INT,
        )  # fmt: skip
        node = dump.known("java/util/HashMap$Node", hash=INT, key=OBJECT, value=OBJECT, next=OBJECT)
        if tree:
            dump.known("java/util/LinkedHashMap$Entry", "java/util/HashMap$Node", before=OBJECT, after=OBJECT)
            node = dump.known(
                "java/util/HashMap$TreeNode", "java/util/LinkedHashMap$Entry",
                parent=OBJECT, left=OBJECT, right=OBJECT, prev=OBJECT, red=BOOLEAN,
            )  # fmt: skip
        pairs = list(entries)
        table = self._bins(node, pairs, bins, "value")
        array = dump.object_array(dump.known("[Ljava/util/HashMap$Node;"), table)
        return dump.instance(layout, table=array, size=len(pairs))

    def concurrent_hash_map(
        self, entries: Iterable[Entry], *, bins: int = 16, moved: Iterable[Entry] = (), tree: bool = False
    ) -> int:
        """A java.util.concurrent.ConcurrentHashMap.

        Args:
            entries: (key, value) in the table.
            bins: length of the table.
            moved: entries that a resize has taken to the next table already; one ForwardingNode stands for them.
            tree: whether each bin is a TreeBin.
        """
        dump = self.dump
        name = "java/util/concurrent/ConcurrentHashMap"
        layout = dump.known(
            name, "java/util/AbstractMap", table=OBJECT, nextTable=OBJECT, baseCount=INT, sizeCtl=INT
        )
        node = dump.known(f"{name}$Node", hash=INT, key=OBJECT, val=OBJECT, next=OBJECT)
        table = self._bins(node, list(entries), bins, "val")
        if tree:
            tree_bin = dump.known(f"{name}$TreeBin", f"{name}$Node", root=OBJECT, first=OBJECT, waiter=OBJECT)
            table = [
                dump.instance(tree_bin, hash=_TREE_BIN, root=first, first=first) if first else 0
                for first in table
            ]
        arrays, following = dump.known(f"[L{name}$Node;"), 0
        pairs = list(moved)
        if pairs:
            following = dump.object_array(arrays, self._bins(node, pairs, 2 * bins, "val"))
            forwarding = dump.known(f"{name}$ForwardingNode", f"{name}$Node", nextTable=OBJECT)
            table[table.index(0)] = dump.instance(forwarding, hash=_MOVED, nextTable=following)
        return dump.instance(layout, table=dump.object_array(arrays, table), nextTable=following)

    def tree_map(self, entries: Sequence[Entry]) -> int:
        """A java.util.TreeMap, balanced; the entries are in the order of their keys."""
        dump = self.dump
        layout = dump.known(
            "java/util/TreeMap", "java/util/AbstractMap", comparator=OBJECT, root=OBJECT, size=INT
        )
        entry = dump.known(
            "java/util/TreeMap$Entry",
            key=OBJECT, value=OBJECT, left=OBJECT, right=OBJECT, parent=OBJECT, color=BOOLEAN,
        )  # fmt: skip

        def build(part: Sequence[Entry]) -> int:
            if not part:
                return 0
            middle = len(part) // 2
            key, value = part[middle]
            left, right = build(part[:middle]), build(part[middle + 1 :])
            made = dump.instance(entry, key=key, value=value, left=left, right=right)
            for child in (left, right):
                if child:
                    dump.set(child, parent=made)
            return made

        return dump.instance(layout, root=build(entries), size=len(entries))

    def wrapped(self, class_name: str, field: str, inner: int) -> int:
        """A collection around another one, such as java/util/Collections$SynchronizedMap with field m."""
        return self.dump.instance(self.dump.known(class_name, **{field: OBJECT}), **{field: inner})

    def _objects(self) -> JavaClass:
        return self.dump.known("[Ljava/lang/Object;")

    def _chain(self, node: JavaClass, items: Sequence[int]) -> list[int]:
        """Nodes linked by `next`."""
        links = [self.dump.instance(node, item=item) for item in items]
        for link, after in pairwise(links):
            self.dump.set(link, next=after)
        return links

    def _bins(self, node: JavaClass, entries: list[Entry], bins: int, value_field: str) -> list[int]:
        """Entries spread over a table, those of one bin linked by `next`."""
        table = [0] * bins
        for number, (key, value) in enumerate(entries):
            at = number % max(bins // 2, 1)  # half of the bins stay empty
            table[at] = self.dump.instance(node, hash=number, key=key, next=table[at], **{value_field: value})
        return table
