"""Long logs made of the real ones in `fixtures/logs`: again and again, each time later and from other ports.

python -m tests.bench.long_logs KIND MEGABYTES > broker.log
"""

from __future__ import annotations

import gzip
import re
import sys
from calendar import timegm
from collections.abc import Iterator
from functools import lru_cache
from itertools import count
from pathlib import Path
from time import gmtime, strftime, strptime

ROOT = Path(__file__).parents[2] / "fixtures" / "logs"
KINDS = {
    "broker": ("healthy-*/broker/broker.log.gz", "pool-in-order-*/broker/broker.log.gz"),
    "remoting": ("healthy-*/broker/remoting.log.gz",),
    "client": ("healthy-*/*/rocketmq_client.log.gz",),
    "application": ("*/*/application.log.gz",),
    "broken-brokers": ("*/broker/broker.log.gz", "*/broker/store*.log.gz"),
    "flood": ("power-loss-4.3.2/broker/storeerror.log.gz",),
    "store": ("*/broker/store.log.gz",),
    "gc": ("*/*/gc.log.gz",),
}
"""the logs that each kind is made of; those of the first three have a start of a process every 5 to 50 KB"""
_SECOND = "%Y-%m-%d %H:%M:%S"
_MOVES = re.compile(rb"(\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d|(?<=\d:)[3-6]\d{4}\b)")
"""times to the second, and ports of clients"""
_FIRST_PORT, _PORTS = 32_768, 28_232


def write_log(path: Path, kind: str, size: int) -> None:
    """Write a log of at least so many bytes."""
    with path.open("wb") as file:
        for block in _blocks(kind, size):
            file.write(block)


def _blocks(kind: str, size: int) -> Iterator[bytes]:
    files = sorted(file for pattern in KINDS[kind] for file in ROOT.glob(pattern))
    pieces = [_MOVES.split(gzip.decompress(file.read_bytes())) for file in files]
    written, now = 0, _seconds(b"2026-11-01 00:00:00")
    for turn in count():
        for piece in pieces:
            block, now = _later(piece, now, turn)
            yield block
            written += len(block)
            if written >= size:
                return


def _later(piece: list[bytes], begin: int, turn: int) -> tuple[bytes, int]:
    """(a real log that begins at a time, the second after its last time)."""
    moved = piece.copy()
    shift, last = None, begin
    for at in range(1, len(piece), 2):
        old = piece[at]
        if len(old) == len(b"32768"):
            moved[at] = b"%d" % (_FIRST_PORT + (int(old) + 7919 * turn) % _PORTS)
            continue
        then = _seconds(old)
        if shift is None:
            shift = begin - then
        last = max(last, then + shift)
        moved[at] = _shown(then + shift, old[10:11])
    return b"".join(moved), last + 1


@lru_cache(maxsize=100_000)
def _seconds(shown: bytes) -> int:
    return timegm(strptime(shown.decode().replace("T", " "), _SECOND))


@lru_cache(maxsize=10_000)
def _shown(seconds: int, between: bytes) -> bytes:
    return strftime(_SECOND, gmtime(seconds)).encode().replace(b" ", between)


def main() -> int:
    """Write one log to standard output."""
    if len(sys.argv) != 3 or sys.argv[1] not in KINDS:
        print(f"usage: python -m tests.bench.long_logs {'|'.join(KINDS)} MEGABYTES", file=sys.stderr)
        return 2
    for block in _blocks(sys.argv[1], int(sys.argv[2]) * 1_000_000):
        sys.stdout.buffer.write(block)
    return 0


if __name__ == "__main__":
    sys.exit(main())
