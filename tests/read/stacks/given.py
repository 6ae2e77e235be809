"""A small dump of a real JVM to dress in other forms."""

from __future__ import annotations

import tarfile
from functools import cache
from pathlib import Path

from mqdiag.read.stacks.reader import ReadResult, read_stacks

CASES = Path(__file__).parents[3] / "fixtures" / "stacks"


@cache
def real_dump(case: str = "urlconnection-stuck", form: str = "series", number: int = 1) -> str:
    """One sample of a case as text."""
    with tarfile.open(CASES / case / f"{form}.tar.gz") as archive:
        names = sorted(name for name in archive.getnames() if "." in name)
        member = archive.extractfile(names[number - 1])
        assert member is not None
        return member.read().decode()


def same(result: ReadResult, other: ReadResult) -> None:
    """Both hold the same threads with the same stacks."""
    (one,), (two,) = result.samples, other.samples
    assert [thread.name for thread in one.threads] == [thread.name for thread in two.threads]
    for mine, theirs in zip(one.threads, two.threads, strict=True):
        assert mine.stack.frames == theirs.stack.frames, mine.name
        assert mine.stack.locks == theirs.stack.locks, mine.name
        assert mine.addresses == theirs.addresses, mine.name
        assert (mine.java_id, mine.tid, mine.nid) == (theirs.java_id, theirs.tid, theirs.nid)
        assert (mine.cpu_ms, mine.elapsed_s, mine.stack.state) == (
            theirs.cpu_ms,
            theirs.elapsed_s,
            theirs.stack.state,
        )
    assert one.complete == two.complete
    assert one.captured_local == two.captured_local
    assert one.jvm == two.jvm


def read_text(folder: Path, text: str | bytes, name: str = "dump.txt") -> ReadResult:
    """Write and read."""
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_stacks(str(path))
