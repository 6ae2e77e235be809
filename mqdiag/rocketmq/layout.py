"""What one version family calls the things that were renamed or added over the years."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mqdiag.graph.heap import Heap


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A tell-tale field: the family is recognised by its structure, never by a version string."""

    class_suffix: str
    """class name after the client's package root, such as ".client.impl.consumer.ProcessQueue\""""
    field: str

    def is_in(self, heap: Heap, root: str) -> bool:
        """True when a loaded class of the client has the field."""
        rows = heap.classes.indices_named(root + self.class_suffix)
        return any(heap.classes.has_field(row, self.field) for row in rows)


@dataclass(frozen=True, kw_only=True)
class Layout:
    """A version family: its parent's names, and what differs from them.

    `names` maps a role ("ProcessQueue.in_flight") to the Java field that plays it.
    """

    name: str
    source: str
    """where it was read: tag and files"""
    marks: tuple[Mark, ...]
    names: Mapping[str, str] = field(default_factory=dict)
    parent: Layout | None = None

    def candidates(self, role: str) -> tuple[str, ...]:
        """Names of a role, this family's first, then the older ones.

        The older ones serve objects of a second, older client under the same package name, and families
        that were recognised as the nearest only.
        """
        own = (self.names[role],) if role in self.names else ()
        return own + (() if self.parent is None else self.parent.candidates(role))

    def matches(self, heap: Heap, root: str) -> bool:
        """True when all marks of this family are there."""
        return all(mark.is_in(heap, root) for mark in self.marks)

    def is_or_extends(self, name: str) -> bool:
        """True for the family of this name and all newer ones."""
        return self.name == name or (self.parent is not None and self.parent.is_or_extends(name))
