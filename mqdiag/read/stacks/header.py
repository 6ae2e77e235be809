"""A thread's header line; names are untrusted text and may hold quotes, spaces and anything else."""

from __future__ import annotations

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
LONGEST_KNOWN = 400
"""bytes of a header that is remembered; those of a JVM take 200"""
_TID = b" tid="
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

    before: bytes
    """up to its times; all of it where it has none, as before JDK 11"""
    after: bytes
    """behind its times"""
    timed: bool
    java_id: int | None
    tid: str
    nid: int | None
    daemon: bool
    in_object_wait: bool
    name: str
    form: BodyForm | None = None
    """of what stood below it, where that can be compared"""


_Times = tuple[float | None, float | None, int | None]
"""milliseconds of CPU time, seconds since the thread began, bytes that it allocated"""
_NO_TIMES: _Times = (None, None, None)


class HeaderParser:
    """Parses undecoded headers and remembers their parts: who the thread is, and its times."""

    def __init__(self) -> None:
        self._known: dict[bytes, KnownHeader] = {}
        """by name, the last header of a thread of that name"""
        self._times: dict[bytes, _Times] = {}

    def parse(self, name: bytes, tail: bytes) -> tuple[KnownHeader, _Times] | None:
        """The parts of a header; None if it is odd in any way.

        Args:
            name: what stands between the quotes.
            tail: what stands behind them.
        """
        known = self._known.get(name)
        if known is None or not (
            tail.startswith(known.before) and tail.endswith(known.after)
            if known.timed
            else tail == known.before
        ):
            known = _known(name, tail)
            if known is None:
                return None
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            self._known[name] = known
        if not known.timed:
            return known, _NO_TIMES
        shown = tail[len(known.before) : len(tail) - len(known.after)]
        times = self._times.get(shown)
        if times is None:
            times = _times(shown)
            if times is None:
                return None
            if len(self._times) >= MOST_TIMES:
                self._times.clear()
            self._times[shown] = times
        return known, times


def _known(name: bytes, tail: bytes) -> KnownHeader | None:
    """The header of a thread that is not known yet; None for one with unusual values, or an odd name."""
    found = patterns.RAW_HEADER_TAIL.fullmatch(tail)
    if found is None:
        return None
    java_id, os_id, daemon, cpu, elapsed, allocated, _, tid, nid, rest = found.groups()
    whole = name + tail
    if len(whole) > LONGEST_KNOWN or b'"' in tail or not tail.isascii():
        return None
    for sign in patterns.MORE_THAN_A_THREAD:
        if sign in whole:
            return None
    text = name.decode(errors="replace")
    if not tid.startswith(b"0x") or _is_odd(text):
        return None
    if cpu is None and (elapsed or allocated):
        return None
    nid = nid or os_id
    try:
        return KnownHeader(
            tail if cpu is None else tail[: found.start("cpu")],
            b"" if cpu is None else tail[found.start("tid") - len(_TID) :],
            cpu is not None,
            int(java_id) if java_id else None,
            intern(tid.decode()),
            int(nid, 0) if nid else None,
            daemon is not None,
            rest is not None and rest.startswith(_OBJECT_WAIT),
            intern(text),
        )
    except ValueError:
        # a native id that is not there
        return None


def _is_odd(name: str) -> bool:
    """Whether a name has a line break, or a character that is not read as it is."""
    return "\n" in name or "\xa0" in name or "\ufeff" in name


def _times(shown: bytes) -> _Times | None:
    """The times of a header; None for those with a decimal comma."""
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
