"""Planted secrets are found, counted and located, and never told; what only looks like one is not."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from mqdiag.cli import run
from mqdiag.diagnose.secrets import secrets_in_heap
from mqdiag.facts.secrets import SecretGroup
from mqdiag.secrets import find
from mqdiag.secrets.patterns import PATTERNS, is_card
from mqdiag.testing.hprof_records import BYTE, OBJECT, STICKY_CLASS
from mqdiag.testing.hprof_writer import DumpWriter
from mqdiag.testing.java_objects import JavaObjects
from tests.secrets.planted_dump import SECRETS, planted_dump, with_gone_text


def groups_of(path: Path, *, redacted: bool = False) -> tuple[SecretGroup, ...]:
    found = secrets_in_heap(path, redacted=redacted).secrets
    assert found is not None
    return found.groups


@pytest.mark.parametrize(("jdk", "wide"), [(8, False), (17, False), (17, True)], ids=["char", "byte", "wide"])
def test_each_secret_is_found_once_where_it_is(jdk: int, wide: bool, tmp_path: Path) -> None:
    made = planted_dump(jdk, wide=wide)
    groups = groups_of(made.dump.write(tmp_path / "dump.hprof"))
    assert {group.held_by: group.kind for group in groups} == made.planted
    counts = {group.held_by: (group.texts, group.distinct) for group in groups}
    assert counts.pop("app.User.mobile") == (3, 1)
    assert counts.pop("app.User.accessKey") == (3, 3)
    assert set(counts.values()) == {(1, 1)}


def test_what_nothing_holds_is_counted_too(tmp_path: Path) -> None:
    made = planted_dump(17)
    with_gone_text(made)
    groups = groups_of(made.dump.write(tmp_path / "dump.hprof"))
    assert [group.kind for group in groups if group.held_by is None] == ["aws-access-token"]


def test_the_holder_of_a_text_in_collections_is_named(tmp_path: Path) -> None:
    dump = DumpWriter()
    java = JavaObjects(dump, 17)
    key = java.string("token")
    secret = java.string(SECRETS["github-token"])
    holder = dump.java_class("app/Registry", fields={"entries": OBJECT})
    dump.root(STICKY_CLASS, dump.instance(holder, entries=java.hash_map([(key, java.array_list([secret]))])))
    (group,) = groups_of(dump.write(tmp_path / "dump.hprof"))
    assert (group.kind, group.held_by) == ("github-token", "app.Registry.entries")


def test_a_secret_across_two_windows_is_found_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dump = DumpWriter()
    body = dump.primitive_array(BYTE, b"." * 300 + SECRETS["gitlab-pat"].encode() + b" " * 300)
    dump.root(STICKY_CLASS, body)
    dump.write(tmp_path / "dump.hprof")
    for size in range(200, 420, 31):
        monkeypatch.setattr("mqdiag.secrets.find._WINDOW_BYTES", size)
        (group,) = groups_of(tmp_path / "dump.hprof")
        assert (group.kind, group.texts) == ("gitlab-pat", 1)


def test_the_numbers_of_cards() -> None:
    cards = (
        "4539148803436467",
        "4012 8888 8888 1881",
        "5105-1051-0510-5100",
        "371449635398431",
        "6011000990139424",
    )
    assert all(map(is_card, cards))
    assert not any(map(is_card, ("4539148803436468", "1760000000123", "4444444444444448", "9" * 16, "")))


def test_random_bytes_hold_next_to_nothing(tmp_path: Path) -> None:
    dump = DumpWriter()
    dump.root(STICKY_CLASS, dump.primitive_array(BYTE, random.Random(7).randbytes(8 << 20)))
    assert groups_of(dump.write(tmp_path / "dump.hprof")) == ()


@pytest.mark.parametrize("shape", ["text", "json"])
def test_no_output_has_a_secret_in_it(shape: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = planted_dump(17)
    path = made.dump.write(tmp_path / "dump.hprof")
    assert run(["secrets", str(path), "--format", shape]) == 1
    out = capsys.readouterr().out
    for secret in (*SECRETS.values(), "13800138000", "key0"):
        assert secret.strip()[-10:] not in out
    if shape == "json":
        assert json.loads(out)["secrets"]["groups"]


def test_exit_codes_without_a_secret_and_without_a_dump(tmp_path: Path) -> None:
    dump = DumpWriter()
    dump.root(STICKY_CLASS, JavaObjects(dump, 17).string("nothing"))
    assert run(["secrets", str(dump.write(tmp_path / "dump.hprof"))]) == 0
    assert run(["secrets", str(tmp_path / "missing")]) == 3


def test_nothing_in_a_part_of_a_dump_is_no_all_clear(tmp_path: Path) -> None:
    dump = DumpWriter()
    dump.root(STICKY_CLASS, JavaObjects(dump, 17).string("nothing of interest"))
    cut = tmp_path / "cut.hprof"
    cut.write_bytes(dump.write(tmp_path / "dump.hprof").read_bytes()[:-5])
    assert run(["secrets", str(cut)]) == 3


def test_a_copy_holds_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = planted_dump(17)
    java = JavaObjects(made.dump, 17)
    made.dump.root(STICKY_CLASS, java.string("4539148803436467"))
    path = str(made.dump.write(tmp_path / "dump.hprof"))
    copy = str(tmp_path / "copy.hprof")
    # A number without blanks is a text of digits alone, which stays; so do the telephone numbers.
    assert run(["redact", path, copy, "--check"]) == 1
    left = capsys.readouterr().err.splitlines()
    assert sum("payment-card" in line for line in left) == 1
    assert sum("app.User.mobile" in line for line in left) == 1
    assert not any("app.Settings" in line for line in left)
    assert run(["redact", path, copy, "--force", "--check", "--digits"]) == 0
    assert "no secret of a known form" in capsys.readouterr().out


def test_kinds_have_one_name_each() -> None:
    kinds = [pattern.kind for pattern in PATTERNS]
    assert len(set(kinds)) == len(kinds)
    assert {*kinds, "payment-card"} == set(SECRETS)


@pytest.mark.parametrize("text", [b"-eyJ", b"://", b"jdbc:", b"-sk-T3BlbkFJ"])
def test_a_text_of_literals_alone_is_not_looked_at_for_each_of_them(
    text: bytes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    places = []

    def counted(heap: object, arrays: object, array: int, place: int, *rest: object) -> tuple[()]:
        places.append(place)
        return ()

    monkeypatch.setattr(find, "_whole", counted)
    dump = DumpWriter()
    dump.root(STICKY_CLASS, dump.primitive_array(BYTE, text * 10_000))
    assert groups_of(dump.write(tmp_path / "dump.hprof")) == ()
    assert 0 < len(places) <= 1 + len(text) * 10_000 // 2048


def test_each_of_many_secrets_in_one_text_is_found(tmp_path: Path) -> None:
    dump = DumpWriter()
    keys = b" ".join(b"AKIA%016d" % at for at in range(2000)).replace(b"0", b"A").replace(b"1", b"B")
    keys = keys.replace(b"8", b"C").replace(b"9", b"D")
    dump.root(STICKY_CLASS, dump.primitive_array(BYTE, keys))
    (found,) = groups_of(dump.write(tmp_path / "dump.hprof"))
    assert (found.kind, found.texts, found.distinct) == ("aws-access-token", 2000, 2000)
