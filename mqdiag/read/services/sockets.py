"""Connections of processes, as `ss -tnp` and `netstat -tnp` print them, and as `mqdiag capture` writes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mqdiag.facts.services import Socket
from mqdiag.lazy_pattern import lazy_pattern

MOST = 100_000
_HEAD = lazy_pattern(r"Local Address:Port\s+Peer Address|Local Address\s+Foreign Address")
"""part of the first line of such a list"""
_END = r"\[?([^\s\]]{1,64})\]?:(\d{1,5})"
_SS = lazy_pattern(rf"\s*(?:tcp6?\s+)?ESTAB\S*\s+\d+\s+\d+\s+{_END}\s+{_END}\s+users:\(\((.{{1,2000}})\)\)")
_USER = lazy_pattern(r'"([^"]{1,64})",pid=(\d{1,10})')
_NETSTAT = lazy_pattern(rf"\s*tcp6?\s+\d+\s+\d+\s+{_END}\s+{_END}\s+ESTABLISHED\s+(\d{{1,10}})/(\S{{1,64}})")


def is_sockets(text: str) -> bool:
    """Whether a text is such a list."""
    return _HEAD.search(text, 0, 4096) is not None


def read_sockets(source: str, lines: Sequence[str]) -> Iterator[Socket]:
    """The established connections whose process is named."""
    for line in lines[:MOST]:
        found = _SS.match(line)
        if found:
            for program, pid in _USER.findall(found[5]):
                yield _socket(source, program, pid, found.group(1, 2, 3, 4))
            continue
        found = _NETSTAT.match(line)
        if found:
            yield _socket(source, found[6], found[5], found.group(1, 2, 3, 4))


def _socket(source: str, program: str, pid: str, ends: tuple[str | None, ...]) -> Socket:
    local, local_port, remote, remote_port = (end or "" for end in ends)
    return Socket(
        pid=int(pid),
        program=program,
        local=plain(local),
        local_port=int(local_port),
        remote=plain(remote),
        remote_port=int(remote_port),
        source=source,
    )


def plain(address: str) -> str:
    """An address of version 4, where it is written as one of version 6."""
    return address.removeprefix("::ffff:")
