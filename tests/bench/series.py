"""A large series of thread dumps, made of a real one: its consume threads again and again under other names and ids."""

from __future__ import annotations

import re
import tarfile
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "fixtures" / "stacks" / "urlconnection-stuck" / "series.tar.gz"
THREADS = 10_000


def write_series(folder: Path) -> list[Path]:
    """Five samples of 10,000 consume threads each; those that are there stay."""
    written = []
    with tarfile.open(SOURCE) as archive:
        for member in sorted(archive.getmembers(), key=lambda one: one.name):
            content = archive.extractfile(member)
            assert content is not None
            target = folder / f"series-{Path(member.name).name}"
            if not target.exists():
                target.write_text(_multiplied(content.read().decode()))
            written.append(target)
    return written


def _multiplied(sample: str) -> str:
    head, *blocks = re.split(r'\n(?=")', sample)
    workers = [block for block in blocks if block.startswith('"ConsumeMessageThread_')]
    return "\n".join([head, *(_renamed(workers[i % len(workers)], i) for i in range(THREADS))])


def _renamed(block: str, number: int) -> str:
    block = re.sub(r'_\d+" #\d+', f'_{number + 1}" #{100 + number}', block, count=1)
    block = re.sub(r"tid=0x[0-9a-f]+", f"tid=0x{0x7F00_0000_0000 + 4096 * number:016x}", block, count=1)
    return re.sub(r"nid=0x[0-9a-f]+", f"nid=0x{0x10000 + number:x}", block, count=1)
