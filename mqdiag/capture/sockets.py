"""The connections of a process, as /proc shows them, written as `ss -tnp` prints them.

They tie the sessions of a database, by the client's port, to the process that has them.
"""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Iterator

from mqdiag.capture.target import PROC, Target
from mqdiag.lazy_pattern import lazy_pattern

FILE = "sockets.txt"
MOST = 20_000
_HEAD = "State  Recv-Q Send-Q Local Address:Port Peer Address:Port Process\n"
_INODE = lazy_pattern(r"socket:\[(\d{1,20})\]$")
_ESTABLISHED = "01"
"""state in /proc/net/tcp; include/net/tcp_states.h of Linux"""
_LEAST_FIELDS = 10


def sockets_of(target: Target) -> bytes:
    """The established connections of a process; nothing where /proc does not show them."""
    own = set(_inodes(target.pid))
    rows: list[str] = []
    for name in ("tcp", "tcp6"):
        try:
            lines = (PROC / str(target.pid) / "net" / name).read_text().splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            fields = line.split()
            if len(fields) < _LEAST_FIELDS or fields[3] != _ESTABLISHED or fields[9] not in own:
                continue
            rows.append(
                f"ESTAB  0      0      {_end(fields[1])} {_end(fields[2])}"
                f' users:(("java",pid={target.inner_pid},fd=0))\n'
            )
    return (_HEAD + "".join(rows[:MOST])).encode() if rows else b""


def _inodes(pid: int) -> Iterator[str]:
    """The numbers of its sockets."""
    folder = PROC / str(pid) / "fd"
    try:
        names = os.listdir(folder)
    except OSError:
        return
    for name in names:
        try:
            found = _INODE.match(os.readlink(folder / name))
        except OSError:
            continue
        if found:
            yield found[1]


def _end(text: str) -> str:
    """An address as /proc/net/tcp writes it: words of 32 bits in the host's order, and the port."""
    address, _, port = text.partition(":")
    words = [int(address[at : at + 8], 16) for at in range(0, len(address), 8)]
    data = struct.pack(f"={len(words)}I", *words)
    if len(words) == 1:
        return f"{socket.inet_ntop(socket.AF_INET, data)}:{int(port, 16)}"
    return f"[{socket.inet_ntop(socket.AF_INET6, data)}]:{int(port, 16)}"
