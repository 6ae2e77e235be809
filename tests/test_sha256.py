"""The hash of Python's own module is that of every other SHA-256, and of a Python that lacks the module."""

from __future__ import annotations

import hashlib

import pytest

from mqdiag import sha256
from tests.test_imports import FIXTURES, imported_by

EXPECTED = hashlib.sha256("磁盘".encode()).hexdigest()


def test_it_is_the_same_as_of_hashlib() -> None:
    assert sha256.hex_digest("磁盘") == EXPECTED


def test_a_python_without_its_own_takes_that_of_hashlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sha256, "_MODULES", ("_no_such_module", "hashlib"))
    sha256._sha256.cache_clear()
    try:
        assert sha256.hex_digest("磁盘") == EXPECTED
    finally:
        sha256._sha256.cache_clear()


def test_a_report_with_findings_loads_no_openssl() -> None:
    series = FIXTURES / "stacks/urlconnection-stuck/series.tar.gz"
    assert "_hashlib" not in imported_by(("stacks", str(series)))
