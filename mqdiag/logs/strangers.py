"""Connections that do not speak RocketMQ's protocol: their first four bytes are taken for the length of a frame.

Source: NettyDecoder, LengthFieldBasedFrameDecoder of netty ("Adjusted frame length exceeds MOST: LENGTH - discarded",
where LENGTH is the first four bytes as a number, and four).
"""

from __future__ import annotations

import re

from mqdiag.logs.log_tally import LogTally
from mqdiag.logs.message import Message

LENGTH_FIELD_BYTES = 4
_TOO_LONG = re.compile(r"Adjusted frame length exceeds \d{1,12}: (\d{1,12}) - discarded")
_HTTP = (b"GET ", b"POST", b"HEAD", b"PUT ", b"OPTI", b"CONN", b"DELE", b"PATC")
_HTTP_2 = b"PRI "
_TLS_HANDSHAKE = b"\x16\x03"
_REMOTE_DESKTOP = b"\x03\x00\x00"


def too_long(message: Message, log: LogTally) -> None:
    """A frame that netty did not read, because of its length."""
    found = _TOO_LONG.search(message.text)
    if found is None:
        return
    protocol = _protocol(int(found[1]) - LENGTH_FIELD_BYTES)
    if protocol is None:
        return  # a message may really be that long
    log.add(f"foreign-{protocol}", message, side="broker")


def _protocol(number: int) -> str | None:
    """What begins with these bytes; None where it is nothing that is known."""
    if not 0 <= number < 1 << 32:
        return None
    first = number.to_bytes(LENGTH_FIELD_BYTES, "big")
    if first == _HTTP_2:
        return "grpc"
    if first in _HTTP:
        return "http"
    if first.startswith(_TLS_HANDSHAKE):
        return "tls"
    return "remote-desktop" if first.startswith(_REMOTE_DESKTOP) else None
