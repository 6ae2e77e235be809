"""Thread dumps inside a recording: samples like those of jstack, with an exact time."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.errors import InputError
from mqdiag.read.jfr.chunk import Chunk
from mqdiag.read.stacks.body import BodyParser
from mqdiag.read.stacks.reader import samples_of_text
from mqdiag.read.stacks.records import Sample
from mqdiag.recordings.times import instant

EVENT = "jdk.ThreadDump"
MOST_DUMPS = 200
"""thread dumps of one recording that are read; a day at one a minute has more, and the last ones matter most"""


def dumps_in(chunk: Chunk, path: str, bodies: BodyParser) -> Iterator[tuple[int, Sample]]:
    """(nanoseconds of the epoch, sample) of each thread dump of a chunk; a damaged one is left out."""
    records = chunk.events(EVENT)
    if records is None:
        return
    for at_ns, text in zip(records.nanoseconds("startTime").tolist(), records.texts("result"), strict=True):
        if not text:
            continue
        try:
            found = samples_of_text(path, text, bodies)
        except InputError:
            continue
        for sample in found:
            sample.captured_at = instant(at_ns)
            yield at_ns, sample
