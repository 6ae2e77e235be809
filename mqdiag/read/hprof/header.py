"""The file header: version, id size, dump time (hprof manual, "HPROF Agent binary format")."""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from numpy.typing import NDArray

from mqdiag.errors import TAKES_ANY, InputError, empty_file
from mqdiag.read.sniff import DUMP_MAGIC
from mqdiag.text import say

if TYPE_CHECKING:
    from mqdiag.read.foreign_form import ForeignForm

_MAGIC = re.compile(rb"JAVA PROFILE (\d+\.\d+(?:\.\d+)?)\0")
_SUPPORTED = ("1.0.1", "1.0.2", "1.0.3")  # Android writes the last
_DUMP_START = b"JAVA PROFILE 1.0.2\0"
_MAX_HEADER_BYTES = 64
FIRST_MS = 946_684_800_000
"""2000-01-01: JVMs that write this format are younger; an earlier time is a count of seconds, or nonsense"""
LAST_MS = 4_102_444_800_000
"""2100-01-01"""
_SEEN_BYTES = 512
_OTHERWISE = say("take a dump with jcmd PID GC.heap_dump /path/dump.hprof; {or_else}", or_else=TAKES_ANY)


class Header(msgspec.Struct, frozen=True):
    """What the first bytes of a dump say."""

    version: str
    id_size: int
    """bytes of an object id: 4 or 8"""
    captured_at_ms: int
    """epoch milliseconds at which the dump was started; 0 when the writer did not know, or wrote no time that can be"""
    size: int
    """bytes of the header: where the first record begins"""


def parse_header(path: str, data: NDArray[np.uint8]) -> Header:
    """Read the header.

    Args:
        path: the file as the user named it, for messages.
        data: the uncompressed file, uint8.

    Raises:
        InputError: empty, not an hprof file, or one of a version or id size that does not exist.
    """
    start = bytes(data[:_MAX_HEADER_BYTES])
    if not start:
        raise empty_file(path)
    found = _MAGIC.match(start)
    if not found:
        form = _what_it_is(bytes(data[:_SEEN_BYTES]))
        problem = say(
            '{found}; expected an hprof heap dump, which begins with "JAVA PROFILE 1.0."', found=form.name
        )
        raise InputError(path, problem, hint=form.way_out, offset=0)
    version = found[1].decode()
    if version not in _SUPPORTED:
        raise InputError(
            path,
            say(
                "hprof version {version} is not known; expected {versions}",
                version=version,
                versions=" or ".join(_SUPPORTED),
            ),
            hint=say("HotSpot writes 1.0.2; convert the dump or take it with jcmd PID GC.heap_dump"),
            offset=13,
        )
    at = found.end()
    if data.size < at + 12:
        raise InputError(
            path,
            say(
                "the file ends inside its header ({size:bytes}, expected at least {least:bytes})",
                size=data.size,
                least=at + 12,
            ),
            hint=say("the dump was never written; take it again with enough free disk"),
            offset=int(data.size),
        )
    id_size = int.from_bytes(start[at : at + 4], "big")
    if id_size not in (4, 8):
        raise InputError(
            path,
            say("object ids of {id_size} bytes; expected 4 or 8", id_size=id_size),
            hint=say("the header is damaged"),
            offset=at,
        )
    millis = int.from_bytes(start[at + 4 : at + 12], "big")
    if not FIRST_MS < millis < LAST_MS:
        millis = 0
    return Header(version=version, id_size=id_size, captured_at_ms=millis, size=at + 12)


def _what_it_is(start: bytes) -> ForeignForm:
    """What a file is that does not begin as a dump does, and what to try."""
    # Here, not above: a dump is none of these.
    from mqdiag.read.foreign_form import ForeignForm, foreign_form

    form = foreign_form(start)
    if form is not None:
        return ForeignForm(form.name, form.way_out or _OTHERWISE)
    if _DUMP_START.startswith(start):
        return ForeignForm(
            say("a heap dump that was cut after {size:bytes}", size=len(start)),
            say("compare its size with that of the original, and copy it again"),
        )
    if start.startswith(DUMP_MAGIC):
        return ForeignForm(say("damaged hprof header"), _OTHERWISE)
    if b"Full thread dump" in start or re.match(rb"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\s", start):
        return ForeignForm(
            say("a thread dump or log"), say("thread dumps go to mqdiag stacks, logs to mqdiag logs")
        )
    if not start.strip(b"\0"):
        return ForeignForm(say("only zero bytes at the start"), _OTHERWISE)
    if _is_text(start):
        return ForeignForm(say("a text file"), _OTHERWISE)
    return ForeignForm(say("not a heap dump"), _OTHERWISE)


def _is_text(start: bytes) -> bool:
    """Whether bytes, of which the last character may be cut, are text in UTF-8."""
    try:
        text = getincrementaldecoder("utf-8")().decode(start)
    except UnicodeDecodeError:
        return False
    return all(character.isprintable() or character in "\t\r\n" for character in text)
