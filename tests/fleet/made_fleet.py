"""Fleets made of the committed evidence, varied by what really differs between hosts; their truth is known.

A dump is given to another group by writing another name of the same length over its own, wherever it stands: strings,
topics and client ids follow, and everything else stays as the JVM wrote it.
"""

from __future__ import annotations

import gzip
from functools import lru_cache
from pathlib import Path

FIXTURES = Path(__file__).parents[2] / "fixtures"
GROUP = "CID_fleet_group"


@lru_cache(maxsize=1)  # some have 50 MB
def heap(case: str) -> bytes:
    """A committed dump, inflated."""
    return gzip.decompress((FIXTURES / "heap" / case / "dump.hprof.gz").read_bytes())


def renamed(case: str, name: str) -> bytes:
    """The dump with the case's name in groups and topics replaced by another of the same length."""
    own = case.replace(".", "_").encode()
    assert len(name) == len(own), f"{name} must have {len(own)} letters"
    return heap(case).replace(own, name.encode())


def put(root: Path, place: str, data: bytes) -> Path:
    """Write a file of the fleet."""
    path = root / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(data, 1, mtime=0) if place.endswith(".gz") else data)
    return path


def mixed_fleet(root: Path) -> None:
    """Two services and a heap of bad files.

    - orders: one group on three hosts, two with client 4.9.8 and one with 4.3.2, which has another topic name;
      its group has vipChannelEnabled and versions that differ.
    - payments: three hosts with the same stuck listener; one of them has thread dumps beside it.
    - broken: a cut dump, an empty one, text, a gzip bomb, a sparse file of a terabyte.
    """
    put(root, "orders/h1/20261121-080000.hprof", renamed("healthy-busy-4.9.8", "fleet-orders-group"))
    put(root, "orders/h2/20261121-080000.hprof", renamed("healthy-busy-4.9.8", "fleet-orders-group"))
    put(root, "orders/h3/20261121-080000.hprof.gz", renamed("healthy-busy-4.3.2", "fleet-orders-group"))
    for host in ("p1", "p2", "p3"):
        put(root, f"payments/{host}/20261121-080000.hprof", heap("stuck-one-4.9.8"))
    series = (FIXTURES / "stacks/latch-stuck/series.tar.gz").read_bytes()
    (root / "payments/p1/20261121-080100.tar.gz").write_bytes(series)
    broken(root)


def broken(root: Path) -> None:
    """Inputs that must fail, or be read in part, and harm nothing else."""
    dump = heap("no-rocketmq")
    put(root, "broken/cut/20261121-080000.hprof", dump[: len(dump) // 2])
    put(root, "broken/empty/20261121-080000.hprof", b"")
    put(root, "broken/text/20261121-080000.hprof", b"this is no dump\n" * 100)
    packed = put(root, "broken/bomb/20261121-080000.hprof.gz", b"")
    # No name and no time in its head: two fleets have the same bytes.
    with packed.open("wb") as raw, gzip.GzipFile("", "wb", 1, raw, mtime=0) as bomb:
        bomb.write(b"JAVA PROFILE 1.0.2\0")
        for _ in range(96):
            bomb.write(bytes(1 << 20))
    sparse = put(root, "broken/sparse/20261121-080000.hprof", b"JAVA PROFILE 1.0.2\0")
    with sparse.open("r+b") as file:
        file.truncate(1 << 40)
