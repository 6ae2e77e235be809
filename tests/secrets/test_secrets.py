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
from mqdiag.secrets.patterns import PATTERNS, is_card, is_setting_name
from tests.secrets.planted_dump import SECRETS, planted_dump, with_gone_text
from tests.writers.hprof_records import BYTE, CHAR, INT, OBJECT, STICKY_CLASS
from tests.writers.hprof_writer import DumpWriter
from tests.writers.java_objects import JavaObjects


def groups_of(path: Path, *, redacted: bool | None = None) -> tuple[SecretGroup, ...]:
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


PEM = "-----BEGIN " + "PRIVATE KEY-----"
BODY = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj"


def groups_of_texts(texts: tuple[str, ...], jdk: int, folder: Path) -> list[tuple[str, str | None]]:
    """(kind, number of the text) of what is found in texts that a list holds each by a field of its own."""
    dump = DumpWriter()
    java = JavaObjects(dump, jdk)
    fields = {f"v{number}": java.string(text) for number, text in enumerate(texts)}
    holder = dump.java_class("app/Texts", fields=dict.fromkeys(fields, OBJECT))
    dump.root(STICKY_CLASS, dump.instance(holder, **fields))
    groups = groups_of(dump.write(folder / "dump.hprof"))
    return sorted((group.kind, group.held_by) for group in groups)


@pytest.mark.parametrize("jdk", [8, 17])
def test_secrets_inside_of_json_and_xml_are_found(jdk: int, tmp_path: Path) -> None:
    texts = (
        rf'{{"private_key":"{PEM}\n{BODY}\n"}}',
        rf"{{\"private_key\":\"{PEM}\\n{BODY}\\n\"}}",
        r"{\"password\":\"hunter2\"}",
        r"{\\\"password\\\" : \\\"hunter2\\\"}",
        "<password>hunter2</password>",
        "<db.userPassword kind='plain'> hunter2 </db.userPassword>",
        "spring.datasource.pwd=hunter2",
        "dbPwd: 'hunter2'",
    )
    kinds = ["private-key"] * 2 + ["password-in-text"] * 6
    expected = sorted((kind, f"app.Texts.v{number}") for number, kind in enumerate(kinds))
    assert groups_of_texts(texts, jdk, tmp_path) == expected


def test_what_only_looks_like_a_secret_in_json_and_xml_is_none(tmp_path: Path) -> None:
    texts = (
        rf"{PEM}\n-----END " + "PRIVATE KEY-----\n and a sentence of more than thirty characters",
        PEM + " " * 40,
        r"{\"password\":\"${db.password}\"}",
        r"{\"password\":null,\"passwords\":1}",
        "<password>${db.password}</password>",
        "<password></password><user>someone</user>",
        '<input type="password">Passwort</input>',
        "<password>never closed",
        "pwd=/home/app/lib",
        "pwd=../../lib/plugins",
        "PWD=somewhere",
    )
    assert groups_of_texts(texts, 17, tmp_path) == []


def dump_with_fields() -> DumpWriter:
    """Fields with names of secrets: arrays, static fields, and what is no secret in spite of its name."""
    dump = DumpWriter()
    java = JavaObjects(dump, 17)
    user = dump.java_class("app/User", fields={"password": OBJECT, "secretKey": OBJECT, "apiKey": OBJECT})
    password = dump.primitive_array(CHAR, "hunter2é".encode("utf-16-be"))
    key = dump.primitive_array(BYTE, bytes(range(200, 232)))
    numbers = dump.primitive_array(INT, bytes(range(8)))
    dump.root(STICKY_CLASS, dump.instance(user, password=password, secretKey=key, apiKey=numbers))
    cleared = dump.primitive_array(CHAR, bytes(16)), dump.primitive_array(BYTE, b"*" * 16)
    empty = dump.primitive_array(CHAR, b"")
    dump.root(STICKY_CLASS, dump.instance(user, password=cleared[0], secretKey=cleared[1], apiKey=empty))
    settings = dump.java_class(
        "app/Settings",
        statics={
            "PASSWORD": (OBJECT, java.string("hunter2")),
            "PRIVATE_KEY": (OBJECT, dump.primitive_array(BYTE, bytes(range(32)))),
            "DB_PASSWORD": (OBJECT, java.string("spring.datasource.password")),
            "AUTH_TOKEN": (OBJECT, java.string("X-Auth-Token")),
            "ACCESS_KEY": (OBJECT, 0),
            "NAME": (OBJECT, java.string("someone")),
        },
    )
    dump.root(STICKY_CLASS, settings.id)
    return dump


def test_arrays_and_static_fields_with_the_name_of_a_secret_are_found(tmp_path: Path) -> None:
    groups = groups_of(dump_with_fields().write(tmp_path / "dump.hprof"))
    assert {(group.kind, group.held_by, group.texts) for group in groups} == {
        ("field-name", "app.User.password", 1),
        ("field-name", "app.User.secretKey", 1),
        ("field-name", "app.Settings.PASSWORD", 1),
        ("field-name", "app.Settings.PRIVATE_KEY", 1),
    }


def test_a_copy_holds_no_arrays_and_no_static_fields_with_secrets(tmp_path: Path) -> None:
    path = str(dump_with_fields().write(tmp_path / "dump.hprof"))
    assert run(["redact", path, str(tmp_path / "copy.hprof"), "--check"]) == 0


def test_the_name_of_a_setting_is_no_secret() -> None:
    assert all(map(is_setting_name, ("password", "rocketmq.client.secretKey", "X-Auth-Token", "user.email")))
    assert not any(map(is_setting_name, ("hunter2", "changeit", "my password", "password1")))


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


def test_a_redacted_copy_is_known_by_its_strings(tmp_path: Path) -> None:
    # The constants of this dump have names of secrets as texts, which redaction replaces.
    dump = Path(__file__).parents[2] / "fixtures/heap/stuck-one-4.9.8/dump.hprof.gz"
    copy = tmp_path / "copy.hprof"
    assert run(["redact", str(dump), str(copy)]) == 0
    assert groups_of(copy, redacted=False)
    assert not groups_of(copy)
