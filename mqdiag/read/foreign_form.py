"""Well-known forms of files that mqdiag cannot read, each with what to do instead."""

from __future__ import annotations

from binascii import a2b_base64
from collections.abc import Iterator
from itertools import islice

import msgspec

from mqdiag.errors import Lack
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.text import NOTHING, Text, say

_TAKE_A_DUMP = say("take a heap dump with: jcmd PID GC.heap_dump /path/dump.hprof")
_MAKE_FROM_CORE = say(
    "make a heap dump of it on the machine and with the JDK that wrote it: jhsdb jmap --binaryheap --dumpfile"
    " dump.hprof --exe /path/to/java --core FILE"
)
_UNPACK = say("unpack it first")


class ForeignForm(msgspec.Struct, frozen=True):
    """The name of a form, and the way out; the way is empty where the file is no evidence at all."""

    name: Text
    way_out: Text
    can_hold_any: bool = False
    """whether evidence of any kind can be in it, or in what it points to"""


_LIBRARY_OR_PROGRAM = ForeignForm(say("a program or library (ELF)"), NOTHING)
_CORE = ForeignForm(say("a core file (ELF)"), _MAKE_FROM_CORE)
_ELF = b"\x7fELF"
_ELF_TYPE_AT, _ELF_CORE = 16, b"\0\4"
"""e_type, in the byte order that byte 5 tells, and ET_CORE"""
_BIG_ENDIAN = b"\2"
_TEXT_HPROF = lazy_pattern(rb"JAVA PROFILE 1\.0\.\d, created ")
_OPENJ9_CLASSIC = lazy_pattern(rb"// Version: (?:J2RE|JRE) ")

_NAMED_AS_EVIDENCE = lazy_pattern(
    r"(?i)[^/!]\.(?:log|hprof|jfr|phd)"
    r"(?:[-_.](?:\d+|gz|z|bz2|xz|zst|lz|lz4|lzo|lzma|br|sz|gpg|pgp|asc|enc|old|bak))*$"
)
"""a rotated, packed or encrypted file too"""

_PHD = ForeignForm(
    say("a portable heap dump (PHD) of OpenJ9"),
    say(
        "it has no values of fields; Eclipse Memory Analyzer opens it with the DTFJ plug-in, and mqdiag stacks reads"
        " the javacore of the same JVM: jcmd PID Dump.java"
    ),
)
_STARTS: tuple[tuple[bytes, ForeignForm], ...] = (
    (b"\x00\x12portable heap dump", _PHD),
    (b"MDMP", ForeignForm(say("a minidump of Windows"), _MAKE_FROM_CORE)),
    (
        b"FLR\0",
        ForeignForm(
            say("a recording of Java Flight Recorder"),
            say("mqdiag recording FILE reads it; it does not hold the heap: {take}", take=_TAKE_A_DUMP),
        ),
    ),
    (
        b"version https://git-lfs.github.com/spec/",
        ForeignForm(
            say("a Git LFS pointer, not the file itself"),
            say("get the file with: git lfs pull"),
            can_hold_any=True,
        ),
    ),
    (b"\xca\xfe\xba\xbe", ForeignForm(say("a Java class file"), NOTHING)),
    (b"\x89PNG", ForeignForm(say("a picture"), NOTHING)),
    (b"\xff\xd8\xff", ForeignForm(say("a picture"), NOTHING)),
    (b"GIF8", ForeignForm(say("a picture"), NOTHING)),
    (b"%PDF", ForeignForm(say("a PDF document"), NOTHING)),
    (b"7z\xbc\xaf\x27\x1c", ForeignForm(say("a 7z archive"), _UNPACK, can_hold_any=True)),
    (b"Rar!", ForeignForm(say("a RAR archive"), _UNPACK, can_hold_any=True)),
    (b"\x04\x22\x4d\x18", ForeignForm(say("lz4 data"), say("unpack it first: lz4 -d FILE"), can_hold_any=True)),
    (b"SQLite format 3", ForeignForm(say("a database"), NOTHING)),
    (b"\xd4\xc3\xb2\xa1", ForeignForm(say("a network capture"), NOTHING)),
    (b"\n\r\r\n", ForeignForm(say("a network capture"), NOTHING)),
)


_RECORD = lazy_pattern(rb"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[^\n]{0,100}?\b(?:DEBUG|INFO|WARN|ERROR)\b")
LEAST_RECORDS = 10
"""records in a text without which it only quotes a log"""
_MAIL = lazy_pattern(rb"(?i)(?:[\w-]{1,60}: [^\n]*\n|[ \t][^\n]*\n){0,200}?mime-version: ")
_ATTACHED = lazy_pattern(
    rb"(?im)^content-transfer-encoding:[ \t]*base64[^\n]*\n(?:[^\n]*[^\s][^\n]*\n){0,20}?\s*\n"
    rb"([a-z0-9+/=\r\n]{64,65536})"
)
MOST_OF_A_MAIL = 16 << 20
"""bytes in which attachments are looked for"""


def holds_records(text: bytes) -> bool:
    """Whether a text that no reader understands has records of a log in it, such as in the cells of a table."""
    return sum(1 for _ in islice(_RECORD.finditer(text), LEAST_RECORDS)) == LEAST_RECORDS


def is_mail(head: bytes) -> bool:
    """Whether a text is a mail, whose attachments are no text."""
    return _MAIL.match(head) is not None


def attachments(mail: bytes) -> Iterator[bytes]:
    """The first bytes of each part of a mail that is packed in letters."""
    for found in _ATTACHED.finditer(mail):
        letters = b"".join(found[1].split()).rstrip(b"=")
        yield a2b_base64(letters[: len(letters) // 4 * 4])


def is_unread_evidence(name: str, head: bytes) -> bool:
    """Whether a file is evidence that no reader understands: by its form, or by its name where no form tells."""
    form = foreign_form(head)
    return bool(_NAMED_AS_EVIDENCE.search(name)) if form is None else bool(form.way_out)


def lack_of(head: bytes) -> Lack | None:
    """What is lacking where a file is of a form that is known and not read; None where the file may be damaged."""
    return None if foreign_form(head) is None else "reader"


def foreign_form(head: bytes) -> ForeignForm | None:
    """The form of a file by its first bytes; None where it is none of these."""
    if head.startswith(_ELF):
        kind = head[_ELF_TYPE_AT : _ELF_TYPE_AT + 2]
        if head[5:6] != _BIG_ENDIAN:
            kind = kind[::-1]
        return _CORE if kind == _ELF_CORE else _LIBRARY_OR_PROGRAM
    if _TEXT_HPROF.match(head):
        return ForeignForm(
            say("a text dump of the hprof agent"),
            say("let the agent write the binary form: -agentlib:hprof=heap=dump,format=b"),
        )
    if _OPENJ9_CLASSIC.match(head):
        return ForeignForm(say("a classic heap dump of OpenJ9"), _PHD.way_out)
    return next((form for start, form in _STARTS if head.startswith(start)), None)
