"""Compiles the kernels of redaction by redacting a tiny dump."""

from __future__ import annotations

import struct
import tempfile
from pathlib import Path

from mqdiag.redact.redact_dump import redact_dump


def warm_redaction() -> None:
    """Compile what is not kept yet."""
    with tempfile.TemporaryDirectory(prefix="mqdiag-warm-") as folder:
        original = Path(folder) / "tiny.hprof"
        original.write_bytes(_tiny_dump())
        redact_dump(original, Path(folder) / "redacted.hprof")


def _tiny_dump() -> bytes:
    """A thread with a name, whose class has no superclass, and the String behind it."""
    symbols = {1: b"java/lang/Thread", 2: b"java/lang/String", 3: b"name", 4: b"value", 5: b"hash"}
    records = [_record(0x01, struct.pack(">Q", number) + text) for number, text in symbols.items()]
    records += [_record(0x02, struct.pack(">IQIQ", number, 0x100 * number, 0, number)) for number in (1, 2)]
    heap = b"".join(
        (
            _class(0x100, struct.pack(">HQB", 1, 3, 2)),
            _class(0x200, struct.pack(">HQBQB", 2, 4, 2, 5, 10)),
            b"\x21" + struct.pack(">QIQIQ", 0x300, 0, 0x100, 8, 0x400),
            b"\x21" + struct.pack(">QIQIQI", 0x400, 0, 0x200, 12, 0x500, 7),
            b"\x23" + struct.pack(">QIIB", 0x500, 0, 4, 8) + b"main",
            b"\x23" + struct.pack(">QIIB", 0x600, 0, 6, 8) + b"secret",
        )
    )
    records += [_record(0x1C, heap), _record(0x2C, b"")]
    return b"JAVA PROFILE 1.0.2\0" + struct.pack(">IQ", 8, 0) + b"".join(records)


def _record(tag: int, body: bytes) -> bytes:
    return struct.pack(">BII", tag, 0, len(body)) + body


def _class(class_id: int, fields: bytes) -> bytes:
    return struct.pack(">BQIQQQQQQIHH", 0x20, class_id, 0, 0, 0, 0, 0, 0, 0, 12, 0, 0) + fields
