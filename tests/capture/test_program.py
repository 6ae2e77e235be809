"""A program that is run for a capture ends in its time, whatever processes it leaves behind."""

from __future__ import annotations

import io
import time

import pytest

from mqdiag.capture.program import run_program
from tests.layers import CHECK, one_in_each_run


@one_in_each_run(2)
@pytest.mark.parametrize(
    ("script", "seconds", "too_long"),
    [
        ("echo all; sleep 100 & exit 0", 10.0, False),
        ("echo all; exec >&- 2>&-; sleep 100", 2.0, True),
        pytest.param("echo all; sleep 100", 2.0, True, marks=CHECK),
        pytest.param("echo all; setsid sleep 100 & sleep 100", 2.0, True, marks=CHECK),
    ],
)
def test_a_program_ends_in_its_time(script: str, seconds: float, too_long: bool) -> None:
    out = io.BytesIO()
    begin = time.monotonic()
    ended = run_program(["sh", "-c", script], out=out, most_bytes=100, seconds=seconds)
    assert time.monotonic() - begin < 90
    assert out.getvalue() == b"all\n"
    assert ended.too_long is too_long
    assert (ended.code == 0) is not too_long
