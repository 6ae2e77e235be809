"""What was read of an incident, kept beside the tables: other rules and settings judge it without reading."""

from __future__ import annotations

import hashlib
import zlib
from typing import Any

import msgspec

from mqdiag.config import Settings
from mqdiag.diagnose.incident import Evidence
from mqdiag.fleet.tables.schemas import KEPT_FACTS
from mqdiag.fleet.work.tool_hash import reader_hash
from mqdiag.report_json import text_of, text_values
from mqdiag.text import Text

MOST_BYTES = 512 << 20
"""bytes that kept facts may inflate to"""


def reading_hash(settings: Settings, *, redact: bool) -> str | None:
    """What facts depend on besides the evidence; None where none are kept, as they would tell what is hidden."""
    if redact:
        return None
    told = (reader_hash(), settings.heap_limit, settings.utc_offset_minutes, settings.team)
    return hashlib.blake2b(msgspec.json.encode(told), digest_size=8).hexdigest()


def facts_path(out: str, key: str) -> str:
    """Where facts lie; 256 folders keep each of them short."""
    return f"{out}/{KEPT_FACTS}/{key[:2]}/{key}"


def packed_facts(evidence: Evidence) -> bytes:
    """The evidence as bytes; sentences keep their templates."""
    return zlib.compress(msgspec.msgpack.encode(evidence, enc_hook=_encoded), 1)


def unpacked_facts(data: bytes) -> Evidence:
    """What `packed_facts` was given.

    Raises:
        ValueError: the bytes are damaged, or of another shape.
    """
    try:
        inflater = zlib.decompressobj()
        plain = inflater.decompress(data, MOST_BYTES)
        if not inflater.eof:
            raise ValueError("kept facts are cut or too large")
        return msgspec.msgpack.decode(plain, type=Evidence, dec_hook=_decoded)
    except zlib.error as error:
        raise ValueError(str(error)) from error


def _encoded(value: object) -> Any:
    if isinstance(value, Text):
        return text_values(value)
    raise NotImplementedError(f"{type(value).__name__} is no value of facts")


def _decoded(kind: type, value: Any) -> Any:
    if kind is not Text:
        raise NotImplementedError(f"{kind.__name__} is no value of facts")
    return value if isinstance(value, Text) else text_of(value)
