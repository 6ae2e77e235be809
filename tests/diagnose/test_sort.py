"""What a folder of an incident is sorted into: every file once, told by its content, or left alone with a reason."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import random
import subprocess
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.diagnose.kinds import logs as log_kind
from mqdiag.diagnose.sort.kind import all_kinds
from mqdiag.diagnose.sort.piece import SCAN_CHUNK, Piece
from mqdiag.diagnose.sort.route import needs_sorting
from mqdiag.diagnose.sort.walk import Walk
from mqdiag.facts import Input
from mqdiag.language import english
from mqdiag.read import paste
from mqdiag.read.admin import recognise
from mqdiag.read.crash.recognise import HEADS
from mqdiag.read.open.squeezed import unpacked_head
from mqdiag.read.open.to_files import Budget
from mqdiag.read.sniff import HEAD_BYTES, Content, content_of
from tests.folded import folded

TEXT = b"2026-11-21 08:00:00,001 INFO something happened\n" * 3
DUMP = b"JAVA PROFILE 1.0.2\0" + b"\0\0\0\x08" + b"\0" * 100


def walk(*paths: Path, tmp_path: Path, **limits: int) -> list[Piece | Input]:
    room = tmp_path / "room"
    room.mkdir(exist_ok=True)
    return list(Walk(Budget(room, **limits), lambda folder: folder.name == "store").pieces(paths))


def names(found: list[Piece | Input]) -> list[str]:
    """Names of the pieces, below the test's folder."""
    return [Path(one.name).name for one in found if isinstance(one, Piece)]


def left(found: list[Piece | Input]) -> dict[str, str]:
    """Why each other file gave nothing."""
    return {Path(one.path).name: _reason(one) for one in found if isinstance(one, Input)}


def _reason(given: Input) -> str:
    if given.skipped is not None:
        return english()(given.skipped)
    assert given.error is not None
    return f"error: {english()(given.error)}"


def zipped(**members: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def tarred(**members: bytes) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


@folded(
    "data, content",
    [
        (b"", Content.EMPTY),
        (DUMP, Content.HEAP_DUMP),
        (gzip.compress(DUMP, mtime=0), Content.GZIP),
        (zipped(a=TEXT), Content.ZIP),
        (zipped(**{"META-INF/MANIFEST.MF": b"x"}), Content.JAVA_ARCHIVE),
        (tarred(a=TEXT), Content.TAR),
        (b"\x7fELF" + b"\1" * 40, Content.BINARY),
        (bytes(range(256)) * 8, Content.BINARY),
        (TEXT, Content.TEXT),
        (TEXT.decode().encode("utf-16"), Content.TEXT),
        (TEXT.decode().encode("utf-16-be"), Content.TEXT),
        (TEXT.decode().encode("utf-32"), Content.TEXT),
        (TEXT.decode().encode("utf-32-le"), Content.TEXT),
        (TEXT.decode().encode("utf-32-be"), Content.TEXT),
        (b"\0" * 4096 + TEXT, Content.TEXT),
        (b"\0" * 4096, Content.BINARY),
        (b'{"schema_version": 1}', Content.JSON),
    ],
)
def test_content_is_told_by_the_first_bytes(data: bytes, content: Content) -> None:
    assert content_of(data) is content


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_the_head_of_packed_data_is_looked_into_even_when_it_is_cut(pack: object) -> None:
    packed = pack(DUMP + os.urandom(200_000))  # type: ignore[operator]
    assert content_of(unpacked_head(packed[: 64 << 10])) in (Content.HEAP_DUMP, Content.EMPTY)
    assert content_of(unpacked_head(packed)) is Content.HEAP_DUMP


def test_names_say_nothing(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "picture.png").write_bytes(DUMP)
    (tmp_path / "in" / "dump.hprof").write_bytes(TEXT)
    pieces = {Path(one.name).name: one for one in walk(tmp_path / "in", tmp_path=tmp_path)}
    assert isinstance(pieces["picture.png"], Piece)
    assert pieces["picture.png"].content is Content.HEAP_DUMP
    assert isinstance(pieces["dump.hprof"], Piece)
    assert pieces["dump.hprof"].content is Content.TEXT


def test_a_folder_of_junk_loops_and_closed_doors(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.log").write_bytes(TEXT)
    (folder / "deep" / "loop").symlink_to(folder)
    (folder / "deep" / "same.log").symlink_to(folder / "a.log")
    (folder / "gone").symlink_to(folder / "nowhere")
    (folder / "me").symlink_to("me")
    (folder / "empty").touch()
    (folder / "program").write_bytes(b"\x7fELF" + b"\1" * 40)
    (folder / "cut.gz").write_bytes(gzip.compress(TEXT)[:10])
    os.mkfifo(folder / "pipe")
    (folder / "store").mkdir()
    (folder / "store" / "inside").write_bytes(TEXT)
    found = walk(folder, tmp_path / "missing", tmp_path=tmp_path)
    assert sorted(names(found)) == ["a.log", "store"]
    reasons = left(found)
    assert reasons["loop"].startswith("was seen before, as ")
    assert reasons["same.log"].startswith("is the same file as")
    assert reasons["gone"] == "error: is a link that leads nowhere"
    assert reasons["me"].startswith("error: cannot be read:")
    assert reasons["empty"] == "is empty"
    assert reasons["program"] == "is a program or library (ELF)"
    assert reasons["cut.gz"] == "error: is damaged gzip data"
    assert reasons["pipe"] == "is a pipe"
    assert (
        reasons["missing"]
        == "error: no such file or folder; check the path; it is relative to the working directory"
    )


def test_a_link_to_a_folder_outside_is_not_followed(tmp_path: Path) -> None:
    """An unpacked archive can bring one to the root of the disk; files behind links are read."""
    folder, outside = tmp_path / "in", tmp_path / "outside"
    folder.mkdir()
    outside.mkdir()
    (outside / "a.log").write_bytes(TEXT)
    (folder / "root").symlink_to("/")
    (folder / "other").symlink_to(outside)
    (folder / "b.log").symlink_to(outside / "a.log")
    found = walk(folder, tmp_path=tmp_path)
    assert names(found) == ["b.log"]
    assert (
        left(found)["root"]
        == left(found)["other"]
        == "is a link to a folder outside of what was given; name that folder too if it belongs here"
    )
    assert len(names(walk(folder, outside, tmp_path=tmp_path))) == 1


def test_a_file_that_may_not_be_read_does_not_stop_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.log").write_bytes(TEXT)
    (tmp_path / "in" / "b.log").write_bytes(TEXT)
    real = open

    def closed(path: object, *rest: object) -> object:
        if str(path).endswith("a.log"):
            raise PermissionError(13, "Permission denied")
        return real(path, *rest)  # type: ignore[call-overload]

    # as root, who runs the tests in a container, may read everything
    monkeypatch.setattr("builtins.open", closed)
    found = walk(tmp_path / "in", tmp_path=tmp_path)
    assert names(found) == ["b.log"]
    assert left(found)["a.log"] == "error: no permission to read it; run as its owner, or: chmod +r"


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("zip", zipped(a=TEXT, b=DUMP)),
        ("tar", tarred(a=TEXT, b=DUMP)),
        ("tar.gz", gzip.compress(tarred(a=TEXT, b=DUMP))),
        ("tar.bz2", bz2.compress(tarred(a=TEXT, b=DUMP))),
        ("tar.xz", lzma.compress(tarred(a=TEXT, b=DUMP))),
        ("zip in tar.gz", gzip.compress(tarred(inner=zipped(a=TEXT, b=DUMP)))),
        ("gz of a zip", gzip.compress(zipped(a=TEXT, b=DUMP))),
    ],
)
def test_archives_are_opened_in_any_nesting(name: str, data: bytes, tmp_path: Path) -> None:
    (tmp_path / "evidence").write_bytes(data)
    found = walk(tmp_path / "evidence", tmp_path=tmp_path)
    assert [one.name.rpartition("!")[2] for one in found] == ["a", "b"]  # type: ignore[union-attr]
    text, dump = found
    assert isinstance(text, Piece)
    assert isinstance(dump, Piece)
    assert Path(text.path).read_bytes() == TEXT
    assert dump.content is Content.HEAP_DUMP


def test_packed_single_files_stay_packed_where_a_reader_unpacks_them(tmp_path: Path) -> None:
    for name, data in (
        ("a.gz", gzip.compress(TEXT)),
        ("b.xz", lzma.compress(TEXT)),
        ("c.bz2", bz2.compress(TEXT)),
    ):
        (tmp_path / name).write_bytes(data)
    first, second, third = walk(tmp_path / "a.gz", tmp_path / "b.xz", tmp_path / "c.bz2", tmp_path=tmp_path)
    assert isinstance(first, Piece)
    assert first.packed
    assert first.content is Content.TEXT
    for one in (second, third):
        assert isinstance(one, Piece)
        assert not one.packed
        assert Path(one.path).read_bytes() == TEXT


def test_member_names_never_become_paths(tmp_path: Path) -> None:
    (tmp_path / "evil.tar").write_bytes(tarred(**{"../../evil": TEXT, "/etc/evil": TEXT}))
    (tmp_path / "evil.zip").write_bytes(zipped(**{"../../evil": TEXT}))
    found = walk(tmp_path / "evil.tar", tmp_path / "evil.zip", tmp_path=tmp_path)
    assert len(found) == 3
    assert all(isinstance(one, Piece) and Path(one.path).parent == tmp_path / "room" for one in found)


def test_archives_inside_archives_end_somewhere(tmp_path: Path) -> None:
    data = zipped(a=TEXT)
    for _ in range(6):
        data = zipped(inner=data)
    (tmp_path / "deep.zip").write_bytes(data)
    (only,) = walk(tmp_path / "deep.zip", tmp_path=tmp_path)
    assert isinstance(only, Input)
    assert _reason(only) == "error: is an archive inside 4 others; unpack it first"


def test_a_bomb_is_refused_and_what_came_before_it_stays(tmp_path: Path) -> None:
    (tmp_path / "bomb.tar.gz").write_bytes(gzip.compress(tarred(a=TEXT, bomb=b"a" * (4 << 20), c=TEXT)))
    found = walk(tmp_path / "bomb.tar.gz", tmp_path=tmp_path, most_bytes=2 << 20)
    assert [one.name.rpartition("!")[2] for one in found if isinstance(one, Piece)] == ["a"]
    assert "unpacks to more than one run may take" in left(found)["bomb.tar.gz!bomb"]
    assert sum(file.stat().st_size for file in (tmp_path / "room").iterdir()) <= 2 << 20


def test_too_many_members_are_refused(tmp_path: Path) -> None:
    (tmp_path / "many.zip").write_bytes(zipped(**{f"m{number}": TEXT for number in range(9)}))
    found = walk(tmp_path / "many.zip", tmp_path=tmp_path, most_members=5)
    assert len([one for one in found if isinstance(one, Piece)]) == 5
    assert any("holds more than" in reason for reason in left(found).values())


def test_a_tar_header_without_end_takes_no_memory(tmp_path: Path) -> None:
    # an extended header that claims gigabytes: the reader would collect all of it
    info = tarfile.TarInfo("pax")
    info.type = tarfile.XHDTYPE
    info.size = 7 << 30
    header = info.tobuf(tarfile.USTAR_FORMAT)
    with gzip.open(tmp_path / "header.tar.gz", "wb", compresslevel=1) as file:
        file.write(header)
        for _ in range(80):
            file.write(b"\0" * (1 << 20))
    (only,) = walk(tmp_path / "header.tar.gz", tmp_path=tmp_path)
    assert isinstance(only, Input)
    assert _reason(only) == "error: is a damaged tar file: a header without end"


@pytest.mark.parametrize("cut", [30, 200, 600])
@pytest.mark.parametrize("pack", ["zip", "tar", "tar.gz"])
def test_damaged_archives_are_told_as_such(pack: str, cut: int, tmp_path: Path) -> None:
    made = {"zip": zipped(a=os.urandom(2000)), "tar": tarred(a=os.urandom(2000))}
    data = gzip.compress(made["tar"]) if pack == "tar.gz" else made[pack]
    (tmp_path / "cut").write_bytes(data[:cut])
    found = walk(tmp_path / "cut", tmp_path=tmp_path)
    assert found
    assert all(isinstance(one, Input) for one in found)


def test_an_encrypted_member_is_told_and_the_others_are_read(tmp_path: Path) -> None:
    data = bytearray(zipped(a=TEXT, b=TEXT))
    central = data.find(b"PK\x01\x02")
    data[central + 8] |= 1
    (tmp_path / "locked.zip").write_bytes(bytes(data))
    found = walk(tmp_path / "locked.zip", tmp_path=tmp_path)
    assert left(found)["locked.zip!a"] == "error: is encrypted; unpack it first"
    assert [one.name.rpartition("!")[2] for one in found if isinstance(one, Piece)] == ["b"]


def test_a_pipe_that_was_given_is_read_and_one_that_was_found_is_not(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["sh", "-c", f"cat > {tmp_path / 'pipe'}"], stdin=subprocess.PIPE) as writer:
        assert writer.stdin is not None
        writer.stdin.write(gzip.compress(tarred(a=TEXT)))
        writer.stdin.close()
        found = walk(tmp_path / "pipe", tmp_path=tmp_path)
    assert [one.name.rpartition("!")[2] for one in found] == ["a"]  # type: ignore[union-attr]


@pytest.mark.parametrize("top", ["", "backup/"])
def test_a_folder_inside_an_archive_can_be_evidence_as_a_whole(top: str, tmp_path: Path) -> None:
    members = {
        f"{top}store/part/one": b"\1\2\3" * 50 + b"\0" * (2 << 20),
        f"{top}store/part/two": b"",
        f"{top}notes.log": TEXT,
        "../part/three": b"\1\2\3" * 50,
    }
    (tmp_path / "all.tar.gz").write_bytes(gzip.compress(tarred(**members)))
    room = tmp_path / "room"
    room.mkdir()
    walker = Walk(Budget(room), lambda folder: folder.name == "store", keeps=lambda name: "part/" in name)
    found = list(walker.pieces([tmp_path / "all.tar.gz"]))
    folder, log, evil = found
    assert isinstance(folder, Piece)
    assert folder.folder
    assert folder.name.endswith(f"all.tar.gz!{top}store")
    one = Path(folder.path) / "part" / "one"
    assert one.read_bytes() == members[f"{top}store/part/one"]
    assert one.stat().st_blocks * 512 < 1 << 20
    assert (Path(folder.path) / "part" / "two").read_bytes() == b""
    assert isinstance(log, Piece)
    assert log.name.endswith("notes.log")
    assert isinstance(evil, Input)
    assert not (tmp_path / "part").exists()


@pytest.mark.parametrize("name", ["notes.json", "notes.json.gz", "notes.md.gz"])
def test_files_that_write_about_log_lines_are_not_logs(name: str, tmp_path: Path) -> None:
    said = b'{\n  "facts": {\n    "text": "the consumer message buffer is full, so do flow control"\n  }\n}\n'
    folder = tmp_path / "given"
    folder.mkdir()
    path = folder / name
    path.write_bytes(gzip.compress(said) if name.endswith(".gz") else said)
    [piece] = [one for one in walk(folder, tmp_path=tmp_path) if isinstance(one, Piece)]
    assert not log_kind.KIND.recognise(piece)
    [piece] = [one for one in walk(path, tmp_path=tmp_path) if isinstance(one, Piece)]
    assert log_kind.KIND.recognise(piece) == name.startswith("notes.md"), "who names a page has saved a post"
    path = tmp_path / "notes"
    path.write_bytes(said)
    [piece] = [one for one in walk(path, tmp_path=tmp_path) if isinstance(one, Piece)]
    assert log_kind.KIND.recognise(piece)


def test_a_log_is_searched_to_its_end_for_crash_reports_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "application.log"
    path.write_bytes(TEXT)
    searched: list[tuple[bytes, ...]] = []
    whole = Piece.holds

    def count(piece: Piece, marks: tuple[bytes, ...]) -> bool:
        searched.append(marks)
        return whole(piece, marks)

    monkeypatch.setattr(Piece, "holds", count)
    assert not needs_sorting(str(path), "log")
    assert len(searched) == 1


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("before", [1, 3, 100])
def test_a_mark_is_found_across_two_chunks(pack: Callable[[bytes], bytes], before: int, tmp_path: Path) -> None:
    """It is one of the longest there are, and UTF-16 makes it twice as long."""
    (longest,) = (head for head in HEADS if len(head) == max(map(len, HEADS)))
    for mark in (longest.encode(), longest.encode("utf-16-le")):
        text = b"x\0" * (SCAN_CHUNK // 2) + b"y\0" * SCAN_CHUNK
        at = SCAN_CHUNK - before
        data = pack(text[:at] + mark + text[at:])
        path = tmp_path / "application.log"
        path.write_bytes(data)
        piece = Piece(name=str(path), path=str(path), size_bytes=len(data), head=data[:HEAD_BYTES])
        assert piece.holds((longest.encode(),))


def test_a_long_log_without_marks_is_searched_once_for_all_kinds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "application.log"
    path.write_bytes(TEXT * 2000)
    searched: list[int] = []
    monkeypatch.setattr(
        "mqdiag.read.logs.scan.holds_any", lambda text, words: (searched.append(len(text)), False)[1]
    )
    [piece] = [one for one in walk(path, tmp_path=tmp_path) if isinstance(one, Piece)]
    assert [kind.name for kind in all_kinds() if kind.recognise(piece)] == ["log"]
    assert max(searched) == SCAN_CHUNK
    assert sum(searched) < 1.1 * path.stat().st_size


def test_a_piece_is_decoded_once_for_all_kinds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "application.log"
    path.write_bytes(TEXT)
    decoded: list[bytes] = []
    compared: list[str] = []
    is_admin_output = recognise.is_admin_output
    monkeypatch.setattr(
        "mqdiag.diagnose.sort.piece.decoded",
        lambda data, **how: (decoded.append(data), paste.decoded(data, **how))[1],
    )
    monkeypatch.setattr(
        "mqdiag.diagnose.sort.piece.is_admin_output",
        lambda head: (compared.append(head), is_admin_output(head))[1],
    )
    [piece] = [one for one in walk(path, tmp_path=tmp_path) if isinstance(one, Piece)]
    assert [kind.name for kind in all_kinds() if kind.recognise(piece)] == ["log"]
    assert len(decoded) == len(compared) == 1


def test_an_archive_that_is_cut_says_how_much_of_it_was_read(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.log").write_bytes(random.Random(name).randbytes(200_000))
    with tarfile.open(tmp_path / "all.tar.gz", "w:gz") as archive:
        for name in ("a", "b"):
            archive.add(tmp_path / f"{name}.log", name)
    cut = tmp_path / "cut.tar.gz"
    cut.write_bytes((tmp_path / "all.tar.gz").read_bytes()[:300_000])
    errors = [english()(one.error) for one in diagnose_incident([cut]).report.inputs if one.error is not None]
    assert any("is damaged behind" in error and "what follows is missing" in error for error in errors)


def test_folders_of_tools_are_left_out_unless_they_are_named(tmp_path: Path) -> None:
    line = "2026-11-20 10:00:00 INFO main - The broker[broker-a, 10.0.0.1:10911] boot success.\n"
    for place in (".git/hook.log", "node_modules/a/b.log", "env/lib/c.log", "logs/broker.log"):
        (tmp_path / place).parent.mkdir(parents=True)
        (tmp_path / place).write_text(line * 3)
    (tmp_path / "env" / "pyvenv.cfg").write_text("home = /usr\n")
    inputs = diagnose_incident([tmp_path]).report.inputs
    read = {Path(given.path).name for given in inputs if given.was_read}
    left = {Path(given.path).name for given in inputs if given.skipped is not None}
    assert (read, left) == ({"broker.log"}, {".git", "node_modules", "env"})
    named = diagnose_incident([tmp_path / ".git"]).report.inputs
    assert [Path(given.path).name for given in named if given.was_read] == ["hook.log"]
