"""A thread's header line; names are untrusted text and may hold quotes, spaces and anything else."""

from __future__ import annotations

from sys import intern
from typing import NamedTuple

from mqdiag.read.stacks import patterns
from mqdiag.read.stacks.records import Stack, ThreadRecord

NO_STACK = Stack("", "", (), ())
_match = patterns.HEADER_TAIL.match
MOST_KNOWN = 200_000
"""headers that are remembered; beyond it the memory starts again, so that it stays bounded"""
_CPU, _TID = b" cpu=", b" tid="
_OBJECT_WAIT = b" in Object.wait()"
_ODD_IN_NAMES = frozenset("\n\xa0\ufeff")
"""characters that are not read as they are"""


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


class _Identity(NamedTuple):
    """What a header says of a thread apart from its times."""

    name: str
    java_id: int | None
    tid: str
    nid: int | None
    daemon: bool
    in_object_wait: bool


class _Times(NamedTuple):
    """What a header says of the times of a thread; nothing before JDK 11."""

    cpu_ms: float | None = None
    elapsed_s: float | None = None
    allocated_bytes: int | None = None


class HeaderParser:
    """Parses undecoded headers and remembers their parts: who the thread is, and its times."""

    def __init__(self) -> None:
        self._identities: dict[bytes, _Identity] = {}
        self._times: dict[bytes, _Times] = {b"": _Times()}

    def parse(self, name: bytes, tail: bytes) -> tuple[_Identity, _Times] | None:
        """The parts of a header; None if it is odd in any way.

        Args:
            name: what stands between the quotes.
            tail: what stands behind them.
        """
        before, cpu, rest = tail.partition(_CPU)
        shown, _, after = rest.partition(_TID)
        if cpu and not (shown and after):
            return None
        key = b'"'.join((name, before, after))
        identity = self._identities.get(key)
        if identity is None:
            identity = _identity(name, tail, len(before) + len(_CPU) + len(shown) if rest else None)
            if identity is None:
                return None
            if len(self._identities) >= MOST_KNOWN:
                self._identities.clear()
            self._identities[key] = identity
        times = self._times.get(shown)
        if times is None:
            times = _times(shown)
            if times is None:
                return None
            if len(self._times) >= MOST_KNOWN:
                self._times = {b"": _Times()}
            self._times[shown] = times
        return identity, times


def _identity(name: bytes, tail: bytes, times_end: int | None) -> _Identity | None:
    """Who the thread of a header is; None for a header with unusual values, or an odd name.

    Args:
        name: what stands between the quotes.
        tail: what stands behind them.
        times_end: where the times end in the tail, which the address must follow; None where it has no times.
    """
    found = patterns.RAW_HEADER_TAIL.fullmatch(tail)
    if found is None or not found["tid"].startswith(b"0x"):
        return None
    if times_end is None:
        if found["elapsed"] or found["allocated"]:
            return None
    elif found.start("tid") != times_end + len(_TID):
        return None
    whole = name + tail
    if not tail.isascii() or any(sign in whole for sign in patterns.MORE_THAN_A_THREAD):
        return None
    text = name.decode(errors="replace")
    if not _ODD_IN_NAMES.isdisjoint(text):
        return None
    nid = found["nid"] or found["os"]
    try:
        return _Identity(
            name=intern(text),
            java_id=int(found["id"]) if found["id"] else None,
            tid=intern(found["tid"].decode()),
            nid=int(nid, 0) if nid else None,
            daemon=bool(found["daemon"]),
            in_object_wait=(found["rest"] or b"").startswith(_OBJECT_WAIT),
        )
    except ValueError:
        # a native id that is not there
        return None


def _times(shown: bytes) -> _Times | None:
    """The times of a header; None for those with a decimal comma."""
    found = patterns.RAW_TIMES.fullmatch(shown)
    if found is None:
        return None
    try:
        return _Times(
            cpu_ms=float(found["cpu"]),
            elapsed_s=float(found["elapsed"]) if found["elapsed"] else None,
            allocated_bytes=int(found["allocated"]) * patterns.UNITS[found["unit"].decode()]
            if found["allocated"]
            else None,
        )
    except ValueError:
        return None
