"""A large series of thread dumps, made of a real one: its consume threads again and again under other names and ids."""

from __future__ import annotations

import re
import tarfile
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "fixtures" / "stacks" / "urlconnection-stuck" / "series.tar.gz"
THREADS = 10_000
_FIRST_TID, _FIRST_ADDRESS = 0x7F00_0000_0000, 0xE000_0000
_PRIME = 7919
"""spreads what threads start from, the same in each run"""


def write_series(folder: Path, *, apart: bool = False) -> list[Path]:
    """Five samples of 10,000 consume threads each; those that are there stay.

    Args:
        folder: where they go.
        apart: give each thread locks and times of its own in each sample, as a JVM does whose collector moves objects;
            else they are those of the real threads, so hundreds of threads show the same.
    """
    written = []
    with tarfile.open(SOURCE) as archive:
        members = sorted(archive.getmembers(), key=lambda one: one.name)
        for place, member in enumerate(members):
            content = archive.extractfile(member)
            assert content is not None
            target = folder / f"series-{'apart-' if apart else ''}{Path(member.name).name}"
            if not target.exists():
                target.write_text(_multiplied(content.read().decode(), place if apart else None))
            written.append(target)
    return written


def _multiplied(sample: str, place: int | None) -> str:
    head, *blocks = re.split(r'\n(?=")', sample)
    workers = [block for block in blocks if block.startswith('"ConsumeMessageThread_')]
    threads = [_renamed(workers[i % len(workers)], i) for i in range(THREADS)]
    if place is not None:
        threads = [_set_apart(thread, i, place) for i, thread in enumerate(threads)]
    return "\n".join([head, *threads])


def _renamed(block: str, number: int) -> str:
    block = re.sub(r'_\d+" #\d+', f'_{number + 1}" #{100 + number}', block, count=1)
    block = re.sub(r"tid=0x[0-9a-f]+", f"tid=0x{_FIRST_TID + 4096 * number:016x}", block, count=1)
    return re.sub(r"nid=0x[0-9a-f]+", f"nid=0x{0x10000 + number:x}", block, count=1)


def _set_apart(block: str, number: int, place: int) -> str:
    """Give a thread's block locks, a stack and times that no other thread has, in the sample at a place."""
    spread = number * _PRIME % THREADS
    header, end, body = block.partition("\n")
    # taking a dump can cost a thread that is stuck a little time
    header = _added(header, "cpu=", spread / 100 + number % 3 * place / 100)
    # printing 10,000 threads takes its time, so samples of a thread are not as far apart as the dumps
    header = _added(header, "elapsed=", 3600 - spread / 100 + (number * place) % 5 / 100)
    header = re.sub(r"\[0x[0-9a-f]+\]", f"[0x{_FIRST_TID + (1 << 36) + (number << 20):016x}]", header)
    of_sample = _FIRST_ADDRESS + (place << 25)
    own = dict.fromkeys(re.findall(r"<0x[0-9a-f]+>", body))
    for slot, address in enumerate(own):
        body = body.replace(address, f"<0x{of_sample + 64 * (8 * spread + slot):016x}>")
    return header + end + body


def _added(header: str, name: str, more: float) -> str:
    return re.sub(rf"(?<={name})[\d.]+", lambda found: f"{float(found[0]) + more:.2f}", header, count=1)
