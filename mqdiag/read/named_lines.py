"""Lines of several processes in one text, each led by the name of its pod, container or host: told apart by them.

`kubectl logs --prefix`, `docker compose logs`, `stern` and `pdsh` write such texts. A table, or a log whose lines begin
with the name of a thread, is none: behind a name stands a text that its writer would have written without the name.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import closing
from itertools import chain

import msgspec

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.alone import stands_alone
from mqdiag.read.encoding import is_wide
from mqdiag.read.healing import MAX_LINE, heal
from mqdiag.read.hosts import BEGINS_WITH_ADDRESS, BRACKETS, COLON
from mqdiag.read.logs.levels import ANY
from mqdiag.read.open.door import as_far_as_they_go, members
from mqdiag.read.stacks.decode import TextPieces
from mqdiag.read.wrappers import LEAST_LINES, NEARLY_ALL
from mqdiag.text import Text

MOST_NAMES = 256
"""processes that are told apart in one text"""
MOST_WORDS = 16 * MOST_NAMES
"""names, with those of too few lines, of which no text of processes has so many"""
MOST_BEFORE = 20
"""lines that a tool prints above the first one with a name, such as what `docker compose up` starts"""
LINES_OF_EACH = 2
"""lines for each name of a text; the first column of a table names each row once"""
_COLOUR = lazy_pattern(rb"\x1b\[[\d;]*m")
_ESCAPE = b"\x1b["


class _Form(msgspec.Struct, frozen=True):
    """How a tool writes names."""

    pattern: re.Pattern[bytes]
    is_sure: bool = False
    """whether nothing else looks like it, whatever stands behind"""
    least: int = 1
    """lines of a name; fewer are words that look like one"""


_FORMS = (
    _Form(lazy_pattern(rb"\[(?:pod|container)/(?P<name>[\w./-]{1,300})\](?: |\r?$)"), is_sure=True),
    # compose fills names up to the same width, and puts two blanks behind the longest
    _Form(
        lazy_pattern(
            rb"(?!"
            + ANY.encode()
            + rb" )(?P<name>[A-Za-z0-9](?=[\w.-]*[A-Za-z])[\w.-]{0,120}) {2,64}\|(?: |\r?$)"
        )
    ),
    # stern: a pod and a container
    _Form(
        lazy_pattern(rb"(?P<name>[a-z][a-z0-9.]{0,120}-[a-z0-9.-]{1,130} [a-z0-9][a-z0-9.-]{0,62})(?: |\r?$)"),
        least=3,
    ),
    # the tools that run a command on several hosts
    _Form(lazy_pattern(BRACKETS.encode()), least=3),
    _Form(lazy_pattern(COLON.encode()), least=3),
)


class Names(msgspec.Struct, frozen=True):
    """Whose lines a text has."""

    form: _Form
    names: frozenset[str]
    """names of the processes; more than MOST_NAMES where there are too many to tell apart"""

    @property
    def are_too_many(self) -> bool:
        """Whether there are more than are told apart."""
        return len(self.names) > MOST_NAMES

    def parted(self, chunks: Iterable[bytes]) -> Iterator[tuple[str, bytes]]:
        """Each line without the name of its process, behind that name.

        A line without a name is of the process that wrote the line above, but for what a tool says of one by its name.
        """
        before: list[bytes] = []
        current = ""
        for name, line, begin in _named(self.form, chunks):
            if name in self.names:
                assert name is not None
                current = name
            else:
                begin = 0
                subject = line.split(b" ", 1)[0].decode(errors="replace")
                if subject in self.names:
                    yield subject, line
                    continue
                if not current:
                    before.append(line)
                    continue
            yield from ((current, one) for one in before)
            before = []
            yield current, line[begin:]


def has_several(path: str, head: bytes) -> bool:
    """Whether a text may have lines of several processes, as far as two of them show it.

    Args:
        path: of a file, packed or not; of standard input the first bytes alone are looked at.
        head: first bytes of the text.
    """
    form = _form_of(head)
    if form is None:
        return False
    return _told(form, iter((head,)) if path == "-" else chunks_of(path), most=1) is not None


def names_in(path: str, head: bytes) -> Names | None:
    """The processes whose lines a text has; None where it has those of one, or nobody's.

    Args:
        path: of a file, packed or not.
        head: first bytes of the text.
    """
    form = _form_of(head)
    return None if form is None else _told(form, chunks_of(path), most=MOST_NAMES)


def chunks_of(path: str, note: Callable[[Text, int], None] = lambda _, __: None) -> Iterator[bytes]:
    """All that is in a file, or in the first one that is packed in it, as far as it goes.

    Args:
        path: of the file.
        note: told why there is no more, which the reader of a whole file tells too.

    Raises:
        InputError: not one byte can be read.
    """
    with closing(members(path)) as found:
        for _, chunks in found:
            yield from as_far_as_they_go(chunks, note)
            return


def _told(form: _Form, chunks: Iterator[bytes], most: int) -> Names | None:
    """The names of a text; those that were seen up to there where there are more than so many."""
    counts: dict[str, int] = {}
    names: set[str] = set()
    unnamed = 0
    for name, line, _ in _named(form, chunks):
        if name is None:
            unnamed += bool(line.strip())
            continue
        counts[name] = count = counts.get(name, 0) + 1
        if count == form.least:
            names.add(name)
            if len(names) > most:
                return Names(form, frozenset(names))
        if len(counts) > MOST_WORDS:
            return None
    named = sum(counts[name] for name in names)
    unnamed += sum(counts.values()) - named
    return Names(form, frozenset(names)) if len(names) > 1 and _is_most(named, named + unnamed) else None


def _is_most(count: int, of: int) -> bool:
    return count >= NEARLY_ALL * of


def _form_of(head: bytes) -> _Form | None:
    """How the lines that a text begins with are named; None where they are not, or where that is no name."""
    sample = b"".join(_plain([head])).lstrip(b"\r\n")
    begins = sample[:1].isalpha() or sample.startswith((b"[", b" "))
    if not begins and BEGINS_WITH_ADDRESS.match(sample) is None:
        return None  # most texts begin with a time
    lines = [line for line in sample.split(b"\n")[:-1] if line.strip()]
    if len(lines) < LEAST_LINES:
        return None
    for form in _FORMS:
        found = [form.pattern.match(line) for line in lines[:MOST_BEFORE]]
        first = next((at for at, one in enumerate(found) if one is not None), None)
        if first is None:
            continue
        texts: dict[bytes, list[bytes]] = {}
        for line in lines[first:]:
            one = form.pattern.match(line)
            if one is not None:
                texts.setdefault(one["name"], []).append(line[one.end() :])
        named = sum(map(len, texts.values()))
        if named < LEAST_LINES or not _is_most(named, len(lines) - first):
            continue
        if form.is_sure or (named >= LINES_OF_EACH * len(texts) and _are_texts(texts.values())):
            return form
    return None


def _are_texts(of_names: Collection[list[bytes]]) -> bool:
    """Whether a half of the names at least have a text behind them that is understood without them."""
    understood = 0
    for lines in of_names:
        text = b"\n".join((*lines, b""))
        inner = heal(text)
        understood += inner is not text or stands_alone(inner.decode(errors="replace"))
    return 2 * understood >= len(of_names)


def _named(form: _Form, chunks: Iterable[bytes]) -> Iterator[tuple[str | None, bytes, int]]:
    """Each line with the name of its process, a pod's as stern writes it, and where the line begins behind it."""
    match = form.pattern.match
    name: str | None = None
    prefix = b""
    for text in _whole_lines(_plain(chunks)):
        for line in text.splitlines(keepends=True) if b"\r" not in text else _lines(text):
            if prefix and line.startswith(prefix):
                yield name, line, len(prefix)
                continue
            found = match(line)
            if found is None:
                yield None, line, 0
                continue
            end = found.end() - (found[0][-1:] == b"\r")
            name = found["name"].decode().replace("/", " ")
            prefix = found[0] if found[0].endswith(b" ") else b""
            yield name, line, end


def _lines(text: bytes) -> list[bytes]:
    """Lines with their ends, where a CR alone is none."""
    lines = text.split(b"\n")
    return [line + b"\n" for line in lines[:-1]] + lines[-1:] * bool(lines[-1])


def _whole_lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The chunks, each up to the end of a line."""
    rest: list[bytes] = []
    size = 0
    for chunk in chunks:
        end = chunk.rfind(b"\n") + 1
        if not end and size < MAX_LINE:
            rest.append(chunk)
            size += len(chunk)
            continue
        end = end or len(chunk)
        yield b"".join((*rest, chunk[:end]))
        rest = [chunk[end:]]
        size = len(rest[0])
    if size:
        yield b"".join(rest)


def _plain(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The chunks as UTF-8 without its mark and without colours; of another encoding only that with zeros counts."""
    given = iter(chunks)
    first = next(given, b"")
    if is_wide(first):
        yield from (text.encode() for text in TextPieces("", chain((first,), given)))
        return
    is_coloured = _ESCAPE in first
    for chunk in chain((first.removeprefix(codecs.BOM_UTF8),), given):
        yield _COLOUR.sub(b"", chunk) if is_coloured else chunk
