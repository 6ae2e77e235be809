"""`mqdiag fleet --redact`: what a report would hide is not in the tables either."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mqdiag.config import Settings
from mqdiag.fleet.options import Limits
from mqdiag.fleet.work.analyse import Request
from mqdiag.fleet.work.child import WarmChild
from mqdiag.fleet.work.child_main import _failure
from mqdiag.fleet.work.plan import settings_hash
from mqdiag.fleet.work.rows import Rows
from mqdiag.language import english
from mqdiag.report_json import text_of
from tests.fleet.made_fleet import heap
from tests.layers import CHECK

TEXTS = ("client_id", "msg_id", "keys", "head_msg_id", "head_keys")
"""keys of rows and of the evidence of findings whose values tell of persons or machines"""


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> tuple[Rows, Rows]:
    """The rows of one incident, as they are and redacted."""
    folder = tmp_path_factory.mktemp("redact")
    dump = folder / "dump.hprof"
    dump.write_bytes(heap("stuck-one-4.9.8"))
    child = WarmChild(Limits())
    try:
        plain, redacted = (
            child.analyse(
                Request(
                    paths={str(dump): "s3://dumps/one"},
                    settings=Settings(),
                    classes=50,
                    scratch=str(folder),
                    redact=redact,
                )
            )
            for redact in (False, True)
        )
    finally:
        child.close()
    return plain, redacted


def _secrets(value: Any, key: str = "") -> set[str]:
    if isinstance(value, dict):
        return set().union(*(_secrets(inner, name) for name, inner in value.items()))
    if isinstance(value, list):
        return set().union(*(_secrets(inner, key) for inner in value))
    if key == "document":
        return _secrets(json.loads(value))
    return {value} if key in TEXTS and isinstance(value, str) and not value.isdigit() else set()


def test_no_table_holds_what_a_report_would_hide(tables: tuple[Rows, Rows]) -> None:
    plain, redacted = tables
    secrets = _secrets(plain)
    servers = {row["settings"]["namesrvAddr"] for row in plain["consumers"]}
    assert secrets
    assert servers
    text = json.dumps(redacted, default=str)
    assert [secret for secret in secrets | servers if secret in text] == []


def test_numbers_and_findings_stay(tables: tuple[Rows, Rows]) -> None:
    plain, redacted = tables
    for table in ("queues", "classes", "inputs"):
        assert redacted[table] == plain[table]
    for table, columns in (
        ("findings", ("rule", "cause", "severity", "consumer_group", "fingerprint")),
        ("consumers", ("consumer_group", "messages", "bound_bytes", "threshold", "subscriptions")),
    ):
        assert [[row[name] for name in columns] for row in redacted[table]] == [
            [row[name] for name in columns] for row in plain[table]
        ]


@CHECK
def test_settings_that_are_hidden_are_left_out(tables: tuple[Rows, Rows]) -> None:
    """Their placeholders are numbered in each incident, and would make a drift where there is none."""
    plain, redacted = (rows["consumers"][0]["settings"] for rows in tables)
    assert set(redacted) < set(plain)
    assert all(plain[key] == value for key, value in redacted.items())
    assert redacted["messageModel"] == "CLUSTERING"
    assert "pullThresholdForQueue" in redacted


def test_a_fault_tells_no_text() -> None:
    told, hidden = (_failure(KeyError("alice"), 1 << 30, redact=redact)["reason"] for redact in (False, True))
    assert english()(text_of(told)) == "internal fault: KeyError: 'alice'"
    assert english()(text_of(hidden)) == "internal fault: KeyError"


def test_what_was_not_redacted_is_not_known_to_a_redacting_run() -> None:
    assert settings_hash(Settings(), redact=True) != settings_hash(Settings())
