"""Gzip in all forms, whole, cut and corrupt (trap 9 of naive readers)."""

from __future__ import annotations

import gzip as standard
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import mqdiag.read.open.dump
from mqdiag.errors import InputError
from mqdiag.language import english
from mqdiag.read.source import Source, open_source
from mqdiag.text import NOTHING
from tests.graph.opening import counts, dump_of
from tests.graph.small_dump import small_dump
from tests.layers import CHECK
from tests.waiting import PATIENCE_S
from tests.writers import gzip_forms

DATA = small_dump().to_bytes()
BLOCK = 512


def opened(folder: Path, content: bytes) -> Source:
    path = folder / "given.hprof.gz"
    path.write_bytes(content)
    return open_source(str(path))


@pytest.mark.parametrize(
    ("content", "form"),
    [
        (gzip_forms.plain(DATA), "gzip"),
        (gzip_forms.jvm(DATA, BLOCK), "gzip-members"),
        (gzip_forms.jvm(DATA, len(DATA)), "gzip-members"),
        (gzip_forms.jvm(DATA, len(DATA) + 5), "gzip-members"),
        (b"".join(gzip_forms.members(DATA, BLOCK, comment=False)), "gzip"),
        (gzip_forms.plain(DATA) + bytes(512), "gzip"),
        (gzip_forms.jvm(DATA, BLOCK) + gzip_forms.plain(b""), "gzip"),
    ],
    ids=[
        "one member",
        "jvm",
        "jvm, one full block",
        "jvm, one short block",
        "no comment",
        "padded",
        "empty last",
    ],
)
def test_trap_09_every_form_inflates_to_the_same(content: bytes, form: str, tmp_path: Path) -> None:
    source = opened(tmp_path, content)
    assert bytes(source.data) == DATA
    assert (source.compression, source.problem, source.file_bytes) == (form, None, len(content))
    assert not source.data.flags.writeable


def test_trap_09_the_ten_bytes_of_a_member_may_stand_in_the_data(tmp_path: Path) -> None:
    # Stored, not deflated: the false head is in the file as it is.
    false_head = bytes([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0])
    data = DATA + false_head + DATA
    content = gzip_forms.members(data, BLOCK)
    content[3] = standard.compress(data[3 * BLOCK : 4 * BLOCK], 0, mtime=0)
    content[9] = standard.compress(data[9 * BLOCK : 10 * BLOCK], 0, mtime=0)
    assert false_head in content[9]
    source = opened(tmp_path, b"".join(content))
    assert bytes(source.data) == data
    assert source.problem is None


@pytest.mark.parametrize("block", [None, BLOCK])
@pytest.mark.parametrize("share", [0.2, 0.5, 0.9, 0.999])
def test_a_cut_file_gives_what_comes_before(block: int | None, share: float, tmp_path: Path) -> None:
    whole = gzip_forms.jvm(DATA, block) if block else gzip_forms.plain(DATA)
    source = opened(tmp_path, whole[: int(len(whole) * share)])
    assert DATA.startswith(bytes(source.data))
    assert source.data.size > len(DATA) * (share - 0.2)
    assert "cut" in english()(source.problem or NOTHING)


@CHECK
def test_a_cut_between_two_members_shows_in_the_dump(tmp_path: Path) -> None:
    dump = dump_of(b"".join(gzip_forms.members(DATA, BLOCK)[:-2]), tmp_path)
    assert not dump.complete


@pytest.mark.parametrize("damaged", [0, 2, 5])
def test_a_corrupt_member_gives_what_comes_before(damaged: int, tmp_path: Path) -> None:
    members = gzip_forms.members(DATA, BLOCK)
    body = bytearray(members[damaged])
    body[-12] ^= 0xFF  # in the deflated data, before check sum and size
    members[damaged] = bytes(body)
    source = opened(tmp_path, b"".join(members))
    assert "damaged" in english()(source.problem or NOTHING)
    assert bytes(source.data[: damaged * BLOCK]) == DATA[: damaged * BLOCK]
    assert source.data.size > damaged * BLOCK


def test_a_wrong_check_sum_is_told_and_the_data_kept(tmp_path: Path) -> None:
    content = bytearray(gzip_forms.plain(DATA))
    content[-7] ^= 1
    source = opened(tmp_path, bytes(content))
    assert bytes(source.data) == DATA
    assert "damaged" in english()(source.problem or NOTHING)
    dump = dump_of(bytes(content), tmp_path)
    assert not dump.complete
    assert counts(dump)["app.Holder"] == 2


def test_garbage_behind_the_last_member_is_told_and_the_data_kept(tmp_path: Path) -> None:
    source = opened(tmp_path, gzip_forms.plain(DATA) + b"garbage")
    assert bytes(source.data) == DATA
    assert source.problem is not None


@pytest.mark.parametrize("content", [b"\x1f\x8b", gzip_forms.plain(DATA)[:12], gzip_forms.plain(b"")])
def test_nothing_inside_is_refused(content: bytes, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing could be inflated"):
        opened(tmp_path, content)


@pytest.mark.parametrize("size", [b"1", b"0", b"99999999999999999999", b"268435456"])
def test_an_absurd_block_size_is_not_trusted(size: bytes, tmp_path: Path) -> None:
    content = gzip_forms.jvm(DATA, BLOCK).replace(b"BLOCKSIZE=512", b"BLOCKSIZE=" + size)
    assert bytes(opened(tmp_path, content).data) == DATA


def inflates_within(folder: Path, content: bytes, mib: int) -> str:
    """What opening a file prints in a process that may take so much memory beyond what it has after the imports.

    The limit is on private data (`RLIMIT_DATA`), for the address space also holds the mapping of the result and
    what malloc reserves for each thread.
    """
    path = folder / "given.gz"
    path.write_bytes(content)
    code = f"""
import resource, sys
from pathlib import Path
from mqdiag.read.source import open_source
import mqdiag.read.open.dump as gzip
gzip.available_bytes = lambda: 100 << 20
taken = int(Path("/proc/self/statm").read_text().split()[5]) * {resource.getpagesize()}
resource.setrlimit(resource.RLIMIT_DATA, (taken + ({mib} << 20),) * 2)
source = open_source({str(path)!r})
print(source.data.size, source.problem)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    return done.stdout.strip() or done.stderr


@CHECK
def test_a_bomb_is_inflated_in_steps(tmp_path: Path) -> None:
    # 120 MiB of zeros in 120 KB. In steps at most six pieces of 4 MiB and a thread's stack are in memory.
    content = b"JAVA PROFILE 1.0.2\0" + bytes(120 << 20)
    assert inflates_within(tmp_path, gzip_forms.plain(content), 64) == f"{len(content)} None"


def test_a_small_file_that_inflates_without_end_is_refused_with_the_option_to_raise_the_limit(
    tmp_path: Path,
) -> None:
    bomb = tmp_path / "bomb.hprof.gz"
    with standard.open(bomb, "wb") as file:
        file.write(b"JAVA PROFILE 1.0.2\0")
        for _ in range(8):
            file.write(bytes(1 << 20))
    with pytest.raises(InputError, match=r"inflates to more than 4 MiB.*--max-inflated SIZE"):
        open_source(str(bomb), max_inflated=4 << 20)
    assert open_source(str(bomb), max_inflated=9 << 20).data.size == 19 + (8 << 20)


def test_of_what_is_no_dump_only_the_beginning_is_inflated(tmp_path: Path) -> None:
    zeros = tmp_path / "zeros.gz"
    with standard.open(zeros, "wb") as file:
        for _ in range(64):
            file.write(bytes(1 << 20))
    assert open_source(str(zeros)).data.size <= 4 << 20


def test_the_room_that_is_needed_is_estimated_before_the_disk_is_filled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With no memory to spare and a disk of 1 MiB the command stops at once, not when the disk is full."""
    big = tmp_path / "big.hprof.gz"
    with standard.open(big, "wb", compresslevel=0) as file:
        file.write(b"JAVA PROFILE 1.0.2\0" + os.urandom(8 << 20))
    monkeypatch.setattr(mqdiag.read.open.dump, "available_bytes", lambda: 0)
    small_disk = os.statvfs_result((4096, 4096, 256, 256, 256, 0, 0, 0, 0, 255))
    monkeypatch.setattr("os.statvfs", lambda _: small_disk)
    with pytest.raises(InputError, match=r"there is no room.*are needed.*has 1 MiB free"):
        open_source(str(big))
