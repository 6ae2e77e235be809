"""Store folders written by hand: messages in a commit log, entries in queues, offsets in JSON with bare keys."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from pathlib import Path

QUEUE_FILE_BYTES = 20 * 50
LOG_FILE_BYTES = 4096
STORED_MS = 1_795_262_900_000


def message(position: int, topic: str, queue_id: int, offset: int, *, body: int = 20, flags: int = 0) -> bytes:
    """One message as MessageDecoder reads it."""
    hosts = b"\x7f\0\0\1\0\0\x2a\x9f"
    tail = struct.pack(">i", body) + b"b" * body + bytes([len(topic)]) + topic.encode() + struct.pack(">h", 0)
    rest = hosts + struct.pack(">q", STORED_MS + offset) + hosts + struct.pack(">iq", 0, 0) + tail
    head_bytes = 48
    return (
        struct.pack(">II", head_bytes + len(rest), 0xDAA320A7)
        + struct.pack(">iiiqqiq", 0, queue_id, 0, offset, position, flags, STORED_MS)
        + rest
    )


@dataclass
class WrittenStore:
    """A store in the making: `send` appends a message and its entry as a broker does."""

    path: Path
    log: dict[int, bytearray] = field(default_factory=dict)
    end: int = 0
    queues: dict[tuple[str, int], list[tuple[int, int, int]]] = field(default_factory=dict)
    first: dict[tuple[str, int], int] = field(default_factory=dict)
    offsets: dict[str, dict[int, int]] = field(default_factory=dict)
    newer: bool = False

    def send(self, topic: str, queue_id: int, count: int = 1, *, entry: bool = True, flags: int = 0) -> None:
        for _ in range(count):
            entries = self.queues.setdefault((topic, queue_id), [])
            offset = self.first.get((topic, queue_id), 0) + len(entries)
            data = message(self.end, topic, queue_id, offset, flags=flags)
            room = LOG_FILE_BYTES - self.end % LOG_FILE_BYTES
            if room < len(data) + 8:
                blank = struct.pack(">II", room, 0xCBD43194)
                self._put(self.end, blank)
                self.end += room
                data = message(self.end, topic, queue_id, offset, flags=flags)
            self._put(self.end, data)
            if entry:
                entries.append((self.end, len(data), 0))
            self.end += len(data)

    def _put(self, position: int, data: bytes) -> None:
        start = position - position % LOG_FILE_BYTES
        file = self.log.setdefault(start, bytearray(LOG_FILE_BYTES))
        file[position - start : position - start + len(data)] = data

    def write(self) -> Path:
        for start, data in self.log.items():
            self._file(f"commitlog/{start:020d}", bytes(data))
        for (topic, queue_id), entries in self.queues.items():
            first = self.first.get((topic, queue_id), 0)
            raw = b"".join(struct.pack(">qiq", *entry) for entry in entries)
            start = first * 20
            for place in range(0, max(len(raw), 1), QUEUE_FILE_BYTES):
                part = raw[place : place + QUEUE_FILE_BYTES].ljust(QUEUE_FILE_BYTES, b"\0")
                self._file(f"consumequeue/{topic}/{queue_id}/{start + place:020d}", part)
        table = ",".join(
            f'"{name}":' + "{" + ",".join(f"{queue}:{offset}" for queue, offset in of.items()) + "}"
            for name, of in self.offsets.items()
        )
        version = '"dataVersion":{"counter":1,"stateVersion":0,"timestamp":1},' if self.newer else ""
        self._file("config/consumerOffset.json", f'{{\n{version}"offsetTable":{{{table}}}}}'.encode())
        self._file("checkpoint", struct.pack(">q", STORED_MS) + bytes(4088))
        return self.path

    def _file(self, name: str, data: bytes) -> None:
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
