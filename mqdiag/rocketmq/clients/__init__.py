"""The kinds of consumers, one module each; a module of this folder is found by being here.

A module has a `KIND` with a name, its traits and the library that reads it. Kinds of the remoting client share one
(`rocketmq/remoting.py`); a module for another client, such as the gRPC one, brings its own.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar

import msgspec

from mqdiag.facts.heap import ClientInstance, ConsumerFacts, QueueFacts
from mqdiag.facts.heap_classes import KindTraits
from mqdiag.facts.heap_threads import MessageInHand
from mqdiag.facts.vocabulary import ClientKind
from mqdiag.graph.heap import Heap, Nodes
from mqdiag.text import Text


class ConsumerReading(msgspec.Struct, frozen=True, kw_only=True):
    """One consumer, complete but for its retained size."""

    retaining: Nodes
    """int32: the set whose retained size is the consumer's"""
    workers: Nodes
    """int32: threads whose frames do not count as holders of that set"""
    facts: Callable[[int | None], ConsumerFacts]
    """its facts, from its retained bytes"""


class ClientPart(msgspec.Struct, frozen=True, kw_only=True):
    """What was read of the objects of one client under one package root."""

    consumers: list[ConsumerReading]
    queues: list[QueueFacts]
    process_queues: int
    instances: list[ClientInstance]
    messages: Nodes
    """int32: all message objects of the file, reachable or not"""
    bodies: Nodes
    """int32: the array with the body of each, -1 for none"""
    queued: Nodes
    """int32: messages in the maps of queues"""
    requested: Nodes
    """int32: messages in the requests of executors"""
    in_hand: dict[int, MessageInHand] = msgspec.field(default_factory=dict)
    """by thread node: the message that a worker is processing"""
    unknown: dict[str, Text] = msgspec.field(default_factory=dict)


class Kind:
    """A kind of consumer."""

    name: ClassVar[ClientKind]
    """as reports name it, "push" """
    traits: ClassVar[KindTraits]

    @staticmethod
    def library(heap: Heap, kinds: Sequence[Kind]) -> list[ClientPart]:
        """Read all clients of the heap whose consumers are of these kinds."""
        raise NotImplementedError


def kinds() -> Iterator[Kind]:
    """One for each module of this folder, by its file name."""
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda module: module.name):
        kind: Kind = importlib.import_module(f"{__name__}.{module.name}").KIND
        yield kind


def read_clients(heap: Heap) -> list[ClientPart]:
    """Read a heap with every library that a kind brings."""
    by_library: dict[Callable[[Heap, Sequence[Kind]], list[ClientPart]], list[Kind]] = {}
    for kind in kinds():
        by_library.setdefault(kind.library, []).append(kind)
    return [part for library, own in by_library.items() for part in library(heap, own)]
