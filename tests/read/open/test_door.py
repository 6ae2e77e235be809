"""The door of packed evidence: the same bytes come out of every packing, and what is spoilt says what and where."""

from __future__ import annotations

import io
import os
import random
import tarfile
import threading
from pathlib import Path

import pytest

from mqdiag.errors import InputError
from mqdiag.read.open import limits
from mqdiag.read.open.door import as_far_as_they_go, first_of, members, packing_name
from mqdiag.read.open.limits import Limits
from mqdiag.text import Text
from tests.layers import CHECK, one_in_each_run
from tests.writers.packings import PACKINGS, SQUEEZED, tarred, zipped

TEXT = b"".join(b"%d a line that changes %d\n" % (number, number * 7919) for number in range(40_000))
NOISE = random.Random(1).randbytes(400_000)
"""what no packing makes shorter, so that a cut of the file is a cut of the data"""


def written(folder: Path, name: str, data: bytes) -> str:
    path = folder / name
    path.write_bytes(data)
    return str(path)


def read(path: str, limits: Limits | None = None) -> dict[str, tuple[bytes, str]]:
    """By label below the path: the bytes, and why there are no more."""
    found: dict[str, tuple[bytes, str]] = {}
    for label, chunks in members(path, limits):
        data, why = b"", ""
        try:
            for chunk in chunks:
                assert chunk
                data += chunk
        except InputError as error:
            why = str(error)
        found[label.removeprefix(path)] = data, why
    return found


def test_the_same_bytes_come_out_of_every_packing(tmp_path: Path) -> None:
    for ending, pack in {"log": lambda data: data, **PACKINGS}.items():
        found = read(written(tmp_path, f"given.{ending}", pack(TEXT)))
        assert list(found.values()) == [(TEXT, "")], ending
        assert set(found) <= {"", "!given", "!given!given"}


def test_several_streams_and_padding_are_one_file(tmp_path: Path) -> None:
    text = TEXT[:90_000]
    for ending, pack in SQUEEZED.items():
        content = pack(text[:5000]) + pack(text[5000:]) + bytes(1024)
        assert read(written(tmp_path, ending, content)) == {"": (text, "")}, ending


def test_a_pipe_gives_the_same(tmp_path: Path) -> None:
    for ending in ("gz", "zip", "tar.zst", "log"):
        pipe = tmp_path / f"pipe.{ending}"
        os.mkfifo(pipe)
        content = PACKINGS.get(ending, bytes)(TEXT)
        writer = threading.Thread(target=pipe.write_bytes, args=(content,))
        writer.start()
        assert list(read(str(pipe)).values()) == [(TEXT, "")]
        writer.join()


@one_in_each_run(4)
@pytest.mark.parametrize("ending", SQUEEZED)
def test_what_is_cut_gives_what_comes_before_and_says_so(ending: str, tmp_path: Path) -> None:
    packed = SQUEEZED[ending](TEXT + NOISE)
    path = written(tmp_path, f"given.{ending}", packed[: len(packed) * 4 // 5])
    ((data, why),) = read(path).values()
    assert (TEXT + NOISE).startswith(data)
    assert len(data) > len(TEXT) // 2
    assert why.startswith(f"{path}: the packed data ends in the middle")
    assert "copy it again" in why


@one_in_each_run(3)
@pytest.mark.parametrize("ending", ["gz", "bz2", "xz"])
def test_damage_is_told_with_its_bytes(ending: str, tmp_path: Path) -> None:
    """zstd keeps no checksum of each block: noise that is changed stays noise to it."""
    packed = bytearray(SQUEEZED[ending](TEXT + NOISE))
    packed[-200_000:-199_000] = bytes(1000)
    path = written(tmp_path, f"given.{ending}", bytes(packed))
    ((data, why),) = read(path).values()
    assert len(data) > len(TEXT) // 2
    assert (TEXT + NOISE).startswith(data) or ending != "bz2"
    assert "damaged between bytes 0 and" in why


def test_a_spoilt_member_does_not_cost_the_others(tmp_path: Path) -> None:
    inner = tarred(
        good=TEXT, bad=SQUEEZED["gz"](NOISE)[:-200_000], worse=b"\x1f\x8bno", zip=b"PK\x03\x04no", last=TEXT
    )
    for pack in (bytes, SQUEEZED["zst"]):
        found = read(written(tmp_path, "given", pack(inner)))
        assert found["!good"] == found["!last"] == (TEXT, "")
        assert NOISE.startswith(found["!bad"][0])
        assert len(found["!bad"][0]) > 100_000
        assert "ends in the middle" in found["!bad"][1]
        assert "before its first byte" in found["!worse"][1]
        assert "begins like a zip file, and is damaged" in found["!zip"][1]


def test_a_cut_archive_gives_all_that_stands_before_and_then_says_so(tmp_path: Path) -> None:
    path = written(tmp_path, "given.tar", tarred(first=TEXT, second=NOISE)[: len(TEXT) + 100_000])
    found = members(path)
    label, chunks = next(found)
    assert (label, b"".join(chunks)) == (f"{path}!first", TEXT)
    label, chunks = next(found)
    notes: list[tuple[Text, int]] = []
    data = b"".join(as_far_as_they_go(chunks, lambda why, at: notes.append((why, at))))
    assert NOISE.startswith(data)
    assert len(data) > 60_000
    assert [at for _, at in notes] == [len(data)]
    with pytest.raises(InputError, match="is damaged behind 2 files, and what follows is missing"):
        next(found)


def test_names_are_labels_and_never_paths(tmp_path: Path) -> None:
    evil = {"../../etc/passwd": TEXT, "/etc/shadow": TEXT}
    for pack in (zipped, tarred):
        path = written(tmp_path, "given", pack(**evil))
        assert sorted(read(path)) == ["!../../etc/passwd", "!/etc/shadow"]
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["given"]


def test_devices_in_a_tar_file_are_left_out_and_links_out_of_it_are_never_followed(tmp_path: Path) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE):
            info = tarfile.TarInfo(f"kind {kind!r}")
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
    found = read(written(tmp_path, "given.tar", out.getvalue()))
    assert sorted(found) == ["!kind b'1'", "!kind b'2'"]
    for data, why in found.values():
        assert data == b""
        assert "is a link that leads out of the archive" in why


def test_archives_are_opened_so_deep(tmp_path: Path) -> None:
    data = TEXT
    for _ in range(limits.MAX_DEPTH):
        data = zipped(given=data)
    assert list(read(written(tmp_path, "deep", data)).values()) == [(TEXT, "")]
    ((nothing, why),) = read(written(tmp_path, "too deep", tarred(given=data))).values()
    assert nothing == b""
    assert f"is an archive inside {limits.MAX_DEPTH} others; unpack it first" in why


def test_so_many_members_are_opened(tmp_path: Path) -> None:
    path = written(tmp_path, "many.zip", zipped(**{f"{number}.log": b"x" for number in range(9)}))
    assert len(read(path, Limits(most_members=9))) == 9
    with pytest.raises(InputError, match="holds more than 8 files"):
        read(path, Limits(most_members=8))


@CHECK
def test_what_comes_out_is_bounded_by_what_was_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "LEAST_BYTES", 1 << 20)
    monkeypatch.setattr(limits, "MOST_RATIO", 2)
    bomb = bytes(1 << 23)
    for ending, pack in PACKINGS.items():
        if ending == "tar":
            continue
        path = written(tmp_path, f"bomb.{ending}", pack(bomb))
        try:
            ((data, why),) = read(path).values()
        except InputError as error:
            data, why = b"", str(error)
        assert "unpacks to" in why, ending
        assert len(data) <= (1 << 20) + 2 * os.path.getsize(path) + (1 << 18), ending


@CHECK
def test_the_first_file_can_be_looked_at_alone(tmp_path: Path) -> None:
    path = written(tmp_path, "given.tar.xz", PACKINGS["tar.xz"](TEXT))
    assert first_of(path, 1000) == (f"{path}!given", TEXT[:1000])
    assert packing_name(path) == "xz"
    assert first_of(written(tmp_path, "damaged.zip", b"PK\x03\x04no"), 10)[1] == b""
    assert packing_name(str(tmp_path / "missing")) is None
