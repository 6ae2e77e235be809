"""What one file says of heaps: a dump, the several dumps that the hprof agent writes, or a class histogram."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from mqdiag.config import Settings
from mqdiag.errors import InputError
from mqdiag.facts import HeapFacts, Input
from mqdiag.facts.heap_classes import ClassRow
from mqdiag.progress import Progress
from mqdiag.read.open.squeezed import unpacked_head
from mqdiag.read.sniff import DUMP_MAGIC, HEAD_BYTES, Content, content_of, packing_of
from mqdiag.text import Text, say

if TYPE_CHECKING:
    from mqdiag.read.class_histogram import ClassHistogram

MOST_DUMPS = 8
"""heap dumps of one file that are read"""
_WORDS = (b"class name", "class name".encode("utf-16-le"), "class name".encode("utf-16-be"))
"""in the head of every class histogram; most texts need not be decoded"""
_COUNTS_ONLY = say("a class histogram has counts only")
_UNKNOWN = ("reachability", "retained sizes", "consumers", "process_queues")


def read_heaps(
    path: Path,
    settings: Settings,
    *,
    quick: bool,
    name: str,
    progress: Progress,
    max_inflated: int | None = None,
    memory_bytes: int | None = None,
) -> list[tuple[Input, HeapFacts]]:
    """Each dump of a file as far as it goes, in the order of the file.

    Raises:
        InputError: nothing of it can be read.
    """
    if _has_histogram(path):
        return [read_histogram(path, settings, name)]
    # Here, not above: a histogram needs no numpy.
    from mqdiag.diagnose.heap_facts import read_heap

    found: list[tuple[Input, HeapFacts]] = []
    dumps = 1
    unread: Text | None = None
    while len(found) < dumps:
        number = len(found)
        if number == MOST_DUMPS:
            unread = say(
                "the file holds {dumps:count} dumps; the first {read:count} were read",
                dumps=dumps,
                read=number,
            )
            break
        try:
            given, facts, further = read_heap(
                path,
                settings,
                quick=quick,
                name=name,
                progress=progress,
                max_inflated=max_inflated,
                memory_bytes=memory_bytes,
                number=number,
            )
        except InputError as error:
            if not found:
                raise
            unread = say(
                "dump {number} of the file cannot be read: {problem}", number=number + 1, problem=error.problem
            )
            break
        dumps = further + 1
        own_name = name if not number else f"{name}#{number + 1}"
        found.append((msgspec.structs.replace(given, path=own_name), facts))
    if unread is not None:
        given, facts = found[0]
        found[0] = given, msgspec.structs.replace(facts, unknown={**facts.unknown, "further dumps": unread})
    return found


def is_histogram(inner_head: bytes) -> bool:
    """Whether a file is a class histogram, by its first bytes, unpacked."""
    if not any(word in inner_head for word in _WORDS) or content_of(inner_head) is not Content.TEXT:
        return False
    # Here, not above: a dump needs neither.
    from mqdiag.read.class_histogram import is_class_histogram
    from mqdiag.read.paste import decoded

    return is_class_histogram(decoded(inner_head))


def _has_histogram(path: Path) -> bool:
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
        if packing_of(head) is not None:
            # a packed dump is told by what its few first bytes hold
            head = unpacked_head(head)
            if not head.startswith(DUMP_MAGIC):
                from mqdiag.read.open.door import first_of

                _, head = first_of(str(path), HEAD_BYTES)
        return is_histogram(head)
    except OSError:
        return False  # the reader of dumps says why


def read_histogram(path: Path, settings: Settings, name: str) -> tuple[Input, HeapFacts]:
    """Counts of classes as the facts of a heap without a graph.

    Raises:
        InputError: not one row can be read.
    """
    # Here, not above: a dump needs none of them.
    from mqdiag.read.class_histogram import read_class_histogram
    from mqdiag.read.healing import healed
    from mqdiag.read.open.door import as_far_as_they_go, members
    from mqdiag.read.stacks.decode import TextPieces

    ended: list[Text] = []
    lines = (
        line
        for label, chunks in members(str(path))
        for text in TextPieces(
            label, healed(as_far_as_they_go(chunks, lambda problem, _: ended.append(problem)))
        )
        for line in text.split("\n")
    )
    histogram = read_class_histogram(name, lines)
    problem = histogram.problem or (ended[0] if ended else None)
    given = Input(
        path=name,
        kind="histogram",
        format="class histogram",
        bytes=path.stat().st_size,
        complete=problem is None,
        problem=problem,
    )
    return given, _facts(histogram, settings)


def _facts(histogram: ClassHistogram, settings: Settings) -> HeapFacts:
    # Here, not above: thread dumps and logs are read without the names of RocketMQ's classes.
    from mqdiag.rocketmq.counted import counted_objects

    classes = tuple(
        ClassRow(
            name=one.name,
            loaders=one.loaders,
            instances=one.instances,
            shallow_bytes=one.shallow_bytes,
        )
        for one in histogram.classes
    )
    return HeapFacts(
        objects=None,
        shallow_bytes=None,
        unreachable_objects=None,
        unreachable_bytes=None,
        file_objects=sum(one.instances for one in histogram.classes),
        file_shallow_bytes=sum(one.shallow_bytes for one in histogram.classes),
        heap_bytes=settings.heap_limit,
        heap_bytes_source=None if settings.heap_limit is None else "option",
        classes=classes,
        counted=counted_objects(classes),
        unknown=dict.fromkeys(_UNKNOWN, _COUNTS_ONLY),
    )
