"""Whether a text is a document around a log or a report: a ticket, a page, a mail, a table or a file of XML.

Whoever wrote it may have quoted anything. A line or two above a log that somebody pasted make no document of it.
"""

from __future__ import annotations

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.alone import OWN_TIME
from mqdiag.read.crash.recognise import HEADS
from mqdiag.read.csv_rows import rows_of
from mqdiag.read.foreign_form import is_mail
from mqdiag.read.logs.prose import LEAST_SENTENCES, is_sentence

LEAST_ROWS = 10
"""records of a log in one cell of a table; of an export each cell has one record"""
_FENCES = (b"```", b"{code", b"{noformat")
_PAGE = lazy_pattern(rb"(?i)\s*<(?:!DOCTYPE html|html|head|body)\b")
_XML = lazy_pattern(
    rb"\s*<(?:\?xml |(?!(?:pre|code|div|p|span|br|b|i|a|font)\b)[a-z][\w-]{0,40}>\s*<[a-z][\w-]{0,40}>)"
)
_XML_OF_A_LOGGER = lazy_pattern(rb"logger\.dtd|<log>|<record>|log4j|<Events?\b")
_HEADERS = lazy_pattern(rb"(?i)(?:[\w-]{1,40}: [^\n]{0,1000}\n|[ \t][^\n]{0,1000}\n){1,100}\r?\n")
_OF_A_MAIL = (b"from: ", b"subject: ")
_HEAD_OF_TABLE = lazy_pattern(
    rb"[\"\xef\xbb\xbf]{0,4}[A-Za-z_@][\w \"@.-]{0,60}(?:[,;][\w \"@.-]{1,60}){1,60}\r?\n"
)
_TITLE = lazy_pattern(rb"(?:#{1,6}|h[1-6]\.) \w")
_FIRST_CHARACTERS = 8 << 10


def is_document(head: bytes) -> bool:
    """Whether a text is such a document.

    Args:
        head: its first bytes, as they are.
    """
    begins = head.lstrip()[:1]
    if begins == b"<":
        return _PAGE.match(head) is not None or (
            _XML.match(head) is not None and _XML_OF_A_LOGGER.search(head, 0, _FIRST_CHARACTERS) is None
        )
    if any(fence in head for fence in _FENCES) and _sentences_around_fences(head) >= LEAST_SENTENCES:
        return True
    if begins.isdigit() or begins == b"[":
        return False  # most logs
    return is_mail(head) or _has_headers_of_a_mail(head) or _has_long_cells(head)


def _sentences_around_fences(head: bytes) -> int:
    """Sentences and titles before, between and behind fenced parts."""
    count = fences = 0
    for line in head.split(b"\n"):
        if line.lstrip().startswith(_FENCES):
            fences += 1
        elif fences % 2 == 0:
            count += is_sentence(line) or _TITLE.match(line) is not None
    return count if fences else 0


def _has_headers_of_a_mail(head: bytes) -> bool:
    found = _HEADERS.match(head)
    if found is None:
        return False
    lines = found[0].lower().split(b"\n")
    return all(any(line.startswith(name) for line in lines) for name in _OF_A_MAIL)


def _has_long_cells(head: bytes) -> bool:
    """Whether a cell of a table of comma-separated values holds many records."""
    if _HEAD_OF_TABLE.match(head) is None:
        return False
    import csv  # few texts begin as a table

    try:
        cells = [cell for row in rows_of(head.decode(errors="replace")) for cell in row]
    except csv.Error:
        return False
    return any(_is_long(cell) for cell in cells if cell.count("\n") >= LEAST_ROWS)


def _is_long(cell: str) -> bool:
    """Whether a text holds many records, or a report of a crash."""
    timed = sum(OWN_TIME.match(line) is not None for line in cell.split("\n"))
    return timed >= LEAST_ROWS or any(head in cell for head in HEADS)
