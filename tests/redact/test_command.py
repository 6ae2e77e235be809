"""The command lines: what is written where, what is refused, and that reports show no bodies."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.conftest import mqdiag as mqdiag
from tests.redact.canary_dump import THREAD, canary_dump


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    return canary_dump(large_bytes=100).dump.write(tmp_path / "dump.hprof")


def test_it_tells_what_it_did(mqdiag: Run, dump: Path, tmp_path: Path) -> None:
    done = mqdiag("redact", str(dump), str(tmp_path / "shared.hprof"))
    assert (done.code, done.err) == (0, "")
    assert "40 message bodies" in done.out
    mode = stat.S_IMODE((tmp_path / "shared.hprof").stat().st_mode)
    assert mode & 0o600 == 0o600
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == ["dump.hprof", "shared.hprof"]


def test_an_older_file_is_only_replaced_when_asked(mqdiag: Run, dump: Path, tmp_path: Path) -> None:
    target = tmp_path / "shared.hprof"
    target.write_text("older")
    done = mqdiag("redact", str(dump), str(target))
    assert (done.code, target.read_text()) == (2, "older")
    assert "--force" in done.line
    assert mqdiag("redact", "--force", str(dump), str(target)).code == 0
    assert target.stat().st_size == dump.stat().st_size


@pytest.mark.parametrize("link", [os.link, os.symlink], ids=["hard link", "symbolic link"])
def test_the_dump_itself_is_never_written(mqdiag: Run, dump: Path, tmp_path: Path, link: object) -> None:
    before = dump.read_bytes()
    link(dump, tmp_path / "same.hprof")  # type: ignore[operator]
    for target in (dump, tmp_path / "same.hprof"):
        done = mqdiag("redact", "--force", str(dump), str(target))
        assert done.code == 2
        assert done.line == f"mqdiag: {target}: is an input of this run; name another file"
    assert dump.read_bytes() == before


def test_what_cannot_be_read_or_written(mqdiag: Run, dump: Path, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no dump")
    cases = (
        (("missing.hprof", "out"), 3, "no such file"),
        ((str(tmp_path / "text"), "out"), 3, "not a heap dump"),
        ((str(dump), str(tmp_path)), 2, "folder"),
        ((str(dump), "/no/such/folder/out"), 2, "no folder"),
    )
    for arguments, code, says in cases:
        done = mqdiag("redact", *arguments)
        assert done.code == code
        assert says in done.line or code == 3
    assert not (tmp_path / "out").exists()


def test_standard_input(mqdiag: Run, dump: Path, tmp_path: Path) -> None:
    assert mqdiag("redact", "-", str(tmp_path / "shared.hprof"), stdin=dump.read_bytes()).code == 0


def test_no_report_shows_a_body_and_a_redacted_one_no_key(mqdiag: Run, tmp_path: Path) -> None:
    made = canary_dump(large_bytes=100)
    dump = str(made.dump.write(tmp_path / "dump.hprof"))
    bodies = [secret for secret in made.secrets if "body" in secret]
    keys = [secret for secret in made.secrets if "keys" in secret or "uniq" in secret]
    for form in ("text", "json"):
        shown = mqdiag("heap", "--threads", "--format", form, dump).out
        assert THREAD in shown
        assert [body for body in bodies if body in shown] == []
        hidden = mqdiag("heap", "--threads", "--redact", "--format", form, dump).out
        assert [secret for secret in made.secrets if secret in hidden] == []
        assert THREAD not in hidden
    assert any(key in shown for key in keys)
    arrays = json.loads(mqdiag("show", "--format", "json", dump, "byte[]").out)["show"]["class"]["largest"]
    for array in arrays:
        assert not any(body in mqdiag("show", dump, array["object_id"]).out for body in bodies)
        break
    strings = mqdiag("show", "--redact", "--limit", "500", dump, "java.lang.String")
    assert strings.code == 0
    assert [secret for secret in made.secrets if secret in strings.out] == []
