"""A document in a folder is no log, and a folder without evidence says what it holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.language import english

RECORD = '{"time":"2026-11-21T20:00:01Z","level":"ERROR","message":"No route info of this topic: orders"}\n'


def test_one_line_of_json_is_a_document(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text('{"name":"shop","version":"1.0.0","error":"none","message":"x"}')
    (tmp_path / "app.json").write_text(RECORD * 3)
    inputs = {Path(one.path).name: one for one in diagnose_incident([tmp_path]).report.inputs}
    assert inputs["app.json"].kind == "log"
    assert not inputs["package.json"].was_read


def test_a_folder_without_evidence_names_its_files(tmp_path: Path) -> None:
    for name in "abcdefg":
        (tmp_path / f"{name}.md").write_text("# notes\n")
    (told,) = (one for one in diagnose_incident([tmp_path]).report.inputs if one.error)
    said = english()(told.error)
    assert "files left alone: 7" in said
    assert "a.md" in said
    assert "and others" in said
    assert "g.md" not in said


def test_a_program_that_quotes_a_log_is_no_evidence_unless_it_is_named(tmp_path: Path) -> None:
    program = tmp_path / "test_orders.java"
    program.write_text('2026-11-21 20:00:01 ERROR main - No route info of this topic: "orders"\n' * 3)
    (told,) = (one for one in diagnose_incident([tmp_path]).report.inputs if one.path == str(program))
    assert told.skipped is not None
    assert "source of a program" in english()(told.skipped)
    (read,) = diagnose_incident([program]).report.inputs
    assert read.kind == "log"


LINE = "2026-11-21 20:{:02}:01 ERROR main - No route info of this topic: orders\n"
LOG = "".join(map(LINE.format, range(30)))


def test_a_log_is_read_whatever_its_name_says(tmp_path: Path) -> None:
    for name in ("store.toml", "mqdiag.toml", "broker.log.py"):
        (tmp_path / name).write_text(LOG)
    (tmp_path / "settings.toml").write_text("[log]\n" + "level = 'ERROR'\n" * 30)
    inputs = {Path(one.path).name: one for one in diagnose_incident([tmp_path]).report.inputs}
    assert [name for name, one in inputs.items() if one.kind == "log"] == [
        "broker.log.py",
        "mqdiag.toml",
        "store.toml",
    ]
    assert inputs["settings.toml"].skipped is not None


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
def test_a_log_of_wide_characters_is_read(encoding: str, tmp_path: Path) -> None:
    data = ("\ufeff" + LOG).encode(encoding) if encoding.endswith("be") else LOG.encode(encoding)
    (tmp_path / "store.log").write_bytes(data)
    incident = diagnose_incident([tmp_path])
    (read,) = incident.report.inputs
    assert read.kind == "log"
    assert read.complete
    assert [finding.rule for finding in incident.report.findings] == ["no-route"]
