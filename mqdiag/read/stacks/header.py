"""A thread's header line; names are untrusted text and may hold quotes, spaces and anything else."""

from __future__ import annotations

from sys import intern

from mqdiag.read.stacks import patterns
from mqdiag.read.stacks.records import Stack, ThreadRecord

NO_STACK = Stack("", "", (), ())
_match = patterns.HEADER_TAIL.match


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
