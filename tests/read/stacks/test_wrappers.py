"""The same dump in what log drivers, editors, mails and archives make of it."""

from __future__ import annotations

import gzip
import html
import io
import json
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.layers import one_in_each_run
from tests.read.stacks.given import CASES, read_text, real_dump, same


def prefixed(prefix: Callable[[int], str]) -> Callable[[str], str]:
    """Put something before each line."""
    return lambda text: "".join(f"{prefix(number)}{line}\n" for number, line in enumerate(text.splitlines()))


def docker(text: str) -> str:
    lines = [
        json.dumps({"log": line + "\n", "stream": "stdout", "time": "2026-11-21T06:14:44.123456789Z"})
        for line in text.splitlines()
    ]
    return "\n".join(lines) + "\n"


def docker_in_parts(text: str) -> str:
    """Docker cuts long lines: the parts but the last have no line end."""
    out = []
    for line in text.splitlines():
        parts = [line[at : at + 40] for at in range(0, len(line), 40)] or [""]
        parts[-1] += "\n"
        out += [json.dumps({"log": part, "stream": "stdout", "time": "2026-11-21T06:14:44Z"}) for part in parts]
    return "\n".join(out) + "\n"


def cri_in_parts(text: str) -> str:
    out = []
    for line in text.splitlines():
        head = "2026-11-21T06:14:44.123456789+08:00 stdout"
        if len(line) > 60:
            out += [f"{head} P {line[:50]}", f"{head} F {line[50:]}"]
        else:
            out.append(f"{head} F {line}")
    return "\n".join(out) + "\n"


WRAPPERS: dict[str, Callable[[str], str]] = {
    "docker json": docker,
    "docker json, lines in parts": docker_in_parts,
    "cri": prefixed(lambda _: "2026-11-21T06:14:44.123456789Z stdout F "),
    "cri, lines in parts": cri_in_parts,
    "kubectl --timestamps": prefixed(lambda n: f"2026-11-21T06:14:44.{n:09}Z "),
    "kubectl --prefix": prefixed(lambda _: "[pod/orders-7d5c9/app] "),
    "compose": prefixed(lambda _: "orders-1  | "),
    "compose with timestamps": prefixed(lambda n: f"orders-1  | 2026-11-21T06:14:44.{n:09}Z "),
    "syslog": prefixed(lambda _: "Nov 21 06:14:44 host-3 java[1234]: "),
    "syslog 5424": prefixed(lambda _: "<13>1 2026-11-21T06:14:44.123Z host app 1234 - - "),
    "journal": prefixed(lambda _: "Nov 21 06:14:44 host orders.sh[77]: "),
    "time in brackets": prefixed(lambda n: f"[2026-11-21 06:14:44,{n % 1000:03}] "),
    "an unknown logger": prefixed(lambda n: f"06:14:44.{n % 1000:03} INFO  [stdout] (SIGQUIT handler) "),
    "quoted in a mail": prefixed(lambda _: "> "),
    "grep -n": prefixed(lambda n: f"{n + 1}:"),
    "indented by a wiki": prefixed(lambda _: "    "),
    "crlf": lambda text: text.replace("\n", "\r\n"),
    "tabs as spaces": lambda text: text.replace("\t", "        "),
    "html escaped": lambda text: f"<html><body><pre>{html.escape(text)}</pre></body></html>\n",
    "html with breaks": lambda text: html.escape(text).replace("\n", "<br/>\n"),
    "no blank lines": lambda text: "\n".join(line for line in text.split("\n") if line) + "\n",
    "leading blanks lost": lambda text: "".join(f"{line.strip()}\n" for line in text.splitlines()),
    "bom": lambda text: "\ufeff" + text,
    "log before and after": lambda text: (
        "2026-11-21 06:00:00 INFO started\n" * 500 + text + "\njava.lang.Error: x\n\tat a.B.c(B.java:1)\n" * 300
    ),
}


@one_in_each_run(2)
@pytest.mark.parametrize("name", WRAPPERS)
def test_a_wrapper_changes_nothing(name: str, tmp_path: Path) -> None:
    plain = real_dump()
    same(read_text(tmp_path, WRAPPERS[name](plain)), read_text(tmp_path, plain))


@pytest.mark.parametrize("name", ["docker json", "cri, lines in parts", "compose", "log before and after"])
def test_a_wrapper_around_sigquit_output_with_several_dumps(name: str, tmp_path: Path) -> None:
    text = real_dump(form="sigquit")
    plain, wrapped = read_text(tmp_path, text), read_text(tmp_path, WRAPPERS[name](text))
    assert len(wrapped.samples) == len(plain.samples) >= 1
    for one, two in zip(plain.samples, wrapped.samples, strict=True):
        assert [thread.stack.frames for thread in one.threads] == [
            thread.stack.frames for thread in two.threads
        ]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_an_encoding_changes_nothing(encoding: str, tmp_path: Path) -> None:
    plain = real_dump()
    same(read_text(tmp_path, plain.encode(encoding)), read_text(tmp_path, plain))


def _zip(text: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("dumps/j1.log", text)
        archive.writestr("__MACOSX/dumps/._j1.log", b"\0\5\26\7")
    return buffer.getvalue()


def _tar(text: str, mode: str) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:  # type: ignore[call-overload]
        info = tarfile.TarInfo("dumps/j1.log.gz")
        data = gzip.compress(text.encode())
        info.size = len(data)
        archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


PACKED: dict[str, Callable[[str], bytes]] = {
    "gzip": lambda text: gzip.compress(text.encode()),
    "gzip in members": lambda text: gzip.compress(text[:9999].encode()) + gzip.compress(text[9999:].encode()),
    "zip": _zip,
    "tar": lambda text: _tar(text, "w"),
    "tar.gz with gzip in it": lambda text: _tar(text, "w:gz"),
}


@pytest.mark.parametrize("name", PACKED)
def test_packing_changes_nothing(name: str, tmp_path: Path) -> None:
    plain = real_dump()
    same(read_text(tmp_path, PACKED[name](plain)), read_text(tmp_path, plain))


def test_log_lines_between_the_lines_of_a_dump(tmp_path: Path) -> None:
    """Other threads write to the console while the JVM dumps."""
    plain = real_dump()
    noisy = []
    for number, line in enumerate(plain.split("\n")):
        noisy.append(line)
        # behind an empty line the JVM may write a trailer of the block above, so no log line there
        if number % 7 == 3 and line:
            noisy.append(
                f'2026-11-21 06:14:44.{number:03} INFO [worker-{number}] c.a.Orders - "done" in <5> ms at once'
            )
    same(read_text(tmp_path, "\n".join(noisy)), read_text(tmp_path, plain))


def test_cut_gzip_gives_what_can_be_inflated(tmp_path: Path) -> None:
    packed = gzip.compress(real_dump().encode())
    (sample,) = read_text(tmp_path, packed[: len(packed) // 2]).samples
    assert not sample.complete
    assert len(sample.threads) > 10


def test_a_cut_archive_gives_its_whole_members(tmp_path: Path) -> None:
    packed = (CASES / "urlconnection-stuck" / "series.tar.gz").read_bytes()
    whole, cut = read_text(tmp_path, packed), read_text(tmp_path, packed[: len(packed) * 3 // 4])
    assert len(whole.samples) == 5
    assert 2 <= len(cut.samples) < 5 or not all(sample.complete for sample in cut.samples)


def test_a_damaged_member_of_a_zip_does_not_hide_the_others(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("j1.log", real_dump())
        archive.writestr("j2.log", real_dump(number=2))
    data = bytearray(buffer.getvalue())
    data[2000] ^= 0xFF
    result = read_text(tmp_path, bytes(data))
    assert len(result.samples) + len(result.errors) == 2
    assert result.samples[-1].complete


@pytest.mark.parametrize("case", ["deadlock-locks", "deadlock-monitors", "jdk8-deadlock"])
def test_a_dump_without_blank_lines_keeps_its_deadlock(tmp_path: Path, case: str) -> None:
    plain = real_dump(case)
    dense = "".join(f"{line}\n" for line in plain.splitlines() if line.strip())
    expected = read_text(tmp_path, plain)
    assert read_text(tmp_path, dense).samples[0].deadlocks == expected.samples[0].deadlocks
