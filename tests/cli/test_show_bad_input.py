"""`mqdiag show` with wrong names and hostile dumps: a clear line and the right code, nothing acts on the terminal."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mqdiag.cli import run
from mqdiag.errors import EXIT_INPUT, EXIT_USAGE
from tests.cli.conftest import Run
from tests.text_width import too_wide
from tests.writers import hprof_records as hprof
from tests.writers.hprof_records import BYTE, CHAR, INT, OBJECT
from tests.writers.hprof_writer import DumpWriter
from tests.writers.java_objects import JavaObjects

FIRST_RUN = b"mqdiag: compiling kernels, only at the first run on this machine\n"
"""where no kernels are kept yet"""

HOSTILE = 'a\x1b[2J\x1b]0;owned\x07"\n[red]\u202e\ud800b'


def hostile_dump(folder: Path) -> dict[str, int]:
    """Names and texts with control characters, cycles of every kind, ids that lead nowhere."""
    dump = DumpWriter()
    java = JavaObjects(dump)
    dump.known("java/lang/Class")
    node = dump.java_class(
        "app/\x1b[31mNode\n",
        fields={"next\x1b[2J": OBJECT, "text": OBJECT, "lost": OBJECT, "body": OBJECT, "n": INT},
        statics={"SELF": (OBJECT, 0), "LIMIT": (INT, 7)},
        superclass=dump.known("java/lang/Object"),
    )
    text = java.string(HOSTILE)
    long_text = java.string("secret " * 40)
    body = dump.primitive_array(BYTE, b"a secret body")
    first = dump.instance(node, text=text, lost=0xDEAD0, body=body, n=-5)
    second = dump.instance(node, text=long_text)
    dump.set(first, **{"next\x1b[2J": second})
    dump.set(second, **{"next\x1b[2J": first})
    itself = dump.instance(node)
    dump.set(itself, **{"next\x1b[2J": itself})
    node.statics["SELF"] = (OBJECT, first)
    items = java.array_list([first])
    array = next(item for item in dump.items if getattr(item, "elements", None) == [first])
    array.elements = [array.id, items, first]  # type: ignore[union-attr]
    loop = java.hash_map([(text, first)])
    chars = dump.primitive_array(CHAR, ("x" * 500).encode("utf-16-be"))
    thread = java.thread("\x1b]0;evil\x07")
    dump.thread(thread, 1)
    dump.local(itself, 1)
    for root in (node.id, items, loop, chars):
        dump.root(hprof.STICKY_CLASS, root)
    dump.write(folder / "hostile.hprof")
    return {
        "first": first, "second": second, "itself": itself, "items": items, "loop": loop, "body": body,
        "text": text, "long": long_text, "chars": chars, "thread": thread, "class": node.id, "array": array.id,
    }  # fmt: skip


@pytest.fixture
def show(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> Callable[..., str]:
    """What the command writes, in this process: a dozen objects would be a dozen starts."""

    def written(what: str, *options: str) -> str:
        assert run(["show", str(tmp_path / "hostile.hprof"), what, *options]) == 0
        out, err = capfdbinary.readouterr()
        assert err.replace(FIRST_RUN, b"") == b""
        return out.decode()

    return written


def test_hostile_objects_in_words_and_json(
    show: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for name, object_id in hostile_dump(tmp_path).items():
        out = show(hex(object_id))
        for act in ("\x1b", "\x07", "\u202e", "secret body"):
            assert act not in out, name
        assert too_wide(out) == [], name
        as_json = show(hex(object_id), "--format", "json")
        assert json.loads(as_json)["show"]["object"]["object_id"] == hex(object_id)
        assert "secret body" not in as_json
        assert "secret " * 10 not in as_json
    for what in ("app.\x1b[31mNode\n", "java.lang.String", "byte[]"):
        assert "\x1b" not in show(what)


def test_cycles_and_nulls_in_an_object(show: Callable[..., str], tmp_path: Path) -> None:
    made = hostile_dump(tmp_path)

    def one(name: str) -> Any:
        return json.loads(show(hex(made[name]), "--format", "json"))["show"]["object"]

    fields = {value["name"]: value for value in one("first")["fields"]}
    assert fields["lost"]["object_id"] is None
    assert (fields["n"]["value"], fields["n"]["type"]) == (-5, "int")
    assert fields["body"]["length"] == 13
    assert fields["next\x1b[2J"]["object_id"] == hex(made["second"])
    long_text = {value["name"]: value for value in one("second")["fields"]}["text"]
    assert (len(long_text["value"]), long_text["value"][-1], long_text["length"]) == (64, "…", 280)
    assert one("items")["entry_count"] == 1
    itself = one("itself")
    assert [path["class"] for path in itself["paths"]] == ["java.lang.Thread"]
    assert itself["referrer_count"] == 2
    assert {value["name"]: value["value"] for value in one("class")["statics"]}["LIMIT"] == 7


def test_an_unreachable_object(mqdiag: Run, tmp_path: Path) -> None:
    dump = DumpWriter()
    dump.known("java/lang/Class")
    node = dump.java_class("Node", fields={"next": OBJECT})
    gone = dump.instance(node)
    holder = dump.instance(node, next=gone)
    dump.root(hprof.STICKY_CLASS, node.id)
    dump.write(tmp_path / "gone.hprof")
    done = mqdiag("show", "gone.hprof", hex(gone), "--format", "json")
    one = json.loads(done.out)["show"]["object"]
    assert (one["reachable"], one["retained_bytes"], one["paths"], one["dominators"]) == (False, 0, [], [])
    assert [each["object_id"] for each in one["referrers"]] == [hex(holder)]
    assert "nothing keeps it alive" in mqdiag("show", "gone.hprof", hex(gone)).out
    assert "2 of them unreachable" in mqdiag("show", "gone.hprof", "Node").out


@pytest.mark.parametrize(
    ("what", "says"),
    [
        ("0x12", "no object with the id 0x12"),
        ("0x0", "no object with the id 0x0"),
        ("1234", "no object with the id 1234, read as hexadecimal or decimal"),
        ("0xfffffffffffffffff", "no class '0xfffffffffffffffff'"),
        ("Sting", "did you mean java.lang.String?"),
        ("strin", "did you mean java.lang.String?"),
        ("java.lang.strang", "did you mean java.lang.String?"),
        ("", "no class ''"),
        ("\x1b[2J\n", "no class '\\x1b[2J\\n'"),
        ("Twin", "the end of 2 class names: a.Twin, b.Twin"),
    ],
)
def test_unknown_or_unclear_names(mqdiag: Run, tmp_path: Path, what: str, says: str) -> None:
    dump = DumpWriter()
    java = JavaObjects(dump)
    java.string("x")
    for name in ("a/Twin", "b/Twin"):
        dump.instance(dump.java_class(name))
    dump.write(tmp_path / "small.hprof")
    done = mqdiag("show", "small.hprof", what)
    assert done.code == EXIT_USAGE
    assert done.out == ""
    assert says in done.line.replace("\\\\", "\\")


def test_of_two_names_the_one_with_instances_is_meant(mqdiag: Run, tmp_path: Path) -> None:
    dump = DumpWriter()
    dump.java_class("a/Twin")
    dump.instance(dump.java_class("b/Twin"))
    dump.write(tmp_path / "small.hprof")
    assert mqdiag("show", "small.hprof", "Twin").out.startswith("b.Twin\n")


def test_no_dump(mqdiag: Run, tmp_path: Path) -> None:
    (tmp_path / "text.hprof").write_text("hello, this is no dump\n" * 40)
    for name, says in (("missing.hprof", "no such file"), ("text.hprof", "a text file")):
        done = mqdiag("show", name, "Node")
        assert (done.code, done.out) == (EXIT_INPUT, "")
        assert done.line.startswith(f"mqdiag: {name}")
        assert says in done.line


def test_from_standard_input(mqdiag: Run, tmp_path: Path) -> None:
    made = hostile_dump(tmp_path)
    content = (tmp_path / "hostile.hprof").read_bytes()
    assert mqdiag("show", "-", hex(made["first"]), stdin=content).code == 0
    done = mqdiag("show", "-", "Node", stdin=b"no dump")
    assert done.code == EXIT_INPUT
    assert done.line.startswith("mqdiag: - (byte 0): a text file")


def test_a_cut_dump_is_told(mqdiag: Run, tmp_path: Path) -> None:
    made = hostile_dump(tmp_path)
    content = (tmp_path / "hostile.hprof").read_bytes()
    (tmp_path / "cut.hprof").write_bytes(content[:-40])
    done = mqdiag("show", "cut.hprof", hex(made["first"]))
    assert done.code == 0
    assert "The dump is incomplete" in done.out


def test_limits(mqdiag: Run, tmp_path: Path) -> None:
    hostile_dump(tmp_path)
    done = mqdiag("show", "hostile.hprof", "java.lang.String", "--limit", "1", "--format", "json")
    assert len(json.loads(done.out)["show"]["class"]["largest"]) == 1
    assert mqdiag("show", "hostile.hprof", "java.lang.String", "--limit", "0").code == 0
    assert mqdiag("show", "hostile.hprof", "java.lang.String", "--limit", "-1").code == EXIT_USAGE
