"""A thread's header line; names are untrusted text and may hold quotes, spaces and anything else."""

from __future__ import annotations

from functools import lru_cache
from sys import intern
from typing import TYPE_CHECKING

import msgspec

from mqdiag.read.stacks import patterns
from mqdiag.read.stacks.records import Stack, ThreadRecord

if TYPE_CHECKING:
    from mqdiag.read.stacks.body_form import BodyForm

NO_STACK = Stack("", "", (), ())
_match = patterns.HEADER_TAIL.match
MOST_KNOWN = 200_000
"""headers that are remembered; beyond it the memory starts again, so that it stays bounded"""
MOST_TIMES = 10_000
"""times that are remembered: threads share them within a sample, if at all"""
LONGEST_TIMES = 128
"""bytes of a header's times: those of a JVM take 100 at the most"""
USUAL_TIMES = 32
"""bytes in which no number has more digits than one of a JVM"""
LONGEST_KNOWN = 400
"""bytes of a header that is remembered; those of a JVM take 200"""
MOST_SHAPES = 1_000
"""headers, apart from their digits, that are remembered"""
_TID = b" tid="
_DIGITS = b"0123456789abcdef"
_SIGNS = tuple(sign.translate(None, _DIGITS) for sign in patterns.MORE_THAN_A_THREAD)
_OBJECT_WAIT = b" in Object.wait()"


def parse_header(line: str) -> ThreadRecord | None:
    """A thread, without its stack, of a header whose opening quote is taken off; None when it is no header.

    The last quote that a header's tail follows ends the name: a name may hold quotes, the tail holds none.
    """
    quote = line.rfind('"')
    if quote < 0:
        return None
    found = _match(line, quote + 1)
    if found is None:
        jmx = patterns.JMX_TAIL.match(line, quote + 1)
        return None if jmx is None else ThreadRecord(intern(line[:quote]), NO_STACK, (), int(jmx["id"]))
    java_id, os_id, daemon, cpu, elapsed, allocated, unit, tid, nid, rest = found.groups()
    # names and addresses come again in every sample of a series: one copy serves all
    return ThreadRecord(
        intern(line[:quote]),
        NO_STACK,
        (),
        None if java_id is None else int(java_id),
        intern(tid),
        _number(nid) if nid is not None else (None if os_id is None else int(os_id)),
        daemon is not None,
        False,
        None if cpu is None else _decimal(cpu),
        None if elapsed is None else _decimal(elapsed),
        None if allocated is None else int(allocated) * patterns.UNITS[unit],
        in_object_wait=rest is not None and rest.startswith(" in Object.wait()"),
    )


def is_header(line: str) -> bool:
    """Whether a line (opening quote taken off) ends as a header does."""
    quote = line.rfind('"')
    return quote >= 0 and (
        patterns.HEADER_TAIL.match(line, quote + 1) is not None
        or patterns.JMX_TAIL.match(line, quote + 1) is not None
    )


def _number(text: str) -> int | None:
    if text == "NA":
        return None
    return int(text, 16) if text.startswith("0x") else int(text)


def _decimal(text: str) -> float:
    """JVMs under some locales write a decimal comma."""
    try:
        return float(text)
    except ValueError:
        return float(text.replace(".", "").replace(",", ".")) if "," in text else 0.0


class KnownHeader(msgspec.Struct, gc=False):
    """The header of a thread, and what it says apart from its times."""

    begin: bytes
    """from the quote before its name up to its times; the whole line where it has none, as before JDK 11"""
    begin_size: int
    end: bytes
    """behind its times, with the line's end"""
    end_size: int
    timed: bool
    java_id: int | None
    tid: str
    nid: int | None
    daemon: bool
    in_object_wait: bool
    name: str
    times_size: int
    """bytes of its times when they were read last"""
    place: int = 0
    """in `HeaderParser.order`"""
    form: BodyForm | None = None
    """form of what stood below it, where that can be compared"""
    raw: tuple[bytes, ...] = ()
    """the addresses that stood below it"""
    addresses: tuple[str, ...] = ()
    """the same as text"""

    def is_at(self, data: bytes, at: int, following: int) -> bool:
        """Whether a line says the same, apart from its times."""
        # they cannot overlap: before its times a header has no "tid="
        return data.startswith(self.begin, at) and data.startswith(self.end, following - self.end_size)


_Times = tuple[float | None, float | None, int | None]
"""milliseconds of CPU time, seconds since the thread began, bytes that it allocated"""
_NO_TIMES: _Times = (None, None, None)
PlainHeader = tuple[KnownHeader, _Times, int]
"""a header, its times, and where the next line begins"""


class HeaderParser:
    """Parses undecoded headers and remembers their parts: who the thread is, and its times."""

    def __init__(self) -> None:
        self._known: dict[bytes, KnownHeader] = {}
        """by name and Java id, the last header of that thread"""
        self._order: list[KnownHeader] = []
        """all of them as they came: the next sample has most threads in the same order"""
        self._next = 0
        """place of the header that is expected"""
        self._times: dict[bytes, _Times] = {}

    def read(self, data: bytes, at: int) -> PlainHeader | None:
        """The header at a place, where the quote before a name stands; None if it is odd, or its line may go on."""
        order = self._order
        place = self._next
        if place >= len(order) or not data.startswith((known := order[place]).begin, at):
            return self._unexpected(data, at)
        self._next = place + 1
        start = at + known.begin_size
        if not known.timed:
            return known, _NO_TIMES, start
        end = start + known.times_size
        if not data.startswith(known.end, end):
            end = data.find(_TID, start, start + LONGEST_TIMES)
            if end < 0 or not data.startswith(known.end, end):
                return self._unexpected(data, at)
            known.times_size = end - start
        shown = data[start:end]
        times = self._times.get(shown) or self._parsed_times(shown)
        return None if times is None else (known, times, end + known.end_size)

    def _unexpected(self, data: bytes, at: int) -> PlainHeader | None:
        """The same for a header that does not follow the one before it in the earlier sample, or has changed."""
        name_end = data.find(b'"', at + 1)
        line_end = data.find(b"\n", name_end)
        if name_end < 0 or line_end < 0:
            return None
        following = line_end + 1
        # several threads may have one name, but only one has the number behind it
        number_end = data.find(b" ", name_end + 2, line_end)
        who = data[at : number_end if number_end >= 0 else line_end]
        known = self._known.get(who)
        if known is None or not known.is_at(data, at, following):
            new = _known(data[at + 1 : name_end], data[name_end + 1 : line_end])
            if new is None:
                return None
            self._remember(who, new, known)
            known = new
        self._next = known.place + 1
        if not known.timed:
            return known, _NO_TIMES, following
        shown = data[at + known.begin_size : following - known.end_size]
        times = self._times.get(shown) or self._parsed_times(shown)
        return None if times is None else (known, times, following)

    def _remember(self, who: bytes, new: KnownHeader, known: KnownHeader | None) -> None:
        """Remember a header, in place of the one that its thread had before."""
        if known is not None and known.tid == new.tid:
            new.place = known.place
            self._order[new.place] = new
        else:
            # another thread, even if one of that name and id is known from another JVM
            if len(self._order) >= MOST_KNOWN:
                self._known.clear()
                self._order.clear()
            new.place = len(self._order)
            self._order.append(new)
        self._known[who] = new

    def _parsed_times(self, shown: bytes) -> _Times | None:
        times = _times(shown)
        if times is not None:
            if len(self._times) >= MOST_TIMES:
                self._times.clear()
            self._times[shown] = times
        return times


def _known(name: bytes, tail: bytes) -> KnownHeader | None:
    """The header of a thread that is not known yet; None for one with unusual values, or an odd name."""
    found = patterns.RAW_HEADER_TAIL.fullmatch(tail)
    if found is None:
        return None
    java_id, os_id, daemon, cpu, elapsed, allocated, _, tid, nid, rest = found.groups()
    whole = name + tail
    if len(whole) > LONGEST_KNOWN or b'"' in tail or not tail.isascii():
        return None
    if not _is_only_a_thread(whole.translate(None, _DIGITS)):
        return None
    text = name.decode(errors="replace")
    if not tid.startswith(b"0x") or _is_odd(text):
        return None
    if cpu is None and (elapsed or allocated):
        return None
    nid = nid or os_id
    begin, end, times_size = b'"' + name + b'"' + tail + b"\n", b"", 0
    if cpu is not None:
        times_at, end_at = found.start("cpu"), found.start("tid") - len(_TID)
        begin, end = b'"' + name + b'"' + tail[:times_at], tail[end_at:] + b"\n"
        times_size = end_at - times_at
    try:
        return KnownHeader(
            begin,
            len(begin),
            end,
            len(end),
            cpu is not None,
            int(java_id) if java_id else None,
            tid.decode(),
            int(nid, 0) if nid else None,
            daemon is not None,
            rest is not None and rest.startswith(_OBJECT_WAIT),
            text,
            times_size,
        )
    except ValueError:
        # a native id that is not there
        return None


@lru_cache(MOST_SHAPES)
def _is_only_a_thread(letters: bytes) -> bool:
    """Whether no sign of more than a thread can be in a header; it may say no of one that has none.

    Args:
        letters: what is left of it without hexadecimal digits, the same for most threads of a pool.
    """
    return not any(sign in letters for sign in _SIGNS)


def _is_odd(name: str) -> bool:
    """Whether a name has a line break, or a character that is not read as it is."""
    return "\n" in name or "\xa0" in name or "\ufeff" in name


def _times(shown: bytes) -> _Times | None:
    """The times of a header; None for those with a decimal comma."""
    if len(shown) <= USUAL_TIMES and shown.translate(None, b"0123456789") == b".ms elapsed=.s":
        # most are of this form; whole numbers are read five times as fast as others, and divided exactly
        cpu, _, elapsed = shown.partition(b"ms elapsed=")
        if cpu[-3:-2] == elapsed[-4:-3] == b"." and elapsed.endswith(b"s"):
            return int(cpu.replace(b".", b"")) / 100, int(elapsed[:-1].replace(b".", b"")) / 100, None
    found = patterns.RAW_TIMES.fullmatch(shown)
    if found is None:
        return None
    cpu, elapsed, allocated, unit = found.groups()
    try:
        return (
            float(cpu),
            float(elapsed) if elapsed else None,
            int(allocated) * patterns.UNITS[unit.decode()] if allocated else None,
        )
    except ValueError:
        return None
