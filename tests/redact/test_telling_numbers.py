"""Numbers that tell a text or a host are hidden wherever the text is: in `show` and `query` as in a copy."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.cli import run
from tests.layers import one_in_each_run
from tests.writers.hprof_records import INT, OBJECT, STICKY_CLASS
from tests.writers.hprof_writer import DumpWriter
from tests.writers.java_objects import JavaObjects

HASH, HOST = 111376, 0x0A01_0203
"""of the text "pw7", and 10.1.2.3"""


@pytest.fixture
def dump(tmp_path: Path) -> DumpWriter:
    made = DumpWriter()
    text = JavaObjects(made).string("pw7")
    made.set(text, hash=HASH)
    address = made.known("java/net/InetAddress$InetAddressHolder", address=INT, family=INT)
    made.known("java/util/HashMap$Node", hash=INT, key=OBJECT)
    entry = made.known("java/util/LinkedHashMap$Entry", "java/util/HashMap$Node")
    for held in (
        text,
        made.instance(address, address=HOST, family=1),
        made.instance(entry, hash=HASH, key=text),
    ):
        made.root(STICKY_CLASS, held)
    made.write(tmp_path / "dump.hprof")
    return made


@one_in_each_run(3)
@pytest.mark.parametrize(
    ("name", "field", "number"),
    [
        ("java.lang.String", "hash", HASH),
        ("java.net.InetAddress$InetAddressHolder", "address", HOST),
        ("java.util.LinkedHashMap$Entry", "hash", HASH),
    ],
)
def test_no_number_tells_what_is_hidden(
    name: str,
    field: str,
    number: int,
    dump: DumpWriter,
    tmp_path: Path,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    path = str(tmp_path / "dump.hprof")
    (node,) = (
        item.id
        for item in dump.items
        if getattr(item, "java_class", None) is dump.classes[name.replace(".", "/")]
    )
    commands = (
        ["query", path, f'SELECT * FROM "{name}"', "--format", "csv"],
        *(["show", path, hex(node), "--format", form] for form in ("text", "json")),
    )
    for command in commands:
        assert run([*command, "--no-cache"]) == 0
        assert str(number).encode() in capfdbinary.readouterr().out.replace(b",", b"")
        assert run([*command, "--no-cache", "--redact"]) == 0
        out = capfdbinary.readouterr().out
        assert field.encode() in out
        assert str(number).encode() not in out.replace(b",", b"")
